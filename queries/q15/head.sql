-- Q15: the sales of each category and day that had any, in cents, with the place in replay order where the day begins.
WITH line AS (
    SELECT CAST(i_category_id AS BIGINT) AS category,
           CAST(ss_sold_date_sk AS HUGEINT) AS x,
           CAST(CAST(round(ss_net_paid, 2) AS DECIMAL(18, 2)) * 100 AS BIGINT) AS cents,
           stream_lap,
           {'ts': CAST(ss_sold_date_sk AS BIGINT) * 86400 + ss_sold_time_sk,
            'ticket': ss_ticket_number,
            'item': ss_item_sk} AS place
    FROM store_sales
    JOIN item ON ss_item_sk = i_item_sk
    WHERE i_category_id IS NOT NULL
      AND (CAST(getvariable('store') AS BIGINT) IS NULL OR ss_store_sk = CAST(getvariable('store') AS BIGINT))
      AND (CAST(getvariable('first_date') AS BIGINT) IS NULL
           OR ss_sold_date_sk >= CAST(getvariable('first_date') AS BIGINT))
      AND (CAST(getvariable('last_date') AS BIGINT) IS NULL
           OR ss_sold_date_sk <= CAST(getvariable('last_date') AS BIGINT))
),
daily AS (
    SELECT category, x, CAST(sum(cents) AS HUGEINT) AS y, min(place) AS begins, min(stream_lap) AS lap
    FROM line
    GROUP BY category, x
)
