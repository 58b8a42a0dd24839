"""The table store_sales as Spark expressions: tickets of 1 to 14 lines, or heavy ones, each ticket in one second."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from streambench.datagen import baskets, model
from streambench.datagen.make.draws import Draws, event_time
from streambench.datagen.make.edge_rows import as_frame, edges_of
from streambench.datagen.make.edges import KIT_STORE, Line

_TAX_RATES = (0, 9)  # percent
_DEMOGRAPHICS, _HOUSEHOLDS = 1_920_800, 7_200


def sales_order(spark: SparkSession, options: model.Options, tasks: int) -> DataFrame:
    """The columns that the replay order needs, `ticket`, whose draws the line's are, and `line`, its number therein.

    An edge's line has a number of its own, above all that are drawn. Where an edge's ticket stands in the stream, the
    numbers of all later ones are one more than their draws', so that ticket numbers ascend.
    """
    sizes = options.sizes
    draws = Draws(options.seed, "store_sales")
    edges = edges_of(options).tickets
    begins = [lines[0].second for lines in edges]
    earlier = "".join(
        f" + {begins.count(second)}L * cast(second > {second}L AS bigint)" for second in sorted(set(begins))
    )
    tickets = spark.range(0, sizes.tickets, 1, tasks).selectExpr(
        "id AS ticket",
        f"{draws.moment('id', sizes.tickets, options.days)} AS second",
        f"cast({_heavy_lines(draws) if options.heavy else draws.between('lines', 'id', model.LINES)} AS int) AS lines",
    )
    lines = (_heavy_items if options.heavy else _plain_items)(tickets, draws, sizes).selectExpr(
        *("second", f"ticket{earlier} AS ss_ticket_number", "ticket", "line", "ss_item_sk")
    )
    if edges:
        lines = lines.union(_edge_lines(spark, tickets, edges, options))
    return lines.selectExpr(*event_time("ss_sold"), "ss_ticket_number", "ticket", "line", "ss_item_sk")


def _plain_items(tickets: DataFrame, draws: Draws, sizes: model.Sizes) -> DataFrame:
    """The lines of the tickets, each with an item, which a ticket may have twice."""
    lines = tickets.selectExpr("*", "explode(sequence(1, lines)) AS line")
    return lines.selectExpr("*", f"{draws.item(_line_key(_PLAIN_NUMBERS), sizes)} AS ss_item_sk")


def _heavy_lines(draws: Draws) -> str:
    """Lines of a heavy ticket. Java's own exp, which Spark takes, has the same bits on every machine (StrictMath)."""
    drawn = f"floor({baskets.MEDIAN!r}D * exp({baskets.SIGMA!r}D * {draws.normal('basket', 'id')}))"
    return f"least({baskets.MOST}L, greatest(1L, {drawn}))"


def _heavy_items(tickets: DataFrame, draws: Draws, sizes: model.Sizes) -> DataFrame:
    """The lines of heavy tickets, each with another item: the first that differ of twice as many draws, and a few.

    More than half of the draws are of any item, so enough of them differ.
    """
    drawn = draws.item(f"(ticket * {_HEAVY_NUMBERS}L + drawn)", sizes)
    several = f"transform(sequence(1L, 2L * lines + {_SPARE_DRAWS}L), drawn -> {drawn})"
    items = f"posexplode(slice(array_distinct({several}), 1, lines)) AS (place, ss_item_sk)"
    return tickets.selectExpr("*", items).withColumn("line", expr("place + 1"))


def _edge_lines(
    spark: SparkSession, tickets: DataFrame, edges: Sequence[tuple[Line, ...]], options: model.Options
) -> DataFrame:
    """The lines of the edges' tickets; a ticket's number goes by how many drawn ones begin no later."""
    begins = sorted({lines[0].second for lines in edges})
    (counts,) = tickets.selectExpr(*(f"count_if(second <= {second}L)" for second in begins)).collect()
    before = dict(zip(begins, counts, strict=True))
    line, drawn = itertools.count(_first_edge_line(options)), options.sizes.tickets
    return as_frame(
        spark,
        (
            (one.second, before[lines[0].second] + place, drawn + place, str(next(line)), one.item)
            for place, lines in enumerate(edges)
            for one in lines
        ),
    )


_PLAIN_NUMBERS, _HEAVY_NUMBERS = 16, 4096  # what a line's number, or a draw's, is below
_SPARE_DRAWS = 30


def _line_key(numbers: int) -> str:
    return f"(ticket * {numbers}L + line)"


def _first_edge_line(options: model.Options) -> int:
    return (baskets.MOST if options.heavy else model.LINES[1]) + 1


def sales_rest(options: model.Options) -> Callable[[DataFrame], DataFrame]:
    """Fills in the other columns, row by row, from the ticket and the line.

    Money is computed in whole cents. With at most 100 pieces at no more than 200.00 each no product passes
    20,000.00, so the DDL's decimal(7,2) holds them all.
    """
    sizes = options.sizes
    draws = Draws(options.seed, "store_sales")
    ticket, line = "ticket", _line_key(_HEAVY_NUMBERS if options.heavy else _PLAIN_NUMBERS)
    first_edge_line = _first_edge_line(options)
    edges = edges_of(options)
    prices = [line.price for lines in edges.tickets for line in lines]

    def unless_edge(drawn: str, *laid: str) -> str:
        """What is drawn, but in the lines of edges what is laid: one expression for all, or one for each."""
        if not prices:
            return drawn
        chosen = laid[0] if len(laid) == 1 else f"element_at(array({', '.join(laid)}), line - {first_edge_line - 1})"
        return f"CASE WHEN line < {first_edge_line} THEN {drawn} ELSE {chosen} END"

    def price_of(drawn: str, name: str) -> str:
        return unless_edge(drawn, *(f"{getattr(price, name)}L" for price in prices))

    edge_customer = f"{sizes.customers}L + ticket - {sizes.tickets}L"  # above all that are drawn, too

    def cents(expression: str, name: str) -> str:
        return f"cast(cast({expression} AS decimal(9,0)) * 0.01BD AS decimal(7,2)) AS {name}"

    def fill(df: DataFrame) -> DataFrame:
        keyed = df.selectExpr(
            "*",
            f"{unless_edge(draws.customer(ticket, sizes), edge_customer)} AS ss_customer_sk",
            f"{draws.below('cdemo', ticket, _DEMOGRAPHICS)} AS ss_cdemo_sk",
            f"{draws.below('hdemo', ticket, _HOUSEHOLDS)} AS ss_hdemo_sk",
            f"{draws.below('address', ticket, sizes.addresses)} AS ss_addr_sk",
            f"{unless_edge(draws.below('store', ticket, sizes.stores), f'{KIT_STORE}L')} AS ss_store_sk",
            f"{draws.below('promotion', line, sizes.promotions)} AS ss_promo_sk",
            f"{price_of(draws.between('quantity', line, model.QUANTITIES), 'quantity')} AS ss_quantity",
            f"{price_of(draws.between('wholesale', line, model.WHOLESALE_CENTS), 'wholesale')} AS wholesale",
        )
        markup = f"wholesale + floor(wholesale * {draws.uniform('markup', line)})"
        listed = keyed.selectExpr("*", f"{price_of(markup, 'list')} AS list")
        discount = f"list - floor(list * {draws.uniform('discount', line)})"
        sold = listed.selectExpr("*", f"{price_of(discount, 'sales')} AS sales")
        coupon = (
            f"CASE WHEN {draws.uniform('coupon kind', line)} < {model.NO_COUPON_SHARE!r}D THEN 0L "
            f"ELSE floor(ss_quantity * sales * {draws.uniform('coupon', line)}) END"
        )
        paid = sold.selectExpr("*", f"{price_of(coupon, 'coupon')} AS coupon")
        rate = draws.between("tax", line, _TAX_RATES)
        taxed = paid.selectExpr("*", f"((ss_quantity * sales - coupon) * {rate} + 50L) div 100L AS tax")
        return taxed.selectExpr(
            *df.columns,
            *("ss_customer_sk", "ss_cdemo_sk", "ss_hdemo_sk", "ss_addr_sk", "ss_store_sk", "ss_promo_sk"),
            "ss_quantity",
            cents("wholesale", "ss_wholesale_cost"),
            cents("list", "ss_list_price"),
            cents("sales", "ss_sales_price"),
            cents("ss_quantity * (list - sales)", "ss_ext_discount_amt"),
            cents("ss_quantity * sales", "ss_ext_sales_price"),
            cents("ss_quantity * wholesale", "ss_ext_wholesale_cost"),
            cents("ss_quantity * list", "ss_ext_list_price"),
            cents("tax", "ss_ext_tax"),
            cents("coupon", "ss_coupon_amt"),
            cents("ss_quantity * sales - coupon", "ss_net_paid"),
            cents("ss_quantity * sales - coupon + tax", "ss_net_paid_inc_tax"),
            cents("ss_quantity * sales - coupon - ss_quantity * wholesale", "ss_net_profit"),
        )

    return fill
