-- Q1, lap by lap (null: at end of stream): the pairs that TopPairs is given, and the rows that it gives the sink.
-- A pair counts for the lap of the line that completes it; an hour's rows for the lap of the first pair of a later hour.
, counted_by_lap AS (
    SELECT CASE WHEN CAST(getvariable('hourly') AS BOOLEAN)
                THEN greatest(a.first_ts, b.first_ts) // 3600
                ELSE 0 END AS hour,
           a.lap,
           a.item AS item_a,
           b.item AS item_b,
           count(*) AS n
    FROM line AS a
    JOIN line AS b ON a.ticket = b.ticket AND a.item < b.item
    GROUP BY 1, 2, 3, 4
),
pair AS (
    SELECT hour, item_a, item_b, sum(n) AS n, min(lap) AS lap FROM counted_by_lap GROUP BY 1, 2, 3
),
windows AS (
    SELECT hour,
           least(count(*) FILTER (WHERE n > CAST(getvariable('min_count') AS BIGINT)),
                 CAST(getvariable('top') AS BIGINT)) AS rows,
           lead(min(lap)) OVER (ORDER BY hour ASC NULLS FIRST) AS lap
    FROM pair
    GROUP BY hour
),
given AS (
    SELECT lap, n AS pairs, 0 AS rows FROM counted_by_lap
    UNION ALL
    SELECT lap, 0, rows FROM windows
)
SELECT CAST(lap AS BIGINT) AS lap,
       CAST(sum(pairs) AS BIGINT) AS last_operator,
       CAST(sum(rows) AS BIGINT) AS sink
FROM given
GROUP BY 1
ORDER BY 1 ASC NULLS LAST
