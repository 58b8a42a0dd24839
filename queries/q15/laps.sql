-- Q15, lap by lap (null: at end of stream): the rows that the sink is given.
-- The first sale of a category's third day brings the line over two; it counts for that day's lap, and so on.
WITH daily AS (
    SELECT i_category_id AS category, ss_sold_date_sk AS x, min(stream_lap) AS lap
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
ranked AS (
    SELECT lap, row_number() OVER (PARTITION BY category ORDER BY x ASC NULLS FIRST) AS day FROM daily
),
given AS (
    SELECT lap FROM ranked WHERE day >= 3
    UNION ALL
    SELECT NULL FROM ranked WHERE day = 2
)
SELECT CAST(lap AS BIGINT) AS lap, count(*) AS sink
FROM given
GROUP BY 1
ORDER BY 1 ASC NULLS LAST
