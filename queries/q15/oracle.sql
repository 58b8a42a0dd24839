-- Q15: categories whose daily sales do not rise, by the least-squares line over the days that had sales.
-- The sums are exact integers (cents; 128 bits where products need them); only the two quotients are floating point.
WITH daily AS (
    SELECT CAST(i_category_id AS BIGINT) AS category,
           CAST(ss_sold_date_sk AS HUGEINT) AS x,
           CAST(sum(CAST(CAST(round(ss_net_paid, 2) AS DECIMAL(18, 2)) * 100 AS BIGINT)) AS HUGEINT) AS y
    FROM store_sales
    JOIN item ON ss_item_sk = i_item_sk
    WHERE i_category_id IS NOT NULL
      AND (CAST(getvariable('store') AS BIGINT) IS NULL OR ss_store_sk = CAST(getvariable('store') AS BIGINT))
      AND (CAST(getvariable('first_date') AS BIGINT) IS NULL
           OR ss_sold_date_sk >= CAST(getvariable('first_date') AS BIGINT))
      AND (CAST(getvariable('last_date') AS BIGINT) IS NULL
           OR ss_sold_date_sk <= CAST(getvariable('last_date') AS BIGINT))
    GROUP BY 1, 2
),
summed AS (
    SELECT category,
           CAST(count(*) AS HUGEINT) AS days,
           sum(x) AS sx,
           sum(y) AS sy,
           sum(x * y) AS sxy,
           sum(x * x) AS sxx
    FROM daily
    GROUP BY category
    HAVING count(*) >= 2
),
fitted AS (
    SELECT category,
           days * sxy - sx * sy AS rise,
           sy * sxx - sx * sxy AS base,
           days * sxx - sx * sx AS spread
    FROM summed
)
SELECT category,
       CAST(rise AS DOUBLE) / CAST(spread AS DOUBLE) / 100 AS slope,
       CAST(base AS DOUBLE) / CAST(spread AS DOUBLE) / 100 AS intercept
FROM fitted
WHERE rise <= 0
ORDER BY category ASC NULLS FIRST
