-- Q3: of each purchase the views among the buyer's last clicks before it.
-- A click's place is its rank among its user's clicks in replay order; clicks that tie in all five columns are alike.
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
    SELECT user_sk, item, ts, stream_lap, place AS bought, place - steps.back AS place
    FROM click
    CROSS JOIN (SELECT unnest(range(1, CAST(getvariable('depth') AS BIGINT) + 1)) AS back) AS steps
    WHERE sales IS NOT NULL
      AND (CAST(getvariable('purchased') AS BIGINT) IS NULL OR item = CAST(getvariable('purchased') AS BIGINT))
),
view AS (
    SELECT purchase.ts,
           purchase.user_sk,
           purchase.stream_lap,
           bought,
           click.place,
           purchase.item AS purchased,
           click.item AS viewed
    FROM purchase
    JOIN click
      ON click.user_sk = purchase.user_sk
     AND click.place = purchase.place
     AND click.ts >= purchase.ts - CAST(getvariable('window') AS BIGINT)
    WHERE CAST(getvariable('categories') AS BIGINT[]) IS NULL
       OR click.item IN (SELECT i_item_sk FROM item
                         WHERE list_contains(CAST(getvariable('categories') AS BIGINT[]),
                                             CAST(i_category_id AS BIGINT)))
)
