-- Q2: the top pairs of the stream.
SELECT CAST(item_a AS BIGINT) AS item_a,
       CAST(item_b AS BIGINT) AS item_b,
       CAST(n AS BIGINT) AS n
FROM counted
ORDER BY n DESC NULLS LAST, item_a ASC NULLS FIRST, item_b ASC NULLS FIRST
LIMIT CAST(getvariable('top') AS BIGINT)
