-- Q15, lap by lap (null: at end of stream): the rows that the sink is given.
-- The first sale of a category's third day brings the line over two; it counts for that day's lap, and so on.
, ranked AS (
    SELECT lap, row_number() OVER (PARTITION BY category ORDER BY x ASC NULLS FIRST) AS day FROM daily
),
given AS (
    SELECT lap FROM ranked WHERE day >= 3
    UNION ALL
    SELECT NULL FROM ranked WHERE day = 2
)
SELECT CAST(lap AS BIGINT) AS lap, count(*) AS sink
FROM given
GROUP BY 1
ORDER BY 1 ASC NULLS LAST
