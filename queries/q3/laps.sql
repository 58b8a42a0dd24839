-- Q3, lap by lap: the rows that the sink is given. A purchase's rows count for its lap.
SELECT CAST(stream_lap AS BIGINT) AS lap, count(*) AS sink
FROM view
GROUP BY 1
ORDER BY 1 ASC NULLS LAST
