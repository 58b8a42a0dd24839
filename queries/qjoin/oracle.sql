-- QJoin: for every purchased item, the items of its category that its buyers had viewed.
, counted AS (
    SELECT purchased, viewed, count(*) AS n FROM followed GROUP BY 1, 2
),
ranked AS (
    SELECT *,
           row_number() OVER (PARTITION BY purchased ORDER BY n DESC NULLS LAST, viewed ASC NULLS FIRST) AS place
    FROM counted
)
SELECT CAST(purchased AS BIGINT) AS purchased,
       CAST(viewed AS BIGINT) AS viewed,
       CAST(n AS BIGINT) AS n
FROM ranked
WHERE place <= CAST(getvariable('top') AS BIGINT)
ORDER BY purchased ASC NULLS FIRST, n DESC NULLS LAST, viewed ASC NULLS FIRST
