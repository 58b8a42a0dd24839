-- YSB: the views of each campaign and window. A window comes with the campaign's first view in a later one, in replay
-- order; those that nothing closes come last, by campaign.
, closed AS (
    SELECT campaign,
           begins,
           n,
           lead(opens) OVER (PARTITION BY campaign ORDER BY begins ASC NULLS FIRST) AS closing
    FROM counted
)
SELECT CAST(begins AS BIGINT) AS begins,
       CAST(campaign AS BIGINT) AS campaign,
       CAST(n AS BIGINT) AS n
FROM closed
ORDER BY closing IS NULL, closing, campaign ASC NULLS FIRST
