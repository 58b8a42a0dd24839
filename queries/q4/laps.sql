-- Q4, lap by lap (null: at end of stream): the rows that the sink is given, one for each abandoned session.
-- A session counts for the lap of the click that closes it, which is the first one of the user's next session.
, closed AS (
    SELECT coalesce(max(ts) FILTER (WHERE page = 'dynamic'), -1)
           > coalesce(max(ts) FILTER (WHERE page = 'order'), -1) AS abandoned,
           lead(min(stream_lap)) OVER (PARTITION BY user_sk ORDER BY session ASC NULLS FIRST) AS lap
    FROM numbered
    GROUP BY user_sk, session
)
SELECT CAST(lap AS BIGINT) AS lap, count(*) AS sink
FROM closed
WHERE abandoned
GROUP BY 1
ORDER BY 1 ASC NULLS LAST
