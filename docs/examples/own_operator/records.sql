-- The readings in range that are higher than all before them of the same sensor.
WITH in_range AS (
    SELECT
        *,
        max(reading) OVER (
            PARTITION BY sensor ORDER BY stream_row ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS highest
    FROM stream
    WHERE reading BETWEEN 0 AND 900
)
SELECT sensor, reading
FROM in_range
WHERE highest IS NULL OR reading > highest
ORDER BY stream_row;
