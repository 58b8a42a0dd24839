-- Q15: categories whose daily sales do not rise, by the least-squares line over the days that had sales.
-- The sums are exact integers (cents; 128 bits where products need them); only the two quotients are floating point.
, summed AS (
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
