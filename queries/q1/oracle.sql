-- Q1: pairs of items sold on one ticket, counted by hour; the top ones of each hour.
-- A pair belongs to the hour of the line that brings the newer of its two items.
, counted AS (
    SELECT CASE WHEN CAST(getvariable('hourly') AS BOOLEAN)
                THEN greatest(a.first_ts, b.first_ts) // 3600
                ELSE 0 END AS hour,
           a.item AS item_a,
           b.item AS item_b,
           count(*) AS n
    FROM line AS a
    JOIN line AS b ON a.ticket = b.ticket AND a.item < b.item
    GROUP BY 1, 2, 3
    HAVING count(*) > CAST(getvariable('min_count') AS BIGINT)
),
ranked AS (
    SELECT *,
           row_number() OVER (PARTITION BY hour
                              ORDER BY n DESC NULLS LAST, item_a ASC NULLS FIRST, item_b ASC NULLS FIRST) AS place
    FROM counted
)
SELECT CAST(hour AS BIGINT) AS hour,
       CAST(item_a AS BIGINT) AS item_a,
       CAST(item_b AS BIGINT) AS item_b,
       CAST(n AS BIGINT) AS n
FROM ranked
WHERE place <= CAST(getvariable('top') AS BIGINT)
ORDER BY hour ASC NULLS FIRST, n DESC NULLS LAST, item_a ASC NULLS FIRST, item_b ASC NULLS FIRST
