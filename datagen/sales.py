"""The table store_sales as Spark expressions: tickets of 1 to 14 lines, each ticket in one second."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession

from streambench.datagen import model
from streambench.datagen.draws import Draws

_TAX_RATES = (0, 9)  # percent
_DEMOGRAPHICS, _HOUSEHOLDS = 1_920_800, 7_200


def sales_order(spark: SparkSession, options: model.Options, tasks: int) -> DataFrame:
    """The columns that the replay order needs, and `line`, the line's number within its ticket."""
    sizes = options.sizes
    draws = Draws(options.seed, "store_sales")
    tickets = spark.range(0, sizes.tickets, 1, tasks).selectExpr(
        "id AS ss_ticket_number",
        f"{draws.moment('id', sizes.tickets, options.days)} AS second",
        f"cast({draws.between('lines', 'id', model.LINES)} AS int) AS lines",
    )
    lines = tickets.selectExpr("*", "explode(sequence(1, lines)) AS line")
    return lines.selectExpr(
        f"{model.FIRST_DATE_SK}L + second div 86400L AS ss_sold_date_sk",
        "pmod(second, 86400L) AS ss_sold_time_sk",
        "ss_ticket_number",
        "line",
        f"{draws.item(_LINE_KEY, sizes)} AS ss_item_sk",
    )


_LINE_KEY = "(ss_ticket_number * 16L + line)"


def sales_rest(options: model.Options) -> Callable[[DataFrame], DataFrame]:
    """Fills in the other columns, row by row, from the ticket and the line.

    Money is computed in whole cents. With at most 100 pieces at no more than 200.00 each no product passes
    20,000.00, so the DDL's decimal(7,2) holds them all.
    """
    sizes = options.sizes
    draws = Draws(options.seed, "store_sales")
    ticket, line = "ss_ticket_number", _LINE_KEY

    def cents(expression: str, name: str) -> str:
        return f"cast(cast({expression} AS decimal(9,0)) * 0.01BD AS decimal(7,2)) AS {name}"

    def fill(df: DataFrame) -> DataFrame:
        keyed = df.selectExpr(
            "*",
            f"{draws.customer(ticket, sizes)} AS ss_customer_sk",
            f"{draws.below('cdemo', ticket, _DEMOGRAPHICS)} AS ss_cdemo_sk",
            f"{draws.below('hdemo', ticket, _HOUSEHOLDS)} AS ss_hdemo_sk",
            f"{draws.below('address', ticket, sizes.addresses)} AS ss_addr_sk",
            f"{draws.below('store', ticket, sizes.stores)} AS ss_store_sk",
            f"{draws.below('promotion', line, sizes.promotions)} AS ss_promo_sk",
            f"{draws.between('quantity', line, model.QUANTITIES)} AS ss_quantity",
            f"{draws.between('wholesale', line, model.WHOLESALE_CENTS)} AS wholesale",
        )
        listed = keyed.selectExpr("*", f"wholesale + floor(wholesale * {draws.uniform('markup', line)}) AS list")
        sold = listed.selectExpr("*", f"list - floor(list * {draws.uniform('discount', line)}) AS sales")
        paid = sold.selectExpr(
            "*",
            f"CASE WHEN {draws.uniform('coupon kind', line)} < {model.NO_COUPON_SHARE!r}D THEN 0L "
            f"ELSE floor(ss_quantity * sales * {draws.uniform('coupon', line)}) END AS coupon",
        )
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
