"""The tables item, web_page, date_dim and ads as Spark expressions."""

from __future__ import annotations

from itertools import accumulate

from pyspark.sql import DataFrame, SparkSession

from streambench.datagen import model
from streambench.datagen.make.draws import Draws
from streambench.datagen.make.edge_rows import edges_of
from streambench.datagen.make.edges import CAMPAIGNS, CATEGORIES

_CATEGORIES = (
    *("Home & Kitchen", "Books", "Electronics", "Toys & Games", "Clothing & Accessories"),
    *("Music", "Tools & Home Improvement", "Movies & TV", "Sports & Outdoors"),
)
_COLOURS = ("azure", "beige", "coral", "cream", "green", "indigo", "ivory", "khaki", "linen", "navy", "plum", "red")
_SIZES = ("N/A", "extra large", "large", "medium", "petite", "small")
_UNITS = ("Box", "Bundle", "Carton", "Case", "Dozen", "Each", "Gross", "Pallet", "Pound", "Unknown")
_WORDS = ("able", "ation", "bar", "cally", "eing", "ese", "n st", "ought", "pri", "anti")
_CLASSES, _BRANDS, _MANUFACTURERS, _MANAGERS = 15, 1_000, 1_000, 100


def item(spark: SparkSession, options: model.Options) -> DataFrame:
    """Items with the original's weights of categories 1 to 9, or all alike, and behind them those that only edges name.

    Alike, categories are dealt out in turn, so that the hot items have four of them.
    """
    draws = Draws(options.seed, "item")
    total = sum(model.CATEGORY_WEIGHTS)
    limits = [limit / total for limit in accumulate(model.CATEGORY_WEIGHTS)][:-1]
    u = draws.uniform("category", "id")
    cases = " ".join(f"WHEN {u} < {limit!r}D THEN {n}" for n, limit in enumerate(limits, 1))
    if options.profile == "even":
        cases = f"WHEN true THEN cast(1 + pmod(id, {len(model.CATEGORY_WEIGHTS)}L) AS int)"
    drawn, edges = options.sizes.items, edges_of(options).items
    for place, category in enumerate(CATEGORIES[:edges]):
        cases = f"WHEN id = {drawn + place}L THEN {'NULL' if category is None else category} {cases}"
    names = ", ".join(f"'{name}'" for name in _CATEGORIES)
    keyed = spark.range(0, drawn + edges, 1, 1).selectExpr(
        "id",
        f"CASE {cases} ELSE {len(model.CATEGORY_WEIGHTS)} END AS category",
        f"{draws.between('class', 'id', (1, _CLASSES))} AS class",
        f"{draws.between('brand', 'id', (1, _BRANDS))} AS brand",
        f"{draws.between('manufacturer', 'id', (1, _MANUFACTURERS))} AS maker",
        f"{draws.between('wholesale', 'id', model.WHOLESALE_CENTS)} AS cents",
        f"{draws.uniform('markup', 'id')} AS markup",
        f"{draws.choice('first word', 'id', _WORDS)} AS first",
        f"{draws.choice('second word', 'id', _WORDS)} AS second",
    )
    name = f"coalesce(try_element_at(array({names}), category), concat('Category ', category))"
    named = keyed.selectExpr("*", f"{name} AS category_name")
    return named.selectExpr(
        "id AS i_item_sk",
        f"{_business_key('id')} AS i_item_id",
        "'2000-01-01' AS i_rec_start_date",
        "cast(NULL AS string) AS i_rec_end_date",
        "concat(category_name, ', class ', class, ', made by manufacturer ', maker) AS i_item_desc",
        "cast(cast(cents + floor(cents * markup) AS decimal(9,0)) * 0.01BD AS decimal(7,2)) AS i_current_price",
        "cast(cast(cents AS decimal(9,0)) * 0.01BD AS decimal(7,2)) AS i_wholesale_cost",
        "brand AS i_brand_id",
        "concat('brand #', brand) AS i_brand",
        "class AS i_class_id",
        "concat('class #', class) AS i_class",
        "category AS i_category_id",
        "category_name AS i_category",
        "maker AS i_manufact_id",
        "concat('manufacturer #', maker) AS i_manufact",
        f"{draws.choice('size', 'id', _SIZES)} AS i_size",
        f"lpad({draws.below('formulation', 'id', 10**9)}, 20, '0') AS i_formulation",
        f"{draws.choice('colour', 'id', _COLOURS)} AS i_color",
        f"{draws.choice('units', 'id', _UNITS)} AS i_units",
        "'Unknown' AS i_container",
        f"{draws.between('manager', 'id', (1, _MANAGERS))} AS i_manager_id",
        "concat(first, second, id) AS i_product_name",
    )


def web_page(spark: SparkSession, options: model.Options) -> DataFrame:
    """Pages; the eight types are dealt out in turn from a random start, so that their weights are equal."""
    draws = Draws(options.seed, "web_page")
    types = ", ".join(f"'{name}'" for name in model.PAGE_TYPES)
    start = _first_type(draws)
    generated = f"{draws.uniform('generated', 'id')} < 0.3D"
    return spark.range(0, options.sizes.pages, 1, 1).selectExpr(
        "id AS wp_web_page_sk",
        f"{_business_key('id')} AS wp_web_page_id",
        "'2000-01-01' AS wp_rec_start_date",
        "cast(NULL AS string) AS wp_rec_end_date",
        f"{model.FIRST_DATE_SK}L - {draws.between('created', 'id', (100, 600))} AS wp_creation_date_sk",
        f"{model.FIRST_DATE_SK}L - {draws.below('accessed', 'id', 100)} AS wp_access_date_sk",
        f"CASE WHEN {generated} THEN 'Y' ELSE 'N' END AS wp_autogen_flag",
        f"CASE WHEN {generated} THEN {draws.below('customer', 'id', options.sizes.customers)} END AS wp_customer_sk",
        "concat('http://www.example.com/page/', id) AS wp_url",
        f"element_at(array({types}), cast(1 + pmod(id + {start}, {len(model.PAGE_TYPES)}) AS int)) AS wp_type",
        f"{draws.between('characters', 'id', (100, 8_000))} AS wp_char_count",
        f"{draws.between('links', 'id', (2, 25))} AS wp_link_count",
        f"{draws.between('images', 'id', (1, 7))} AS wp_image_count",
        f"{draws.between('advertisements', 'id', (0, 4))} AS wp_max_ad_count",
    )


def page_of_type(options: model.Options, page_type: str) -> str:
    """The first page of a type, as SQL."""
    start = _first_type(Draws(options.seed, "web_page"))
    return f"pmod({model.PAGE_TYPES.index(page_type)}L - {start}, {len(model.PAGE_TYPES)}L)"


def _first_type(draws: Draws) -> str:
    return draws.below("first type", "0L", len(model.PAGE_TYPES))


def ads(spark: SparkSession, options: model.Options) -> DataFrame:
    """Ads, campaign by campaign, and behind them those that only edges name; the same for every seed."""
    cases = "".join(
        f"WHEN id = {model.ADS + place}L THEN {'NULL' if campaign is None else f'{campaign}L'} "
        for place, campaign in enumerate(CAMPAIGNS)
    )
    return spark.range(0, model.ADS + edges_of(options).ads, 1, 1).selectExpr(
        "id AS a_ad_sk", f"CASE {cases}ELSE id div {model.ADS_PER_CAMPAIGN}L END AS a_campaign_sk"
    )


def date_dim(spark: SparkSession) -> DataFrame:
    """Every day from 1900-01-01 to the end of 2199; the same for every seed. Weekdays count from Sunday (0)."""
    months = "((year(d) - 1900) * 12 + month(d) - 1)"
    quarters = "((year(d) - 1900) * 4 + quarter(d) - 1)"
    weeks = "cast((sk + 1) div 7 + 1 AS int)"  # weeks begin on Sunday; 1900-01-01 was a Monday
    holiday = "(month(d) = 1 AND day(d) = 1 OR month(d) = 7 AND day(d) = 4 OR month(d) = 12 AND day(d) = 25)"
    after = holiday.replace("(d)", "(date_sub(d, 1))")
    first_of_month = "datediff(trunc(d, 'MM'), date'1900-01-01')"
    days = spark.range(0, model.CALENDAR_DAYS, 1, 1).selectExpr(
        "id AS sk", "date_add(date'1900-01-01', cast(id AS int)) AS d"
    )
    flags = [f"'N' AS d_current_{span}" for span in ("day", "week", "month", "quarter", "year")]
    names = "array('Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday')"
    return days.selectExpr(
        "sk AS d_date_sk",
        f"{_business_key('sk')} AS d_date_id",
        "cast(d AS string) AS d_date",
        f"{months} AS d_month_seq",
        f"{weeks} AS d_week_seq",
        f"{quarters} AS d_quarter_seq",
        "year(d) AS d_year",
        "dayofweek(d) - 1 AS d_dow",
        "month(d) AS d_moy",
        "day(d) AS d_dom",
        "quarter(d) AS d_qoy",
        "year(d) AS d_fy_year",
        f"{quarters} AS d_fy_quarter_seq",
        f"{weeks} AS d_fy_week_seq",
        f"element_at({names}, dayofweek(d)) AS d_day_name",
        "concat(year(d), 'Q', quarter(d)) AS d_quarter_name",
        f"CASE WHEN {holiday} THEN 'Y' ELSE 'N' END AS d_holiday",
        "CASE WHEN dayofweek(d) IN (1, 7) THEN 'Y' ELSE 'N' END AS d_weekend",
        f"CASE WHEN {after} THEN 'Y' ELSE 'N' END AS d_following_holiday",
        f"{first_of_month} AS d_first_dom",
        "datediff(last_day(d), date'1900-01-01') AS d_last_dom",
        "datediff(add_months(d, -12), date'1900-01-01') AS d_same_day_ly",
        "datediff(add_months(d, -3), date'1900-01-01') AS d_same_day_lq",
        *flags,
    )


def _business_key(key: str) -> str:
    """A 16-character identifier, as the tables' `_id` columns have beside the surrogate key."""
    return f"concat('AAAAAAAA', lpad(hex({key}), 8, '0'))"
