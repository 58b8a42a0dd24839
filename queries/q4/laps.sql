-- Q4, lap by lap (null: at end of stream): the rows that the sink is given, one for each abandoned session.
-- A session counts for the lap of the click that closes it, which is the first one of the user's next session.
WITH click AS (
    SELECT wcs_user_sk AS user_sk,
           wp_type AS page,
           stream_lap,
           CAST(wcs_click_date_sk AS BIGINT) * 86400 + wcs_click_time_sk AS ts
    FROM web_clickstreams
    JOIN web_page ON wcs_web_page_sk = wp_web_page_sk
    WHERE wcs_user_sk IS NOT NULL AND wcs_sales_sk IS NULL
),
opening AS (
    SELECT *,
           CASE WHEN ts - lag(ts) OVER (PARTITION BY user_sk ORDER BY ts ASC NULLS FIRST)
                     > CAST(getvariable('gap') AS BIGINT) THEN 1 ELSE 0 END AS opens
    FROM click
),
numbered AS (
    SELECT *,
           CAST(sum(opens) OVER (PARTITION BY user_sk ORDER BY ts ASC NULLS FIRST
                                 RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS session
    FROM opening
),
closed AS (
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
