"""dbt's YAML: docs of tables from models and tests, and metrics as terms with their expressions."""

from __future__ import annotations

from pathlib import Path

import pytest

from executors.base import Column, Schema, Table
from rag.docs.documents import ReadResult
from rag.docs.reading import read_documents


def table(name: str, *columns: str, namespace: str = "") -> Table:
    return Table(name=name, namespace=namespace, columns=tuple(Column(name=one, type="TEXT") for one in columns))


@pytest.fixture
def schema() -> Schema:
    tables = (
        table("orders", "order_id", "customer_id", "status", "amount", "ordered_at"),
        table("customers", "customer_id", "country"),
        table("raw.fees", "fee_id", "order_id", "fee", namespace="raw"),
        table("dim_shops", "shop_id", "city"),
    )
    return Schema(database="shop", dialect="postgresql", tables=tables, namespace="public")


def read(folder: Path, schema: Schema, **files: str) -> ReadResult:
    """Docs of a folder. Args: files: by their names, `_` in place of the last dot."""
    for name, content in files.items():
        (folder / ".".join(name.rsplit("_", 1))).write_text(content, encoding="utf-8")
    return read_documents([folder], schema)


def facts(result: ReadResult) -> list[tuple[str, str, str]]:
    return [(it.kind, ".".join(filter(None, (it.table, it.column))), it.text) for it in result.documents]


def rules(result: ReadResult) -> list[str]:
    assert result.problems == ()
    return [it.text for it in result.documents if it.kind == "rule"]


# ------------------------------------------------------------------------------------------- models and sources


@pytest.mark.parametrize("content, kind, place, text", [
    ("models: [{name: orders, description: All sales.}]", "table", "orders", "All sales."),
    ("seeds: [{name: customers, description: Who buys.}]", "table", "customers", "Who buys."),
    ("snapshots: [{name: orders, description: As it was.}]", "table", "orders", "As it was."),
    ("sources: [{name: s, tables: [{name: orders, description: Sold.}]}]", "table", "orders", "Sold."),
    ("sources: [{name: s, schema: raw, tables: [{name: fees, description: Paid.}]}]", "table", "raw.fees", "Paid."),
    ("sources: [{name: s, schema: public, tables: [{name: orders, description: Sold.}]}]", "table", "orders", "Sold."),
    ("sources: [{name: s, tables: [{name: f, identifier: fees, description: P}]}]", "table", "raw.fees", "P"),
    ("models: [{name: shops, config: {alias: dim_shops}, description: All.}]", "table", "dim_shops", "All."),
    ("models: [{name: orders, columns: [{name: amount, description: net}]}]", "column", "orders.amount", "net"),
])  # fmt: skip
def test_what_is_described(tmp_path: Path, schema: Schema, content: str, kind: str, place: str, text: str) -> None:
    result = read(tmp_path, schema, schema_yml=f"version: 2\n{content}")

    assert facts(result) == [(kind, place, text)]
    assert result.problems == ()


@pytest.mark.parametrize("tests, text", [
    ("tests: [{accepted_values: {values: [C, X, no]}}]", "allowed values: C, X, no"),
    ("data_tests: [{accepted_values: {arguments: {values: [1, 2.0]}}}]", "allowed values: 1, 2.0"),
    ("data_tests: [{name: x, test_name: accepted_values, values: [C]}]", "allowed values: C"),
    ("description: state, tests: [{accepted_values: {values: [C]}}]", "state; allowed values: C"),
    ("tests: [not_null, unique]", "never NULL; unique"),
    ("tests: [{not_null: {config: {severity: warn}}}]", "never NULL"),
    ("description: state, tests: [{unique: {config: {where: x > 1}}}]", "state"),
    ("tests: [{dbt_utils.accepted_range: {min_value: 0, max_value: 9}}]", "between 0 and 9"),
    ("tests: [{dbt_utils.accepted_range: {min_value: 0}}]", "at least 0"),
    ("constraints: [{type: not_null}, {type: primary_key}]", "never NULL; primary key"),
    ("description: state, tests: [our_own_test, {other: {a: b}}]", "state"),
])  # fmt: skip
def test_what_tests_promise_of_a_column(tmp_path: Path, schema: Schema, tests: str, text: str) -> None:
    content = f"models: [{{name: orders, columns: [{{name: status, {tests}}}]}}]"

    assert facts(read(tmp_path, schema, schema_yml=content)) == [("column", "orders.status", text)]


def test_what_tests_promise_of_a_table(tmp_path: Path, schema: Schema) -> None:
    test = "dbt_utils.unique_combination_of_columns: {combination_of_columns: [order_id, status]}"
    result = read(tmp_path, schema, schema_yml=f"models: [{{name: orders, tests: [{{{test}}}]}}]")

    assert facts(result) == [("table", "orders", "one row for each order_id, status")]


@pytest.mark.parametrize("column", [
    "tests: [{relationships: {to: ref('customers'), field: customer_id}}]",
    "data_tests: [{relationships: {arguments: {to: \"ref('p', 'customers')\", field: customer_id}}}]",
    "tests: [{relationships: {to: \"source('s', 'customers')\", field: customer_id}}]",
    "constraints: [{type: foreign_key, to: ref('customers'), to_columns: [customer_id]}]",
])  # fmt: skip
def test_a_relationship_is_a_join(tmp_path: Path, schema: Schema, column: str) -> None:
    result = read(
        tmp_path, schema, schema_yml=f"models: [{{name: orders, columns: [{{name: customer_id, {column}}}]}}]"
    )

    assert rules(result) == ["Join orders.customer_id to customers.customer_id."]


def test_a_relationship_may_name_a_model_that_another_file_describes(tmp_path: Path, schema: Schema) -> None:
    result = read(
        tmp_path,
        schema,
        a_yml="models: [{name: orders, columns: [{name: status, tests: [{relationships: "
        "{to: ref('shops'), field: shop_id}}]}]}]",
        b_yml="models: [{name: shops, alias: dim_shops}]",
    )

    assert rules(result) == ["Join orders.status to dim_shops.shop_id."]


def test_a_description_may_be_a_block_of_markdown(tmp_path: Path, schema: Schema) -> None:
    result = read(
        tmp_path,
        schema,
        a_yml="""models: [{name: orders, description: "{{ doc('sales') }}"}]""",
        b_md="{% docs sales %}\nOne row for each order.\n{% enddocs %}\n\n- Times are UTC.\n",
    )

    assert facts(result) == [("table", "orders", "One row for each order."), ("rule", "", "Times are UTC.")]


@pytest.mark.parametrize("content, problem", [
    ("models: [{name: ordres}]", "there is no table 'ordres'; the nearest is 'orders'"),
    ("sources: [{name: s, schema: raw, tables: [{name: orders}]}]", "there is no table 'raw.orders'"),
    ("models: [{name: orders, columns: [{name: amuont}]}]", "has no column 'amuont'; the nearest is 'amount'"),
    ("models: [{name: orders, columns: [{name: status, tests: [{relationships: {to: ref('custmers'), field: x}}]}]}]",
     "there is no table 'custmers'; the nearest is 'customers'"),
    ("models: [{name: orders, columns: [{name: status, tests: [{relationships:"
     " {to: ref('customers'), field: id_no}}]}]}]",
     "table 'customers' has no column 'id_no'"),
    ("models: [{name: orders, description: \"{{ doc('no') }}\"}]", "there is no docs block 'no'"),
    ("semantic_models: [{name: o, model: ref('ordrs')}]", "there is no table 'ordrs'; the nearest is 'orders'"),
    ("semantic_models: [{name: o, model: ref('orders'), measures: [{name: m, agg: sum, expr: amuont}]}]",
     "has no column 'amuont'; the nearest is 'amount'"),
    ("metrics: [{name: a, type: simple, type_params: {measure: revenu}}]",
     "the metric 'a' uses 'revenu', which is defined nowhere"),
    ("metrics: [{name: a, type: derived, type_params: {expr: a, metrics: [a]}}]",
     "the metric 'a' is defined by itself"),
])  # fmt: skip
def test_what_is_not_there_is_told_with_the_nearest(tmp_path: Path, schema: Schema, content: str, problem: str) -> None:
    result = read(tmp_path, schema, schema_yml=content)

    assert len(result.problems) == 1
    assert problem in result.problems[0]


def test_files_that_only_set_a_project_up_are_no_docs(tmp_path: Path, schema: Schema) -> None:
    result = read(
        tmp_path,
        schema,
        dbt_project_yml="models: {shop: {+materialized: table}}",
        profiles_yml="shop: {outputs: {dev: {password: hunter2}}}",
        macros_yml="version: 2\nmacros: [{name: cents, description: of euros}]",
    )

    assert result == ReadResult()


# -------------------------------------------------------------------------------- semantic models and metrics

SEMANTIC_MODELS = """
semantic_models:
  - name: orders
    description: What was sold.
    model: ref('orders')
    entities:
      - {name: order, type: primary, expr: order_id}
      - {name: customer, type: foreign, expr: customer_id}
    dimensions:
      - {name: ordered_at, type: time, description: when it came in}
      - {name: state, type: categorical, expr: status}
      - {name: size, type: categorical, expr: "case when amount > 100 then 'big' else 'small' end"}
    measures:
      - {name: revenue, agg: sum, expr: amount}
      - {name: order_count, agg: count, expr: "1"}
      - {name: buyers, agg: count_distinct, expr: customer_id, description: Who bought.}
  - name: customers
    model: ref('customers')
    entities: [{name: customer, type: primary, expr: customer_id}]
    dimensions: [{name: country, type: categorical}]
"""


def test_a_semantic_model_says_what_its_parts_are(tmp_path: Path, schema: Schema) -> None:
    result = read(tmp_path, schema, m_yml=SEMANTIC_MODELS)

    assert facts(result) == [
        ("table", "orders", "What was sold."),
        ("column", "orders.ordered_at", "when it came in"),
        ("rule", "orders", "size: case when amount > 100 then 'big' else 'small' end (of orders)"),
        ("rule", "orders", "Join orders.customer_id to customers.customer_id."),
        ("rule", "", "revenue: SUM(orders.amount)"),
        ("rule", "", "order count: COUNT(*) from orders"),
        ("rule", "", "buyers: Who bought; COUNT(DISTINCT orders.customer_id)"),
    ]


@pytest.mark.parametrize("metric, term", [
    ("{name: sales, type: simple, type_params: {measure: revenue}}", "sales: SUM(orders.amount)"),
    ("{name: sales, label: Net sales, description: No tax., type: simple, type_params: {measure: {name: revenue}}}",
     "Net sales (sales): No tax; SUM(orders.amount)"),
    ("{name: sales, type: simple, type_params: {measure: revenue}, filter: \"{{ Dimension('order__state') }} = 'C'\"}",
     "sales: SUM(orders.amount) where orders.status = 'C'"),
    ("{name: sales, type: simple, type_params: {measure: revenue}, filter:"
     " [\"{{ Dimension('customer__country') }} = 'DE'\", \"{{ TimeDimension('order__ordered_at') }} > '2024'\"]}",
     "sales: SUM(orders.amount) where customers.country = 'DE' and orders.ordered_at > '2024'"),
    ("{name: sales, type: simple, type_params: {measure: revenue}, filter: \"{{ Entity('customer') }} = 7\"}",
     "sales: SUM(orders.amount) where orders.customer_id = 7"),
    ("{name: aov, type: ratio, type_params: {numerator: revenue, denominator: order_count}}",
     "aov: (SUM(orders.amount)) / (COUNT(*) from orders)"),
    ("{name: share, type: ratio, type_params: {numerator: {name: revenue,"
     " filter: \"{{ Dimension('order__state') }} = 'C'\"}, denominator: revenue}}",
     "share: (SUM(orders.amount) where orders.status = 'C') / (SUM(orders.amount))"),
    ("{name: each, type: derived, type_params: {expr: rev / n, metrics: [{name: revenue, alias: rev},"
     " {name: buyers, alias: n}]}}", "each: (SUM(orders.amount)) / (COUNT(DISTINCT orders.customer_id))"),
    ("{name: growth, type: derived, type_params: {expr: revenue - before, metrics: [revenue, {name: revenue,"
     " alias: before, offset_window: 1 month}]}}",
     "growth: (SUM(orders.amount)) - (SUM(orders.amount), 1 month before)"),
    ("{name: running, type: cumulative, type_params: {measure: revenue, window: 7 days}}",
     "running: cumulative SUM(orders.amount) over 7 days"),
    ("{name: ytd, type: cumulative, type_params: {measure: revenue, cumulative_type_params: {grain_to_date: year}}}",
     "ytd: cumulative SUM(orders.amount), year to date"),
])  # fmt: skip
def test_a_metric_is_a_term_with_its_expression(tmp_path: Path, schema: Schema, metric: str, term: str) -> None:
    result = read(tmp_path, schema, a_yml=f"metrics: [{metric}]", m_yml=SEMANTIC_MODELS)

    assert rules(result)[2] == term, "in a file of its own, which is read before its measures"


NEW = """
models:
  - name: orders
    semantic_model: true
    agg_time_dimension: ordered_at
    columns:
      - {name: order_id, entity: {type: primary, name: order}}
      - {name: customer_id, entity: {type: foreign, name: customer}}
      - {name: status, dimension: {type: categorical, name: state}}
      - {name: ordered_at, granularity: day, dimension: {type: time}}
    derived_semantics:
      dimensions: [{name: size, type: categorical, expr: "amount > 100", label: Order size}]
    metrics:
      - {name: revenue, type: simple, agg: sum, expr: amount}
      - {name: paid, type: simple, agg: sum, expr: amount, filter: "{{ Dimension('order__state') }} = 'C'"}
      - {name: orders_made, type: simple, agg: count, expr: order_id, label: Orders}
      - {name: aov, type: ratio, numerator: revenue, denominator: orders_made}
      - {name: running, type: cumulative, input_metric: revenue, window: 7 days}
      - {name: unpaid, type: derived, expr: revenue - paid, input_metrics: [{name: revenue}, {name: paid}]}
  - name: customers
    columns: [{name: customer_id, entity: primary}, {name: country, dimension: categorical}]
metrics:
  - {name: german, type: ratio, numerator: {name: revenue, filter: "{{ Dimension('customer_id__country') }} = 'DE'"},
     denominator: revenue}
"""


def test_metrics_below_their_model_are_the_same_terms(tmp_path: Path, schema: Schema) -> None:
    assert rules(read(tmp_path, schema, schema_yml=NEW)) == [
        "Order size (size): amount > 100 (of orders)",
        "revenue: SUM(orders.amount)",
        "paid: SUM(orders.amount) where orders.status = 'C'",
        "Orders (orders made): COUNT(orders.order_id)",
        "aov: (SUM(orders.amount)) / (COUNT(orders.order_id))",
        "running: cumulative SUM(orders.amount) over 7 days",
        "unpaid: (SUM(orders.amount)) - (SUM(orders.amount) where orders.status = 'C')",
        "german: (SUM(orders.amount) where customers.country = 'DE') / (SUM(orders.amount))",
    ]


OLD = """
metrics:
  - name: revenue
    label: Revenue
    model: ref('orders')
    calculation_method: sum
    expression: amount
    timestamp: ordered_at
    filters: [{field: status, operator: '=', value: "'C'"}]
  - {name: buyers, model: ref('orders'), type: count_distinct, sql: customer_id}
  - {name: each, calculation_method: derived, expression: "{{metric('revenue')}} / {{metric('buyers')}}"}
"""


def test_the_metrics_of_the_old_package_are_too(tmp_path: Path, schema: Schema) -> None:
    assert rules(read(tmp_path, schema, metrics_yml=OLD)) == [
        "Revenue: SUM(orders.amount) where orders.status = 'C'",
        "buyers: COUNT(DISTINCT orders.customer_id)",
        "each: (SUM(orders.amount) where orders.status = 'C') / (COUNT(DISTINCT orders.customer_id))",
    ]


def test_what_depends_on_a_table_that_is_not_there_is_told_once(tmp_path: Path, schema: Schema) -> None:
    result = read(
        tmp_path,
        schema,
        m_yml="""
semantic_models: [{name: o, model: ref('fct_visits'), measures: [{name: visits, agg: count, expr: id}]}]
metrics: [{name: traffic, type: simple, type_params: {measure: visits}}]
""",
    )

    assert result.documents == ()
    assert result.problems == ("m.yml: there is no table 'fct_visits'",)


def test_metrics_that_use_each_other_end(tmp_path: Path, schema: Schema) -> None:
    metrics = (
        "{name: a, type: derived, type_params: {expr: b, metrics: [b]}}, {name: b, type: derived, "
        "type_params: {expr: a, metrics: [a]}}"
    )
    result = read(tmp_path, schema, m_yml=f"metrics: [{metrics}]")

    assert result.documents == ()
    assert [problem.split(": ")[1] for problem in result.problems] == [
        "the metric 'a' is defined by itself",
        "the metric 'b' is defined by itself",
    ]
