-- Q15's output sequence: a category's line over its days so far, from the second on. It comes with the category's first
-- sale of the next day, in replay order; the lines over all days come last, by category.
WITH line AS (
    SELECT CAST(i_category_id AS BIGINT) AS category,
           CAST(ss_sold_date_sk AS HUGEINT) AS x,
           CAST(CAST(round(ss_net_paid, 2) AS DECIMAL(18, 2)) * 100 AS BIGINT) AS cents,
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
    SELECT category, x, CAST(sum(cents) AS HUGEINT) AS y, min(place) AS begins
    FROM line
    GROUP BY category, x
),
summed AS (
    SELECT category,
           lead(begins) OVER (PARTITION BY category ORDER BY x ASC NULLS FIRST) AS place,
           CAST(count(*) OVER days AS HUGEINT) AS days,
           sum(x) OVER days AS sx,
           sum(y) OVER days AS sy,
           sum(x * y) OVER days AS sxy,
           sum(x * x) OVER days AS sxx
    FROM daily
    WINDOW days AS (PARTITION BY category ORDER BY x ASC NULLS FIRST
                    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
fitted AS (
    SELECT category,
           place,
           days,
           days * sxy - sx * sy AS rise,
           sy * sxx - sx * sxy AS base,
           days * sxx - sx * sx AS spread
    FROM summed
    WHERE days >= 2
)
SELECT category,
       CAST(days AS BIGINT) AS n,
       CAST(rise AS DOUBLE) / CAST(spread AS DOUBLE) / 100 AS slope,
       CAST(base AS DOUBLE) / CAST(spread AS DOUBLE) / 100 AS intercept
FROM fitted
ORDER BY place IS NULL, place, category ASC NULLS FIRST
