-- Q15's output sequence: a category's line over its days so far, from the second on. It comes with the category's first
-- sale of the next day, in replay order; the lines over all days come last, by category.
, summed AS (
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
