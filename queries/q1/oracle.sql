-- Q1: the top pairs of each hour.
, ranked AS (
    SELECT *,
           row_number() OVER (PARTITION BY hour
                              ORDER BY n DESC NULLS LAST, item_a ASC NULLS FIRST, item_b ASC NULLS FIRST) AS place
    FROM counted
    WHERE n > CAST(getvariable('min_count') AS BIGINT)
)
SELECT CAST(hour AS BIGINT) AS hour,
       CAST(item_a AS BIGINT) AS item_a,
       CAST(item_b AS BIGINT) AS item_b,
       CAST(n AS BIGINT) AS n
FROM ranked
WHERE place <= CAST(getvariable('top') AS BIGINT)
ORDER BY hour ASC NULLS FIRST, n DESC NULLS LAST, item_a ASC NULLS FIRST, item_b ASC NULLS FIRST
