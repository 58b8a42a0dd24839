-- Q2: clicks whose user and item are known, with the number of their session among their user's, and the pairs of items viewed
-- in one session, counted.
-- A gap of more than `gap` seconds starts a new session. The running sum's frame is RANGE on purpose:
-- clicks of the same second are peers, and always of one session.
WITH opening AS (
    SELECT wcs_user_sk AS user_sk,
           wcs_item_sk AS item,
           stream_lap,
           CAST(wcs_click_date_sk AS BIGINT) * 86400 + wcs_click_time_sk AS ts,
           CASE WHEN ts - lag(ts) OVER (PARTITION BY wcs_user_sk ORDER BY ts ASC NULLS FIRST)
                     > CAST(getvariable('gap') AS BIGINT) THEN 1 ELSE 0 END AS opens
    FROM web_clickstreams
    WHERE wcs_user_sk IS NOT NULL AND wcs_item_sk IS NOT NULL
),
numbered AS (
    SELECT *,
           CAST(sum(opens) OVER (PARTITION BY user_sk ORDER BY ts ASC NULLS FIRST
                                 RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS session
    FROM opening
),
viewed AS (
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
