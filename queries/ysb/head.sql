-- YSB: the views of each campaign in each window that had any, with the place in replay order of the first one.
WITH view AS (
    SELECT CAST(a_campaign_sk AS BIGINT) AS campaign,
           CAST(ae_date_sk AS BIGINT) * 86400 + ae_time_sk AS ts,
           {'ts': CAST(ae_date_sk AS BIGINT) * 86400 + ae_time_sk,
            'user': coalesce(ae_user_sk, -1),
            'page': coalesce(ae_page_sk, -1),
            'ad': ae_ad_sk} AS place,
           stream_lap
    FROM ad_events
    JOIN ads ON ae_ad_sk = a_ad_sk
    WHERE ae_event_type = 0 AND a_campaign_sk IS NOT NULL
),
counted AS (
    SELECT campaign,
           ts - ts % CAST(getvariable('window') AS BIGINT) AS begins,
           count(*) AS n,
           min(place) AS opens,
           min(stream_lap) AS lap
    FROM view
    GROUP BY 1, 2
)
