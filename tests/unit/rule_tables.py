"""For each rule all of its cases, those of `rule_cases` first."""

from __future__ import annotations

import doubt_counterexamples
import language_counterexamples
import repair_counterexamples
import rule_counterexamples
from rule_cases import CASES
from rule_cases_dialects import DIALECT_CASES
from rule_cases_parents import PARENT_CASES

MORE = (
    repair_counterexamples.COUNTEREXAMPLES
    | rule_counterexamples.COUNTEREXAMPLES
    | doubt_counterexamples.COUNTEREXAMPLES
    | language_counterexamples.COUNTEREXAMPLES
)
TABLES = {
    name: [*cases, *MORE.get(name, ()), *PARENT_CASES.get(name, ()), *DIALECT_CASES.get(name, ())]
    for name, cases in CASES.items()
}
