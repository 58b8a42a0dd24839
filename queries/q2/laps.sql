-- Q2, lap by lap (null: at end of stream): the pairs that TopPairs is given.
-- A session's pairs count for the lap of the click that closes it, which is the first one of the user's next session.
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
closed AS (
    SELECT count(DISTINCT item) AS items,
           coalesce(bool_or(item = CAST(getvariable('item') AS BIGINT)), false) AS held,
           lead(min(stream_lap)) OVER (PARTITION BY user_sk ORDER BY session ASC NULLS FIRST) AS lap
    FROM numbered
    GROUP BY user_sk, session
)
SELECT CAST(lap AS BIGINT) AS lap,
       CAST(sum(CASE WHEN CAST(getvariable('item') AS BIGINT) IS NULL THEN items * (items - 1) // 2
                     WHEN held THEN items - 1
                     ELSE 0 END) AS BIGINT) AS last_operator
FROM closed
GROUP BY 1
ORDER BY 1 ASC NULLS LAST
