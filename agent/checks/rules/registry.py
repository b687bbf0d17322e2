"""All rules, in the order in which they run; `eval --without` takes any of these ids."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module

from agent.checks.rules.base import Action, Rule

RULES = (
    # repairs of queries that cannot run
    "lost_joins",
    "text_of_values",
    "parts_of_dates",
    "foreign_functions",
    "keyed_groups",
    "aggregates_in_where",
    # alternatives to queries that run
    "stored_values",
    "case_variants",
    "not_in_nulls",
    "nulls_first",
    "cut_division",
    "numbers_as_text",
    "never_true",
    "day_ends",
    "times_as_text",
    "missing_partner",
    "captured_column",
    "date_arithmetic",
    # doubts, from schema and data
    "fan_out",
    "merged_names",
    "case_groups",
    "ungrouped_columns",
    "share_part",
    "counted_nothing",
    "undone_join",
    "unrelated_keys",
    "contradicted_code",
    "guessed_code",
    "dropped_nulls",
    "merged_months",
    "like_case",
    "share_of_itself",
    "same_twice",
    "unlabelled_numbers",
    "repeated_records",
    "averaged_text",
    "negative_days",
    # doubts, from the words of the question
    "loose_or",
    "said_numbers",
    "period_as_day",
    "said_values",
    "unsaid_values",
    "unread_kind",
    "unread_join",
    "asked_of_each",
    "compared_sides",
    "unasked_count",
    "counted_rows",
    "repeated_rows",
    "fixed_output",
)


def rules(action: Action, without: Collection[str] = ()) -> tuple[Rule, ...]:
    """The rules with one action, except those with these ids."""
    found: list[Rule] = [import_module(f"agent.checks.rules.{name}").RULE for name in RULES if name not in without]
    return tuple(rule for rule in found if rule.action == action)
