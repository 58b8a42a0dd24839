-- Q1: the distinct items of each ticket, with the time and the lap of the line that brings each first, and the pairs of items
-- sold on one ticket, counted by hour. A pair belongs to the hour of the line that brings the newer of its two items.
WITH line AS (
    SELECT ss_ticket_number AS ticket,
           ss_item_sk AS item,
           min(CAST(ss_sold_date_sk AS BIGINT) * 86400 + ss_sold_time_sk) AS first_ts,
           min(stream_lap) AS lap
    FROM store_sales
    WHERE (CAST(getvariable('stores') AS BIGINT[]) IS NULL
           OR list_contains(CAST(getvariable('stores') AS BIGINT[]), CAST(ss_store_sk AS BIGINT)))
      AND (CAST(getvariable('categories') AS BIGINT[]) IS NULL
           OR ss_item_sk IN (SELECT i_item_sk FROM item
                             WHERE list_contains(CAST(getvariable('categories') AS BIGINT[]),
                                                 CAST(i_category_id AS BIGINT))))
    GROUP BY ss_ticket_number, ss_item_sk
),
counted AS (
    SELECT CASE WHEN CAST(getvariable('hourly') AS BOOLEAN)
                THEN greatest(a.first_ts, b.first_ts) // 3600
                ELSE 0 END AS hour,
           a.item AS item_a,
           b.item AS item_b,
           count(*) AS n
    FROM line AS a
    JOIN line AS b ON a.ticket = b.ticket AND a.item < b.item
    GROUP BY 1, 2, 3
)
