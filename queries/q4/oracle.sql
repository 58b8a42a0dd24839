-- Q4: pages of sessions in which the last dynamic page comes after the last order page.
, kept AS (
    SELECT count(*) AS pages
    FROM numbered
    GROUP BY user_sk, session
    HAVING coalesce(max(ts) FILTER (WHERE page = 'dynamic'), -1) > coalesce(max(ts) FILTER (WHERE page = 'order'), -1)
)
SELECT CAST(coalesce(sum(pages), 0) AS BIGINT) AS pages,
       CAST(count(*) AS BIGINT) AS sessions,
       CAST(sum(pages) AS DOUBLE) / count(*) AS pages_per_session
FROM kept
