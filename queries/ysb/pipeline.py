"""YSB: views per campaign and window (AE → SL → SL → PS)."""

from __future__ import annotations

from typing import Any

from streambench.queries.ysb.operators import CampaignViews, KeepViews, LookUpCampaign

from streambench.queries.query import Inputs, Parameters, Query, emitted_answer
from streambench.queries.ysb import parameters as rules


def columns(parameters: Parameters) -> tuple[str, ...]:
    return ("ts", "ae_ad_sk", "ae_event_type")


def operators(parameters: Parameters, inputs: Inputs) -> list[Any]:
    campaigns = inputs.campaigns()
    views = CampaignViews()
    views.high_key = max(1, int(campaigns.max(initial=0)) + 1)
    return [KeepViews(parameters["window"]), LookUpCampaign(campaigns), views]


QUERY = Query.of(
    rules,
    title="views per campaign",
    columns=columns,
    operators=operators,
    answer=emitted_answer,
)
