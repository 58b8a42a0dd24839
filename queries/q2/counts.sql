-- Q2: every pair, with how often it was viewed.
SELECT item_a, item_b, n FROM counted
