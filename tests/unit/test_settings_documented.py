"""Every setting is in docs/reference.md and in the sample of the Functions app's settings, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.platform.config.settings import PREFIX, Settings
from agent.platform.config.settings_table import Variable, markdown_table, variables

ROOT = Path(__file__).parents[2]
SAMPLE = json.loads((ROOT / "local.settings.sample.json").read_text(encoding="utf-8"))
OF_THE_HOST = {
    "FUNCTIONS_WORKER_RUNTIME": "python",
    "PYTHON_ENABLE_INIT_INDEXING": "1",  # without it, Python up to 3.12 answers only when all is said
    "AzureWebJobsStorage": "UseDevelopmentStorage=true",
}


def test_every_field_is_a_variable_with_a_description() -> None:
    found = variables()
    assert [variable.names[0] for variable in found] == [PREFIX + name.upper() for name in Settings.model_fields]
    assert [variable.names[0] for variable in found if not variable.description] == []


@pytest.mark.parametrize("variable", variables(), ids=[variable.names[0] for variable in variables()])
def test_every_setting_is_in_the_sample_once_and_empty(variable: Variable) -> None:
    given = [name for name in variable.names if name in SAMPLE["Values"]]
    assert len(given) == 1, f"{variable.names[0]} belongs into local.settings.sample.json"
    assert SAMPLE["Values"][given[0]] == "", "an empty value is the default"


def test_the_sample_has_nothing_else() -> None:
    known = {name for variable in variables() for name in variable.names}
    assert {key: value for key, value in SAMPLE["Values"].items() if key not in known} == OF_THE_HOST
    assert SAMPLE["IsEncrypted"] is False


def test_the_sample_changes_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in variables():
        for name in variable.names:
            monkeypatch.delenv(name, raising=False)
    bare = Settings()
    for name, value in SAMPLE["Values"].items():
        monkeypatch.setenv(name, value)
    assert Settings() == bare


def test_the_reference_has_the_table_as_the_class_has_it() -> None:
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert markdown_table() in reference, "put the output of `python -m agent.api.reference` into docs/reference.md"


def test_the_readme_is_a_page() -> None:
    assert (ROOT / "README.md").stat().st_size <= 10_000
