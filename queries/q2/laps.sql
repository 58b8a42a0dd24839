-- Q2, lap by lap (null: at end of stream): the pairs that TopPairs is given.
-- A session's pairs count for the lap of the click that closes it, which is the first one of the user's next session.
, closed AS (
    SELECT count(DISTINCT item) AS items,
           coalesce(bool_or(item = CAST(getvariable('item') AS BIGINT)), false) AS held,
           lead(min(stream_lap)) OVER (PARTITION BY user_sk ORDER BY session ASC NULLS FIRST) AS lap
    FROM numbered
    GROUP BY user_sk, session
)
SELECT CAST(lap AS BIGINT) AS lap,
       CAST(sum(CASE WHEN CAST(getvariable('item') AS BIGINT) IS NULL THEN items * (items - 1) // 2
                     WHEN held THEN items - 1
                     ELSE 0 END) AS BIGINT) AS last_operator
FROM closed
GROUP BY 1
ORDER BY 1 ASC NULLS LAST
