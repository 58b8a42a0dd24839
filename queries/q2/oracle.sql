-- Q2: pairs of items viewed in one session of a user, counted; the top ones of the stream.
, viewed AS (
    SELECT DISTINCT user_sk, session, item FROM numbered
),
counted AS (
    SELECT a.item AS item_a, b.item AS item_b, count(*) AS n
    FROM viewed AS a
    JOIN viewed AS b
      ON a.user_sk = b.user_sk
     AND a.session = b.session
     AND CASE WHEN CAST(getvariable('item') AS BIGINT) IS NULL THEN a.item < b.item
              ELSE b.item = CAST(getvariable('item') AS BIGINT) AND a.item <> b.item END
    GROUP BY 1, 2
)
SELECT CAST(item_a AS BIGINT) AS item_a,
       CAST(item_b AS BIGINT) AS item_b,
       CAST(n AS BIGINT) AS n
FROM counted
ORDER BY n DESC NULLS LAST, item_a ASC NULLS FIRST, item_b ASC NULLS FIRST
LIMIT CAST(getvariable('top') AS BIGINT)
