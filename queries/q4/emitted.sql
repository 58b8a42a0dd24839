-- Q4's output sequence: after each abandoned session the pages and sessions so far. A session comes when the first click
-- of the user's next one closes it, clicks of one second by user; those that nothing closes come last, by user.
, closed AS (
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
