-- Q4: pages of sessions in which the last dynamic page comes after the last order page.
-- A gap of more than `gap` seconds starts a new session; clicks of the same second are peers, always of one session.
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
kept AS (
    SELECT count(*) AS pages
    FROM numbered
    GROUP BY user_sk, session
    HAVING coalesce(max(ts) FILTER (WHERE page = 'dynamic'), -1) > coalesce(max(ts) FILTER (WHERE page = 'order'), -1)
)
SELECT CAST(coalesce(sum(pages), 0) AS BIGINT) AS pages,
       CAST(count(*) AS BIGINT) AS sessions,
       CAST(sum(pages) AS DOUBLE) / count(*) AS pages_per_session
FROM kept
