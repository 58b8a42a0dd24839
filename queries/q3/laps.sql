-- Q3, lap by lap: the rows that the sink is given. A purchase's rows count for its lap.
WITH click AS (
    SELECT wcs_user_sk AS user_sk,
           wcs_item_sk AS item,
           wcs_sales_sk AS sales,
           stream_lap,
           CAST(wcs_click_date_sk AS BIGINT) * 86400 + wcs_click_time_sk AS ts,
           row_number() OVER (PARTITION BY wcs_user_sk
                              ORDER BY CAST(wcs_click_date_sk AS BIGINT) * 86400 + wcs_click_time_sk ASC NULLS FIRST,
                                       wcs_sales_sk ASC NULLS FIRST,
                                       wcs_item_sk ASC NULLS FIRST,
                                       wcs_web_page_sk ASC NULLS FIRST) AS place
    FROM web_clickstreams
    WHERE wcs_user_sk IS NOT NULL AND wcs_item_sk IS NOT NULL
),
purchase AS (
    SELECT user_sk, ts, stream_lap, place - steps.back AS place
    FROM click
    CROSS JOIN (SELECT unnest(range(1, CAST(getvariable('depth') AS BIGINT) + 1)) AS back) AS steps
    WHERE sales IS NOT NULL
      AND (CAST(getvariable('purchased') AS BIGINT) IS NULL OR item = CAST(getvariable('purchased') AS BIGINT))
)
SELECT CAST(purchase.stream_lap AS BIGINT) AS lap, count(*) AS sink
FROM purchase
JOIN click
  ON click.user_sk = purchase.user_sk
 AND click.place = purchase.place
 AND click.ts >= purchase.ts - CAST(getvariable('window') AS BIGINT)
WHERE CAST(getvariable('categories') AS BIGINT[]) IS NULL
   OR click.item IN (SELECT i_item_sk FROM item
                     WHERE list_contains(CAST(getvariable('categories') AS BIGINT[]),
                                         CAST(i_category_id AS BIGINT)))
GROUP BY 1
ORDER BY 1 ASC NULLS LAST
