-- Q1: every pair of each hour, with how often it was sold.
SELECT hour, item_a, item_b, n FROM counted
