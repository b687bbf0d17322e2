"""dbt's semantic models and metrics, from all files together, as joins and as terms with their expressions.

Three formats are read: `semantic_models:` with measures and metrics with `type_params`; metrics below a model, whose
columns are its entities and dimensions; and metrics of the old `dbt_metrics` package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from rag.docs.names import letters, nearest

if TYPE_CHECKING:
    from rag.docs.collector import DocsCollector

Node = dict[str, Any]

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_REFERENCE = re.compile(
    r"(?:ref|source)\((?:[^()]*,)?\s*['\"](?P<name>[^'\"]+)['\"]\s*(?:,\s*v(?:ersion)?\s*=\s*\d+)?\)"
)
_JINJA = re.compile(
    r"\{\{\s*(?P<kind>Dimension|TimeDimension|Entity|Metric|metric)\(\s*['\"](?P<name>[^'\"]+)['\"][^}]*\}\}"
)
_AGGREGATES = {
    "sum": "SUM({})",
    "average": "AVG({})",
    "avg": "AVG({})",
    "count": "COUNT({})",
    "count_distinct": "COUNT(DISTINCT {})",
    "min": "MIN({})",
    "max": "MAX({})",
    "median": "MEDIAN({})",
    "sum_boolean": "COUNT(CASE WHEN {} THEN 1 END)",
    "percentile": "PERCENTILE({})",
}
_DEEP = 8  # most levels of metrics that use metrics


def nodes(content: Any) -> Iterator[Node]:
    """The mappings in a list. In a mapping by name, each gets its key as its name."""
    if isinstance(content, dict):
        content = [{"name": name, **(node if isinstance(node, dict) else {})} for name, node in content.items()]
    if isinstance(content, list):
        yield from (node for node in content if isinstance(node, dict))


def texts(content: Any) -> list[str]:
    """A text, or a list of texts, as a list."""
    listed = content if isinstance(content, list) else [content]
    return [str(one) for one in listed if one is not None and not isinstance(one, (dict, list))]


class _Model(NamedTuple):
    """A semantic model: its table and its parts by name. Expressions are SQL over that table."""

    source: str
    table: str
    entities: dict[str, tuple[str, str]]
    dimensions: dict[str, str]


class _Measure(NamedTuple):
    source: str
    node: Node
    table: str


class DbtProject:
    """The combined content of a project's YAML files. `finish` passes it to the collector once all are read."""

    def __init__(self, collector: DocsCollector) -> None:
        self._to = collector
        self._relations: dict[str, str] = {}
        self._lost: set[str] = set()  # models without a table, and measures and metrics that need one
        self._joins: list[tuple[str, str, str, str, str]] = []
        self._models: list[_Model] = []
        self._measures: dict[str, _Measure] = {}
        self._metrics: dict[str, _Measure] = {}

    def add_relation(self, name: str, table: str | None) -> None:
        """Add a model or source with its real table, which may have another name."""
        if table is not None:
            self._relations[name] = table
        else:
            self._lost.add(name)

    def add_join(self, source: str, table: str, column: str, to: str, field: str) -> None:
        """Add a column that refers to another table. Args: to: such as `ref('customers')`."""
        self._joins.append((source, table, column, to, field))

    def add_metric(self, source: str, metric: Node, table: str = "") -> None:
        """Add a metric. Args: table: of the model that contains it."""
        if metric.get("name"):
            self._metrics[str(metric["name"])] = _Measure(source, metric, table)

    def add_semantic_model(self, source: str, model: Node) -> None:
        """Add an entry of `semantic_models:`."""
        table = self._table(source, str(model.get("model") or model.get("name") or ""))
        measures = {str(measure.get("name")): measure for measure in nodes(model.get("measures"))}
        if table is None:
            self._lost |= measures.keys()
            return
        known = _Model(source, table, *_parts_of(model))
        if model.get("primary_entity"):
            known.entities.setdefault(str(model["primary_entity"]), ("primary", ""))
        self._models.append(known)
        self._measures |= {name: _Measure(source, node, table) for name, node in measures.items()}
        self._to.add_table(source, table, _text(model))
        for dimension in nodes(model.get("dimensions")):
            self._dimension(source, table, dimension)

    def add_model(self, source: str, model: Node, table: str) -> None:
        """Add an entry of `models:`. Its columns may be entities and dimensions, and it may have metrics."""
        derived = model.get("derived_semantics")
        more: Node = derived if isinstance(derived, dict) else {}
        entities, dimensions = _parts_of(more)
        for column in nodes(model.get("columns")):
            name, entity, dimension = _name(column), column.get("entity"), column.get("dimension")
            if entity:
                node = entity if isinstance(entity, dict) else {"type": entity}
                entities[str(node.get("name") or name)] = (str(node.get("type")), name)
            if dimension:
                dimensions[str(dimension.get("name") or name) if isinstance(dimension, dict) else name] = name
        if model.get("primary_entity"):
            entities.setdefault(str(model["primary_entity"]), ("primary", ""))
        if entities or dimensions:
            self._models.append(_Model(source, table, entities, dimensions))
        for dimension in nodes(more.get("dimensions")):
            self._dimension(source, table, dimension)
        for metric in nodes(model.get("metrics")):
            self.add_metric(source, metric, table)

    def finish(self) -> None:
        """Pass joins, measures and metrics to the collector."""
        for source, table, column, to, field in self._joins:
            other = self._table(source, to)
            if other is not None:
                self._join(source, table, column, other, field)
        for model in self._models:
            self._entity_joins(model)
        defined: set[str] = set()
        for name, (source, metric, _) in self._metrics.items():
            text = self._metric(name, ())
            if text:
                defined.add(text)
                self._to.add_rule(source, _term(metric, text))
        for source, measure, table in self._measures.values():
            text = self._measure(source, measure, table)
            if text not in defined:
                self._to.add_rule(source, _term(measure, text))
        self._joins, self._models, self._measures, self._metrics = [], [], {}, {}

    def _table(self, source: str, reference: str) -> str | None:
        """The table of `ref('orders')`, `source('shop', 'orders')` or a name. None, with a problem, if unknown."""
        match = _REFERENCE.search(reference)
        name = match["name"] if match else reference
        if name in self._lost:
            return None  # already reported
        return self._relations.get(name) or self._to.table(source, name)

    def _join(self, source: str, table: str, column: str, other: str, field: str) -> None:
        own, far = self._to.column(source, table, column), self._to.column(source, other, field)
        if own is not None and far is not None:
            self._to.add_rule(source, f"Join {table}.{own} to {other}.{far}.", table=table)

    def _entity_joins(self, model: _Model) -> None:
        """Join each foreign entity to the model whose primary entity has the same name."""
        for name, (kind, column) in model.entities.items():
            for other in self._models:
                far, key = other.entities.get(name, ("", ""))
                is_key = kind == "foreign" and far in {"primary", "unique"} and other is not model
                if is_key and _IDENTIFIER.fullmatch(column) and _IDENTIFIER.fullmatch(key):
                    self._join(model.source, model.table, column, other.table, key)

    def _dimension(self, source: str, table: str, dimension: Node) -> None:
        """Add a dimension's description: to its column, or as a term if it is an expression."""
        expression, text = _expression(dimension), _text(dimension)
        if _IDENTIFIER.fullmatch(expression):
            self._to.add_column(source, table, expression, text)
        elif expression:
            self._to.add_rule(source, _term(dimension, f"{expression} (of {table})"), table=table)

    def _column(self, source: str, table: str, expression: str) -> str:
        """An expression over a table. A column gets its real name and its table as a prefix."""
        if not table or not _IDENTIFIER.fullmatch(expression):
            return " ".join(expression.split())
        real = self._to.column(source, table, expression)
        return f"{table}.{real}" if real is not None else expression

    def _measure(self, source: str, node: Node, table: str) -> str:
        """The aggregate expression of a measure, or of a simple metric without a measure."""
        inner = self._column(source, table, _expression(node))
        shape = _AGGREGATES.get(str(node.get("agg") or node.get("calculation_method")).lower(), "{}")
        text = "COUNT(*)" if inner in {"1", "*"} else shape.format(inner)
        return text if f"{table}." in text or not table else f"{text} from {table}"

    def _metric(self, name: str, within: tuple[str, ...]) -> str:
        """The expression of a metric. Empty, with a problem recorded, if it uses something undefined."""
        source, metric, table = self._metrics[name]
        within = (*within, name)
        given = metric.get("type_params")
        parts = {**metric, **(given if isinstance(given, dict) else {})}
        for key in ("cumulative_type_params", "conversion_type_params", "metric_aggregation_params"):
            parts |= parts[key] if isinstance(parts.get(key), dict) else {}
        if metric.get("model") and not table:
            table = self._table(source, str(metric["model"])) or ""
            if not table:
                return ""
        text = self._shape(source, parts, table, within)
        return self._filter(source, text, metric.get("filter", metric.get("filters")), table, within)

    def _shape(self, source: str, parts: Node, table: str, within: tuple[str, ...]) -> str:
        """The expression for the metric's type, before its own filter."""

        def use(reference: Any) -> str:
            return self._resolve_reference(source, reference, within)

        kind = str(parts.get("type") or parts.get("calculation_method") or "").lower()
        if kind == "ratio":
            upper, lower = use(parts.get("numerator")), use(parts.get("denominator"))
            return f"({upper}) / ({lower})" if upper and lower else ""
        if kind in {"derived", "expression"}:
            return self._derive(source, parts, within)
        if kind == "cumulative":
            inner = use(parts.get("input_metric") or parts.get("measure"))
            over, grain = parts.get("window"), parts.get("grain_to_date")
            span = f" over {_format_window(over)}" if over else f", {grain} to date" if grain else ""
            return f"cumulative {inner}{span}" if inner else ""
        if kind == "conversion":
            base = use(parts.get("base_metric") or parts.get("base_measure"))
            reached = use(parts.get("conversion_metric") or parts.get("conversion_measure"))
            return f"({reached}) / ({base}), by {parts.get('entity')}" if base and reached else ""
        if parts.get("measure"):
            return use(parts["measure"])
        if kind in _AGGREGATES:
            parts = {**parts, "agg": kind}
        return self._measure(source, parts, table) if _expression(parts) else ""

    def _derive(self, source: str, parts: Node, within: tuple[str, ...]) -> str:
        """An expression in which other metrics are replaced by their own expressions."""
        expression = str(parts.get("expr") or parts.get("expression") or parts.get("sql") or "")
        if _JINJA.search(expression):
            return _JINJA.sub(lambda match: f"({self._resolve_reference(source, match['name'], within)})", expression)
        inputs = parts.get("input_metrics") or parts.get("metrics") or []
        known: dict[str, str] = {}
        for one in inputs if isinstance(inputs, list) else []:
            node = one if isinstance(one, dict) else {"name": one}
            text = self._resolve_reference(source, node, within)
            if not text:
                return ""
            shift = node.get("offset_window") or node.get("offset_to_grain")
            known[str(node.get("alias") or node.get("name"))] = (
                f"{text}, {_format_window(shift)} before" if shift else text
            )
        return re.sub(
            r"[^\W\d]\w*", lambda match: f"({known[match[0]]})" if match[0] in known else match[0], expression
        )

    def _resolve_reference(self, source: str, reference: Any, within: tuple[str, ...]) -> str:
        """The expression of a metric or measure that another metric uses."""
        node = reference if isinstance(reference, dict) else {"name": reference}
        name = str(node.get("name") or "")
        if name in self._metrics and name not in within and len(within) < _DEEP:
            text = self._metric(name, within)
        elif name in self._measures:
            text = self._measure(*self._measures[name])
        else:
            if name in within:
                self._to.problem(source, f"the metric {name!r} is defined by itself")
            elif name not in self._lost:
                hint = nearest(name, [*self._metrics, *self._measures])
                near = f"; the nearest is {hint!r}" if hint and hint not in within else ""
                self._to.problem(source, f"the metric {within[-1]!r} uses {name!r}, which is defined nowhere{near}")
            return ""
        return self._filter(source, text, node.get("filter"), "", within)

    def _filter(self, source: str, text: str, given: Any, table: str, within: tuple[str, ...]) -> str:
        conditions = [
            " ".join(_JINJA.sub(lambda match: self._dimension_of(source, match, within), one).split())
            for one in texts(given)
        ]
        for one in nodes(given):  # from the old package
            field = self._column(source, table, str(one.get("field")))
            conditions.append(f"{field} {one.get('operator')} {one.get('value')}")
        conditions = list(filter(None, conditions))
        return f"{text} where {' and '.join(conditions)}" if text and conditions else text

    def _dimension_of(self, source: str, match: re.Match[str], within: tuple[str, ...]) -> str:
        *path, name = match["name"].split("__")
        if match["kind"] in {"Metric", "metric"}:
            return f"({self._resolve_reference(source, name, within)})"
        entity = path[-1] if path else ""
        for model in sorted(
            self._models, key=lambda it: it.entities.get(entity, ("", ""))[0] not in {"primary", "unique"}
        ):
            text = (
                model.entities.get(name, ("", ""))[1] if match["kind"] == "Entity" else model.dimensions.get(name, "")
            )
            if text:
                return self._column(model.source, model.table, text)
        return name


def _name(node: Node) -> str:
    return str(node.get("name") or "")


def _parts_of(node: Node) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """The entities and the dimensions of a model; see `_Model`."""
    entities = {_name(it): (str(it.get("type")), _expression(it)) for it in nodes(node.get("entities"))}
    return entities, {_name(it): _expression(it) for it in nodes(node.get("dimensions"))}


def _expression(node: Node) -> str:
    """The SQL of a measure, dimension or entity. Without any, its name."""
    return str(node.get("expr") or node.get("expression") or node.get("sql") or node.get("name") or "")


def _text(node: Node) -> str:
    return node["description"] if isinstance(node.get("description"), str) else ""


def _format_window(text: Any) -> str:
    """A window as text: `7 days`, also from `{count: 7, period: day}`."""
    return f"{text.get('count')} {text.get('period')}" if isinstance(text, dict) else str(text)


def _term(node: Node, text: str) -> str:
    """A glossary entry: the label, with the name if it differs, then description and expression."""
    name, label = _name(node).replace("_", " "), str(node.get("label") or "")
    term = f"{label} ({name})" if label and letters(label) != letters(name) else label or name
    return f"{term}: {'; '.join(filter(None, (_text(node).strip().rstrip('.'), text)))}"
