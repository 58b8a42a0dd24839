-- YSB, lap by lap (null: at end of stream): the rows that the sink is given.
-- A window counts for the lap of the view that closes it, which is the campaign's first one in a later window.
, closed AS (
    SELECT lead(lap) OVER (PARTITION BY campaign ORDER BY begins ASC NULLS FIRST) AS lap FROM counted
)
SELECT CAST(lap AS BIGINT) AS lap, count(*) AS sink
FROM closed
GROUP BY 1
ORDER BY 1 ASC NULLS LAST
