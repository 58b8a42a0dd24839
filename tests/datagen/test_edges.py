"""Generated data hold rows at the edges, so that SQL with one operator changed gives another answer."""

from __future__ import annotations

import importlib
import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from test_check_detects import rewrite, with_new_hashes

from streambench.datagen import check, generate, model
from streambench.datagen.make.edge_rows import edges_of
from streambench.datagen.spark import session
from streambench.errors import DataError
from streambench.lab import run
from streambench.lab.answers import sql
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.loader import load

Made = dict[str, Path]

DATA = {
    "session": {"profile": "session"},
    "pdgf": {"profile": "pdgf"},
    "heavy": {"profile": "heavy"},
    "even": {"profile": "even"},
    "a day": {"days": 1},
    "400 days": {"days": 400},
    "no edges": {"edges": False},
}
TIED = "item_a ASC NULLS FIRST, item_b ASC NULLS FIRST"
GAP = "> CAST(getvariable('gap') AS BIGINT)"
WINDOW = ">= purchase.ts - CAST(getvariable('window') AS BIGINT)"
DEPTH = "getvariable('depth') AS BIGINT) + 1"

# Query, parameter set, what its SQL says, and what it must not say.
MUTANTS = [
    ("q1", "paper", "greatest(a.first_ts", "least(a.first_ts"),
    ("q1", "paper", "b.first_ts) // 3600", "b.first_ts - 1) // 3600"),
    ("q1", "paper", "min(CAST(ss_sold", "max(CAST(ss_sold"),
    ("q1", "paper", "GROUP BY ss_ticket_number, ss_item_sk", "GROUP BY ss_ticket_number, ss_item_sk, ss_sold_time_sk"),
    ("q1", "paper", "GROUP BY ss_ticket_number, ss_item_sk", "GROUP BY ss_ticket_number, ss_item_sk, ss_promo_sk"),
    ("q1", "paper", "a.item < b.item", "a.item <= b.item"),
    ("q1", "paper", f"{TIED}) AS place", "item_b ASC, item_a ASC) AS place"),
    ("q1", "paper", f"{TIED}) AS place", "item_a DESC, item_b ASC) AS place"),
    ("q1", "paper", "place <=", "place <"),
    ("q1", "kit", "> CAST(getvariable('min_count')", ">= CAST(getvariable('min_count')"),
    ("q2", "paper", GAP, GAP.replace(">", ">=")),
    ("q2", "kit", GAP, GAP.replace(">", ">=")),
    ("q2", "paper", GAP, f"{GAP} + 1"),
    ("q2", "kit", GAP, f"{GAP} + 1"),
    ("q2", "paper", "PARTITION BY wcs_user_sk", "PARTITION BY wcs_user_sk, wcs_click_date_sk"),
    ("q2", "paper", " AND wcs_item_sk IS NOT NULL", ""),
    ("q2", "paper", "a.item < b.item", "a.item <= b.item"),
    ("q2", "paper", "SELECT DISTINCT user_sk", "SELECT user_sk"),
    ("q2", "paper", f"ORDER BY n DESC NULLS LAST, {TIED}", "ORDER BY n DESC, item_a DESC, item_b DESC"),
    ("q3", "paper", WINDOW, WINDOW.replace(">=", ">")),
    ("q3", "kit", WINDOW, WINDOW.replace(">=", ">")),
    ("q3", "paper", WINDOW, f"{WINDOW} - 1"),
    ("q3", "kit", WINDOW, f"{WINDOW} - 1"),
    ("q3", "paper", DEPTH, "getvariable('depth') AS BIGINT)"),
    ("q3", "kit", DEPTH, "getvariable('depth') AS BIGINT)"),
    ("q3", "paper", DEPTH, f"{DEPTH} + 1"),
    ("q3", "kit", DEPTH, f"{DEPTH} + 1"),
    ("q3", "paper", "wcs_sales_sk ASC NULLS FIRST,", ""),
    ("q3", "paper", "wcs_sales_sk ASC NULLS FIRST,", "wcs_sales_sk DESC NULLS FIRST,"),
    ("q3", "paper", "wcs_item_sk ASC NULLS FIRST,", "wcs_item_sk DESC NULLS FIRST,"),
    ("q3", "paper", " AND wcs_item_sk IS NOT NULL", ""),
    ("q3", "paper", "viewed ASC NULLS FIRST) AS place", "viewed DESC) AS place"),
    ("q3", "paper", "place <= CAST", "place < CAST"),
    ("qjoin", "paper", WINDOW, WINDOW.replace(">=", ">")),
    ("qjoin", "kit", WINDOW, WINDOW.replace(">=", ">")),
    ("qjoin", "paper", WINDOW, f"{WINDOW} - 1"),
    ("qjoin", "kit", WINDOW, f"{WINDOW} - 1"),
    ("q4", "paper", GAP, GAP.replace(">", ">=")),
    ("q4", "paper", GAP, f"{GAP} + 1"),
    ("q4", "paper", "= 'dynamic'), -1) >", "= 'dynamic'), -1) >="),
    ("q4", "paper", "= 'dynamic'), -1) >", "= 'dynamic'), -1) - 1 >"),
    ("q4", "paper", "SELECT count(*) AS pages", "SELECT count(*) + 1 AS pages"),
    ("q4", "paper", "JOIN web_page", "LEFT JOIN web_page"),
    ("q4", "paper", " AND wcs_sales_sk IS NULL", ""),
    (
        "q4",
        "paper",
        "PARTITION BY user_sk ORDER BY ts ASC NULLS FIRST)",
        "PARTITION BY user_sk, ts // 86400 ORDER BY ts)",
    ),
    ("q15", "paper", "rise <= 0", "rise < 0"),
    ("q15", "kit", "rise <= 0", "rise < 0"),
    ("q15", "paper", "count(*) >= 2", "count(*) >= 1"),
    ("q15", "paper", "count(*) >= 2", "count(*) > 2"),
    ("q15", "paper", "WHERE i_category_id IS NOT NULL", "WHERE true"),
    ("q15", "paper", "round(ss_net_paid, 2)", "greatest(ss_net_paid, 0)"),
    ("q15", "kit", ">= CAST(getvariable('first_date') AS BIGINT)", "> CAST(getvariable('first_date') AS BIGINT)"),
    ("q15", "kit", ">= CAST(getvariable('first_date') AS BIGINT)", ">= CAST(getvariable('first_date') AS BIGINT) - 1"),
    ("ysb", "paper", "ts - ts %", "ts + 1 - (ts + 1) %"),
    ("ysb", "paper", "ts - ts %", "ts - 1 - (ts - 1) %"),
    ("ysb", "paper", "ae_event_type = 0", "coalesce(ae_event_type, 0) = 0"),
    ("ysb", "paper", "ae_event_type = 0", "ae_event_type <= 1"),
    ("ysb", "paper", " AND a_campaign_sk IS NOT NULL", ""),
    ("ysb", "paper", "count(*) AS n", "count(DISTINCT place) AS n"),
    ("ysb", "paper", "coalesce(ae_user_sk, -1)", "coalesce(ae_user_sk, 1000000000)"),
    ("ysb", "paper", "'user': coalesce(ae_user_sk, -1),", ""),
    ("ysb", "paper", "'page': coalesce(ae_page_sk, -1),", ""),
    ("ysb", "paper", "            'ad': ae_ad_sk", "            'ad': 0"),
    ("ysb", "paper", "closing IS NULL, closing, campaign", "closing IS NULL, closing, campaign DESC, campaign"),
]
# The kit's last date is a year later.
OF_400_DAYS = [
    ("q15", "kit", "<= CAST(getvariable('last_date') AS BIGINT)", "< CAST(getvariable('last_date') AS BIGINT)"),
    ("q15", "kit", "<= CAST(getvariable('last_date') AS BIGINT)", "<= CAST(getvariable('last_date') AS BIGINT) + 1"),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Scale factor 0.001, otherwise the default options but for one. Read only."""
    root = tmp_path_factory.mktemp("edges")
    session("local[2]")  # stays for the modules to come
    for name, options in DATA.items():
        generate(root / name, scale_factor=0.001, master="local[2]", **options)  # type: ignore[arg-type]
    return {name: root / name for name in DATA}


def answer(data: Path, query: str, parameter_set: str, mutate: Callable[[str], str] = str) -> list[tuple[object, ...]]:
    rules = importlib.import_module(f"streambench.queries.{query}.parameters")
    text = str(sql.text(query, "oracle"))
    catalog = Catalog.open(data)
    tables = [catalog.table(name) for name in (rules.TABLE, *rules.DIMENSIONS[parameter_set])]
    with sql.opened(catalog, query, tables, rules.PARAMETERS[parameter_set], laps=1) as db:
        return db.execute(mutate(text)).fetchall()


def is_noticed(data: Path, query: str, parameter_set: str, old: str, new: str) -> bool:
    def mutate(text: str) -> str:
        assert text.count(old) >= 1, f"{query} does not say {old}"
        return text.replace(old, new)

    return answer(data, query, parameter_set) != answer(data, query, parameter_set, mutate)


@pytest.mark.parametrize("profile", model.PROFILES)
@pytest.mark.parametrize(("query", "parameter_set", "old", "new"), MUTANTS)
def test_a_changed_operator_gives_another_answer(
    made: Made, profile: str, query: str, parameter_set: str, old: str, new: str
) -> None:
    assert is_noticed(made[profile], query, parameter_set, old, new)


@pytest.mark.parametrize(("query", "parameter_set", "old", "new"), OF_400_DAYS)
def test_a_changed_last_date_gives_another_answer(
    made: Made, query: str, parameter_set: str, old: str, new: str
) -> None:
    assert is_noticed(made["400 days"], query, parameter_set, old, new)


def test_without_edges_most_changed_operators_go_unnoticed(made: Made) -> None:
    unnoticed = [mutant for mutant in MUTANTS if not is_noticed(made["no edges"], *mutant)]
    assert len(unnoticed) > len(MUTANTS) / 2
    assert ("q2", "paper", GAP, GAP.replace(">", ">=")) in unnoticed
    assert ("q3", "paper", WINDOW, WINDOW.replace(">=", ">")) in unnoticed
    assert ("q15", "paper", "rise <= 0", "rise < 0") in unnoticed


@pytest.mark.parametrize("name", DATA)
def test_the_check_finds_every_edge_that_fits(made: Made, name: str) -> None:
    report = check(made[name])
    assert report.ok, report.failed
    laid = json.loads((made[name] / "manifest.json").read_text())["parameters"]["edges"]
    found = {one.name.removeprefix("edge: ") for one in report.findings if one.name.startswith("edge: ")}
    assert found == set(laid)
    assert len(laid) > 20 or name == "no edges"
    assert bool(laid) == (name != "no edges")


def test_data_without_ad_events_run_what_they_can(made: Made, tmp_path: Path) -> None:
    out = Path(shutil.copytree(made["session"], tmp_path / "old"))
    described = json.loads((out / "manifest.json").read_text())
    for name in ("ad_events", "ads"):
        del described["tables"][name]
        shutil.rmtree(out / name)
    (out / "manifest.json").write_text(json.dumps(described))
    assert run("q4", out).answer_ok
    with pytest.raises(DataError, match=r"^\S+ lacks ad_events, .*: generate it again, .* --overwrite\.$"):
        run("ysb", out)


@pytest.mark.parametrize("name", sorted(set(DATA) - {"no edges"}))
def test_ticket_numbers_ascend_along_the_stream(made: Made, name: str) -> None:
    stream = load(Catalog.open(made[name]), "store_sales", ("ts", "ss_ticket_number"))
    assert stream.facts["tickets_ascend"]
    ts, tickets = (column.tolist() for column in stream.columns)
    both = {
        ticket
        for (a, ticket), (b, next_ticket) in itertools.pairwise(zip(ts, tickets, strict=True))
        if ticket == next_ticket and a // 3600 != b // 3600
    }
    assert len(both) == 2


def test_the_drawn_rows_are_the_same_with_and_without_edges(made: Made) -> None:
    """But for the ticket numbers, which leave room for the edges' own."""
    customers = model.sizes(0.001).customers
    clicks, bare_clicks, sales, bare_sales = (
        pq.read_table(made[name] / table)
        for table in ("web_clickstreams", "store_sales")
        for name in ("session", "no edges")
    )
    drawn = pc.fill_null(pc.less(clicks["wcs_user_sk"], customers), True)
    drawn = pc.and_(drawn, pc.not_equal(pc.fill_null(clicks["wcs_user_sk"], -1), 0))
    assert clicks.filter(drawn).equals(bare_clicks)
    drawn_sales = sales.filter(pc.less(sales["ss_customer_sk"], customers))
    assert drawn_sales.drop(["ss_ticket_number"]).equals(bare_sales.drop(["ss_ticket_number"]))
    events, bare_events = (pq.read_table(made[name] / "ad_events") for name in ("session", "no edges"))
    assert events.filter(pc.fill_null(pc.less(events["ae_ad_sk"], model.ADS), False)).equals(bare_events)


def test_the_check_fails_where_an_edge_is_missing(tmp_path: Path) -> None:
    """Each edge's rows are taken out in turn; rows that another edge has as well leave that one's."""
    out = tmp_path / "data"
    generate(out, scale_factor=0.001, master="local[2]")
    first_user = model.sizes(0.001).customers
    file = out / "web_clickstreams" / "part-00000.parquet"
    rewrite(file, lambda table: table.filter(pc.fill_null(pc.less(table["wcs_user_sk"], first_user), True)))
    file = out / "store_sales" / "part-00000.parquet"
    rewrite(file, lambda table: table.filter(pc.less(table["ss_customer_sk"], first_user)))
    file = out / "ad_events" / "part-00000.parquet"
    rewrite(file, lambda table: table.filter(pc.fill_null(pc.less(table["ae_ad_sk"], model.ADS), False)))
    with_new_hashes(out)
    failed = {finding.name for finding in check(out).failed}
    everywhere = "user 0, item 0 and page 0 in the stream's first second"
    assert {f"edge: {edge.name}" for edge in edges_of(model.Options(scale_factor=0.001)).edges} - failed == {
        f"edge: {everywhere}"
    }
