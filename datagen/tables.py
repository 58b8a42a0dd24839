"""The tables of TPCx-BB and of the Yahoo Streaming Benchmark: columns with their Spark types, and the replay order."""

from __future__ import annotations

from dataclasses import dataclass

SECONDS_PER_DAY = 86_400


@dataclass(frozen=True)
class Table:
    """One table. `order_columns`: its rows ascend by these, nulls first; a stream's, which is replayed by event time,
    begin with the day and the second of the day."""

    name: str
    columns: tuple[tuple[str, str], ...]
    order_columns: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, in the order of the DDL."""
        return tuple(name for name, _ in self.columns)

    @property
    def is_stream(self) -> bool:
        """Whether the table is replayed by event time (a fact table)."""
        return len(self.order_columns) > 1

    @property
    def time_columns(self) -> tuple[str, ...]:
        """A stream's day and second of the day; none of another table."""
        return self.order_columns[:2] if self.is_stream else ()

    @property
    def second(self) -> str:
        """A stream's event time in seconds since 1900-01-01, as SQL."""
        day, second = self.time_columns
        return f"{day} * {SECONDS_PER_DAY} + {second}"


def _table(name: str, columns: str, order: str) -> Table:
    kinds = (part.split() for part in columns.split(";"))
    return Table(name, tuple((column, kind) for column, kind in kinds), tuple(order.split()))


TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        _table(
            "store_sales",
            """ss_sold_date_sk bigint; ss_sold_time_sk bigint; ss_item_sk bigint; ss_customer_sk bigint;
            ss_cdemo_sk bigint; ss_hdemo_sk bigint; ss_addr_sk bigint; ss_store_sk bigint; ss_promo_sk bigint;
            ss_ticket_number bigint; ss_quantity int; ss_wholesale_cost decimal(7,2); ss_list_price decimal(7,2);
            ss_sales_price decimal(7,2); ss_ext_discount_amt decimal(7,2); ss_ext_sales_price decimal(7,2);
            ss_ext_wholesale_cost decimal(7,2); ss_ext_list_price decimal(7,2); ss_ext_tax decimal(7,2);
            ss_coupon_amt decimal(7,2); ss_net_paid decimal(7,2); ss_net_paid_inc_tax decimal(7,2);
            ss_net_profit decimal(7,2)""",
            "ss_sold_date_sk ss_sold_time_sk ss_ticket_number ss_item_sk",
        ),
        _table(
            "web_clickstreams",
            """wcs_click_date_sk bigint; wcs_click_time_sk bigint; wcs_sales_sk bigint;
            wcs_item_sk bigint; wcs_web_page_sk bigint; wcs_user_sk bigint""",
            "wcs_click_date_sk wcs_click_time_sk wcs_user_sk wcs_sales_sk wcs_item_sk wcs_web_page_sk",
        ),
        _table(
            "item",
            """i_item_sk bigint; i_item_id string; i_rec_start_date string; i_rec_end_date string; i_item_desc string;
            i_current_price decimal(7,2); i_wholesale_cost decimal(7,2); i_brand_id int; i_brand string;
            i_class_id int; i_class string; i_category_id int; i_category string; i_manufact_id int;
            i_manufact string; i_size string; i_formulation string; i_color string; i_units string;
            i_container string; i_manager_id int; i_product_name string""",
            "i_item_sk",
        ),
        _table(
            "web_page",
            """wp_web_page_sk bigint; wp_web_page_id string; wp_rec_start_date string; wp_rec_end_date string;
            wp_creation_date_sk bigint; wp_access_date_sk bigint; wp_autogen_flag string; wp_customer_sk bigint;
            wp_url string; wp_type string; wp_char_count int; wp_link_count int; wp_image_count int;
            wp_max_ad_count int""",
            "wp_web_page_sk",
        ),
        _table(
            "date_dim",
            """d_date_sk bigint; d_date_id string; d_date string; d_month_seq int; d_week_seq int; d_quarter_seq int;
            d_year int; d_dow int; d_moy int; d_dom int; d_qoy int; d_fy_year int; d_fy_quarter_seq int;
            d_fy_week_seq int; d_day_name string; d_quarter_name string; d_holiday string; d_weekend string;
            d_following_holiday string; d_first_dom int; d_last_dom int; d_same_day_ly int; d_same_day_lq int;
            d_current_day string; d_current_week string; d_current_month string; d_current_quarter string;
            d_current_year string""",
            "d_date_sk",
        ),
        _table(
            "ad_events",
            """ae_date_sk bigint; ae_time_sk bigint; ae_user_sk bigint; ae_page_sk bigint; ae_ad_sk bigint;
            ae_event_type int""",
            "ae_date_sk ae_time_sk ae_user_sk ae_page_sk ae_ad_sk ae_event_type",
        ),
        _table("ads", "a_ad_sk bigint; a_campaign_sk bigint", "a_ad_sk"),
    )
}
