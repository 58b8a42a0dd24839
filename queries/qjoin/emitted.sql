-- QJoin's output sequence: purchases in replay order, of each the views before it, oldest first, each with its count so far.
SELECT CAST(purchased AS BIGINT) AS purchased,
       CAST(viewed AS BIGINT) AS viewed,
       CAST(row_number() OVER (PARTITION BY purchased, viewed
                               ORDER BY bought ASC NULLS FIRST, seen ASC NULLS FIRST) AS BIGINT) AS n
FROM followed
ORDER BY bought ASC NULLS FIRST, seen ASC NULLS FIRST
