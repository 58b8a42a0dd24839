-- Q4's output sequence: after each abandoned session the pages and sessions so far. A session comes when the first click
-- of the user's next one closes it, clicks of one second by user; those that nothing closes come last, by user.
WITH click AS (
    SELECT wcs_user_sk AS user_sk,
           wp_type AS page,
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
    SELECT user_sk,
           count(*) AS pages,
           coalesce(max(ts) FILTER (WHERE page = 'dynamic'), -1)
           > coalesce(max(ts) FILTER (WHERE page = 'order'), -1) AS abandoned,
           lead(min(ts)) OVER (PARTITION BY user_sk ORDER BY session ASC NULLS FIRST) AS closing
    FROM numbered
    GROUP BY user_sk, session
)
SELECT CAST(sum(pages) OVER running AS BIGINT) AS pages,
       CAST(row_number() OVER running AS BIGINT) AS sessions
FROM closed
WHERE abandoned
WINDOW running AS (ORDER BY closing ASC NULLS LAST, user_sk ASC NULLS FIRST
                   ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
ORDER BY closing ASC NULLS LAST, user_sk ASC NULLS FIRST
