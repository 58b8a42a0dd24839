-- Q4: clicks on known pages, with the number of their session among their user's.
-- A gap of more than `gap` seconds starts a new session; clicks of the same second are peers, always of one session.
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
)
