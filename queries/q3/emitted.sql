-- Q3's output sequence: purchases in replay order, of each the views before it, oldest first, each with its count so far.
SELECT CAST(purchased AS BIGINT) AS purchased,
       CAST(viewed AS BIGINT) AS viewed,
       CAST(row_number() OVER (PARTITION BY purchased, viewed
                               ORDER BY ts ASC NULLS FIRST, user_sk ASC NULLS FIRST, bought ASC NULLS FIRST,
                                        place ASC NULLS FIRST) AS BIGINT) AS n
FROM view
ORDER BY ts ASC NULLS FIRST, user_sk ASC NULLS FIRST, bought ASC NULLS FIRST, place ASC NULLS FIRST
