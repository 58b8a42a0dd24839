-- QJoin: the views of a user before each of the user's purchases, in the window, of items of one category.
-- A click's place is its rank in replay order; clicks that tie in all five columns are alike.
WITH click AS (
    SELECT wcs_user_sk AS user_sk,
           wcs_item_sk AS item,
           wcs_sales_sk AS sales,
           i_category_id AS category,
           CAST(wcs_click_date_sk AS BIGINT) * 86400 + wcs_click_time_sk AS ts,
           row_number() OVER (ORDER BY CAST(wcs_click_date_sk AS BIGINT) * 86400 + wcs_click_time_sk ASC NULLS FIRST,
                                       wcs_user_sk ASC NULLS FIRST,
                                       wcs_sales_sk ASC NULLS FIRST,
                                       wcs_item_sk ASC NULLS FIRST,
                                       wcs_web_page_sk ASC NULLS FIRST) AS place
    FROM web_clickstreams
    JOIN item ON i_item_sk = wcs_item_sk
    WHERE wcs_user_sk IS NOT NULL
      AND (CAST(getvariable('categories') AS BIGINT[]) IS NULL
           OR list_contains(CAST(getvariable('categories') AS BIGINT[]), CAST(i_category_id AS BIGINT)))
),
followed AS (
    SELECT purchase.item AS purchased,
           view.item AS viewed,
           purchase.place AS bought,
           view.place AS seen
    FROM click AS purchase
    JOIN click AS view
      ON view.user_sk = purchase.user_sk
     AND view.category = purchase.category
     AND view.ts <= purchase.ts
     AND view.ts >= purchase.ts - CAST(getvariable('window') AS BIGINT)
    WHERE purchase.sales IS NOT NULL AND view.sales IS NULL
)
