"""The tables of TPCx-BB and of the Yahoo Streaming Benchmark: columns with their Spark types, and the replay order."""

from __future__ import annotations

from dataclasses import dataclass

SECONDS_PER_DAY = 86_400


@dataclass(frozen=True)
class Table:
    """One table. `order` holds Spark SQL sort terms that state where nulls go."""

    name: str
    columns: tuple[tuple[str, str], ...]
    order: tuple[str, ...]
    date_column: str | None = None
    time_column: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, in the order of the DDL."""
        return tuple(name for name, _ in self.columns)

    @property
    def schema(self) -> str:
        """The columns as a Spark DDL string, such as `a bigint, b int`."""
        return ", ".join(f"{name} {kind}" for name, kind in self.columns)

    @property
    def order_columns(self) -> tuple[str, ...]:
        """The columns that the terms of `order` name, in that order."""
        words = (word for term in self.order for word in term.split())
        return tuple(word for word in words if word in self.names)

    @property
    def is_stream(self) -> bool:
        """Whether the table is replayed by event time (a fact table)."""
        return self.date_column is not None


def _columns(text: str) -> tuple[tuple[str, str], ...]:
    pairs = (part.split() for part in text.replace("\n", " ").split(";"))
    return tuple((name, kind) for name, kind in (pair for pair in pairs if pair))


WEB_CLICKSTREAMS = Table(
    "web_clickstreams",
    _columns(
        """wcs_click_date_sk bigint; wcs_click_time_sk bigint; wcs_sales_sk bigint;
        wcs_item_sk bigint; wcs_web_page_sk bigint; wcs_user_sk bigint"""
    ),
    order=(
        f"wcs_click_date_sk * {SECONDS_PER_DAY} + wcs_click_time_sk ASC NULLS FIRST",
        "wcs_user_sk ASC NULLS FIRST",
        "wcs_sales_sk ASC NULLS FIRST",
        "wcs_item_sk ASC NULLS FIRST",
        "wcs_web_page_sk ASC NULLS FIRST",
    ),
    date_column="wcs_click_date_sk",
    time_column="wcs_click_time_sk",
)

STORE_SALES = Table(
    "store_sales",
    _columns(
        """ss_sold_date_sk bigint; ss_sold_time_sk bigint; ss_item_sk bigint; ss_customer_sk bigint;
        ss_cdemo_sk bigint; ss_hdemo_sk bigint; ss_addr_sk bigint; ss_store_sk bigint; ss_promo_sk bigint;
        ss_ticket_number bigint; ss_quantity int; ss_wholesale_cost decimal(7,2); ss_list_price decimal(7,2);
        ss_sales_price decimal(7,2); ss_ext_discount_amt decimal(7,2); ss_ext_sales_price decimal(7,2);
        ss_ext_wholesale_cost decimal(7,2); ss_ext_list_price decimal(7,2); ss_ext_tax decimal(7,2);
        ss_coupon_amt decimal(7,2); ss_net_paid decimal(7,2); ss_net_paid_inc_tax decimal(7,2);
        ss_net_profit decimal(7,2)"""
    ),
    order=(
        f"ss_sold_date_sk * {SECONDS_PER_DAY} + ss_sold_time_sk ASC NULLS FIRST",
        "ss_ticket_number ASC NULLS FIRST",
        "ss_item_sk ASC NULLS FIRST",
    ),
    date_column="ss_sold_date_sk",
    time_column="ss_sold_time_sk",
)

ITEM = Table(
    "item",
    _columns(
        """i_item_sk bigint; i_item_id string; i_rec_start_date string; i_rec_end_date string; i_item_desc string;
        i_current_price decimal(7,2); i_wholesale_cost decimal(7,2); i_brand_id int; i_brand string;
        i_class_id int; i_class string; i_category_id int; i_category string; i_manufact_id int;
        i_manufact string; i_size string; i_formulation string; i_color string; i_units string;
        i_container string; i_manager_id int; i_product_name string"""
    ),
    order=("i_item_sk ASC NULLS FIRST",),
)

WEB_PAGE = Table(
    "web_page",
    _columns(
        """wp_web_page_sk bigint; wp_web_page_id string; wp_rec_start_date string; wp_rec_end_date string;
        wp_creation_date_sk bigint; wp_access_date_sk bigint; wp_autogen_flag string; wp_customer_sk bigint;
        wp_url string; wp_type string; wp_char_count int; wp_link_count int; wp_image_count int;
        wp_max_ad_count int"""
    ),
    order=("wp_web_page_sk ASC NULLS FIRST",),
)

DATE_DIM = Table(
    "date_dim",
    _columns(
        """d_date_sk bigint; d_date_id string; d_date string; d_month_seq int; d_week_seq int; d_quarter_seq int;
        d_year int; d_dow int; d_moy int; d_dom int; d_qoy int; d_fy_year int; d_fy_quarter_seq int;
        d_fy_week_seq int; d_day_name string; d_quarter_name string; d_holiday string; d_weekend string;
        d_following_holiday string; d_first_dom int; d_last_dom int; d_same_day_ly int; d_same_day_lq int;
        d_current_day string; d_current_week string; d_current_month string; d_current_quarter string;
        d_current_year string"""
    ),
    order=("d_date_sk ASC NULLS FIRST",),
)

AD_EVENTS = Table(
    "ad_events",
    _columns(
        """ae_date_sk bigint; ae_time_sk bigint; ae_user_sk bigint; ae_page_sk bigint; ae_ad_sk bigint;
        ae_event_type int"""
    ),
    order=(
        f"ae_date_sk * {SECONDS_PER_DAY} + ae_time_sk ASC NULLS FIRST",
        "ae_user_sk ASC NULLS FIRST",
        "ae_page_sk ASC NULLS FIRST",
        "ae_ad_sk ASC NULLS FIRST",
        "ae_event_type ASC NULLS FIRST",
    ),
    date_column="ae_date_sk",
    time_column="ae_time_sk",
)

ADS = Table("ads", _columns("a_ad_sk bigint; a_campaign_sk bigint"), order=("a_ad_sk ASC NULLS FIRST",))

TABLES: dict[str, Table] = {
    table.name: table for table in (STORE_SALES, WEB_CLICKSTREAMS, ITEM, WEB_PAGE, DATE_DIM, AD_EVENTS, ADS)
}
