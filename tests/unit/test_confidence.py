"""How sure an answer is: the numbers that its evidence has, and the sum that is made of them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from agent.core.errors import ConfigurationInvalid
from agent.core.models import Candidate, CandidateSource, Check, Doubt, RuleEvidence
from agent.pipeline.confidence.calibration import (
    FEATURES,
    FOLDER,
    VERSION,
    Calibration,
    Figures,
    Fit,
    Sureness,
    calibration_of,
    features_of,
    is_confirmed,
    load,
    of_profile,
    sigmoid,
)
from agent.pipeline.steps.consensus import Evidence, evidence_of
from agent.platform.config.profiles import PROFILES
from executors.base import JsonValue, QueryResult


def candidate(n: int, value: JsonValue, source: CandidateSource = "draft", **more: Any) -> Candidate:
    result = QueryResult(columns=("n",), rows=((value,),))
    return Candidate(sql=f"SELECT {value} -- {n}", draft=n, source=source, result=result, **more)


def voted(*values: JsonValue, judge: bool | None = None, checks: tuple[Check, ...] = (), **more: Any) -> Evidence:
    """The evidence of drafts that gave these values, the first one chosen."""
    first, *others = [candidate(n, value) for n, value in enumerate(values)]
    first = first.model_copy(update=more)
    return evidence_of([first, *others], first, checks, judge, len(values))


@pytest.mark.parametrize(
    "evidence, agreement",
    [
        (voted(1, 1), 1.0),
        (voted(1, 2), 0.0),
        (voted(1, 2, 1, 1), 2 / 3),
        (voted(0, 0), 0.0),
        (voted(1), 0.0),
        (voted(1, judge=True), 1.0),
        (voted(1, judge=False), 0.0),
        (voted(1, 1, judge=False), 0.5),
    ],
    ids=[
        "two of two",
        "one of two",
        "three of four",
        "two that found nothing",
        "nobody asked",
        "judge yes",
        "judge no",
        "drafts yes, judge no",
    ],
)
def test_agreement_is_the_share_of_others_that_confirm(evidence: Evidence, agreement: float) -> None:
    assert features_of(evidence)["agreement"] == pytest.approx(agreement)


def test_a_repaired_query_does_not_confirm_itself() -> None:
    repaired = candidate(0, 1, "repaired")
    alone = features_of(evidence_of([repaired, candidate(1, 2)], repaired, (), None, 2))
    backed = features_of(evidence_of([repaired, candidate(1, 1)], repaired, (), None, 2))
    assert alone["agreement"] == 0.0
    assert backed["agreement"] == 1.0


def test_a_repaired_draft_adds_to_the_agreement_but_confirms_no_answer() -> None:
    written, repaired, other = candidate(0, 1), candidate(1, 1, "repaired"), candidate(2, 1)
    rule_alone = evidence_of([written, repaired], written, (), None, 2)
    beside = evidence_of([written, repaired, other], written, (), None, 3)
    assert [features_of(it)["agreement"] for it in (rule_alone, beside)] == [1.0, 1.0]
    assert [is_confirmed(it) for it in (rule_alone, beside)] == [False, True]
    assert is_confirmed(evidence_of([written, repaired], written, (), True, 2)), "by the judge"
    both = evidence_of([candidate(0, 1, "repaired"), repaired], candidate(0, 1, "repaired"), (), None, 2)
    assert not is_confirmed(both), "a rule would confirm itself"


def test_a_draft_that_could_not_run_counts_among_those_that_do_not_confirm() -> None:
    failed = candidate(2, 1).model_copy(update={"result": None, "error": "There is no column n."})
    found = [candidate(0, 1), candidate(1, 1), failed]
    assert features_of(evidence_of(found, found[0], (), None, 3))["agreement"] == 0.5


def test_an_alternative_has_the_voices_of_the_query_that_it_was_derived_from() -> None:
    base, other, made = candidate(0, 1), candidate(1, 1), candidate(0, 3, "alternative")
    assert features_of(evidence_of([base, other, made], made, (), None, 2))["agreement"] == 1.0


def test_doubts_and_failed_checks_are_objections() -> None:
    doubts = tuple(Doubt(rule=it, evidence="data", detail="") for it in ("fan_out", "missing_data"))
    checks = (
        Check(name="has_rows", passed=False),
        Check(name="second_draft", passed=False),
        Check(name="judge", passed=False),
        Check(name="top", passed=None),
    )
    assert features_of(voted(1, 1, doubts=doubts))["objections"] == 1.0, "right answers lack words of the question, too"
    assert features_of(voted(1, 1, checks=checks))["objections"] == 1.0, "who votes is no check here"
    accepted = (Check(name="has_rows", passed=None, detail="The drafts agree on it."),)
    assert features_of(voted(1, 1, checks=accepted))["objections"] == 1.0, "no rows are no evidence"
    assert features_of(voted(1, judge=True, checks=accepted))["objections"] == 0.0, "but where the judge accepts them"
    form = (Doubt(rule="unasked_count", evidence="language", detail=""),)
    assert features_of(voted(1, 1, doubts=form))["objections"] == 1.0
    assert features_of(voted(1, judge=True, doubts=form))["objections"] == 0.0, "the judge has seen the doubt"
    assert features_of(voted(1, judge=True, doubts=doubts))["objections"] == 1.0, "but it does not overrule keys"
    assert features_of(voted(1, 1, doubts=doubts[:1] * 3, checks=checks))["objections"] == 3.0, "at most"


def test_log_probabilities_are_left_out_where_nobody_gave_them() -> None:
    assert "logprob_total" not in features_of(voted(1, 1))
    given = features_of(voted(1, 1, sql="SELECT a FROM t WHERE b = 1", logprob_mean=-0.5))
    assert given["logprob_total"] == -3.5, "seven words"
    assert given.keys() == FEATURES.keys()
    assert features_of(voted(1, 1, logprob_mean=-30.0))["logprob_total"] == -5.0


@pytest.mark.parametrize("profile", ["embedded", "embedded_second", "hosted"])
@pytest.mark.parametrize("mean", [None, -0.01], ids=["without", "with logprobs"])
def test_missing_data_lowers_the_confidence(profile: str, mean: float | None) -> None:
    def sureness(*evidence: RuleEvidence) -> Sureness:
        doubts = tuple(Doubt(rule="missing_data", evidence=it, detail="") for it in evidence)
        evidence_given = voted(1, 1, doubts=doubts, sql="SELECT a FROM t", logprob_mean=mean)
        return of_profile(profile).of(evidence_given)

    plain, elsewhere, unexplained = sureness(), sureness("language"), sureness("schema")
    assert plain.sure
    assert elsewhere.sure, "its words may be there under a translated name"
    assert not unexplained.sure
    assert plain.confidence > elsewhere.confidence > unexplained.confidence
    assert sureness("language", "schema", "schema") == unexplained, "once"


# -- the fitted file ------------------------------------------------------------------------------------------------

NOTHING = Figures(auroc=None, ece=0.0, precision=None, recall=0.0)
WITH = Fit(
    intercept=0.0, coefficients={"agreement": 2.0, "logprob_total": 1.0}, wanted=0.95, threshold=0.8, figures=NOTHING
)
WITHOUT = Fit(intercept=-1.0, coefficients={"agreement": 2.0}, wanted=0.95, threshold=0.8, figures=NOTHING)


def calibration(*fits: Fit) -> Calibration:
    return Calibration(version=VERSION, profile="embedded", questions=60, databases=5, right=0.5, fits=fits)


def test_confidence_is_the_logistic_of_a_sum() -> None:
    fit = WITH.model_copy(update={"intercept": 2.5})
    sure = calibration(fit, WITHOUT).of(voted(1, 1, sql="SELECT n FROM t", logprob_mean=-0.75))
    assert (sure.confidence, sure.sure) == (round(1 / (1 + math.exp(-1.5)), 3), True)


def test_without_log_probabilities_the_fit_that_needs_none_is_used() -> None:
    sure = calibration(WITH, WITHOUT).of(voted(1, 1))
    assert (sure.confidence, sure.sure) == (round(1 / (1 + math.exp(-1.0)), 3), False)


def test_where_no_fit_has_what_it_needs_nothing_is_sure() -> None:
    sure = calibration(WITH).of(voted(1, 1))
    assert (sure.confidence, sure.sure) == (0.0, False)


def test_without_a_threshold_nothing_is_verified() -> None:
    fit = WITHOUT.model_copy(update={"threshold": None, "intercept": 9.0})
    sure = calibration(fit).of(voted(1, 1))
    assert (sure.confidence, sure.sure) == (1.0, False)


def test_what_nobody_has_confirmed_is_not_verified_however_probable() -> None:
    fit = WITHOUT.model_copy(update={"intercept": 9.0})
    alone, backed = calibration(fit).of(voted(1, 2)), calibration(fit).of(voted(1, 1))
    assert (alone.confidence, alone.sure, backed.sure) == (1.0, False, True)


@pytest.mark.parametrize("x", [-1000.0, -1.0, 0.0, 1.0, 1000.0])
def test_the_logistic_function_has_no_overflow(x: float) -> None:
    assert 0.0 <= sigmoid(x) <= 1.0
    assert sigmoid(x) + sigmoid(-x) == pytest.approx(1.0)


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_has_one_and_two_drafts_that_agree_are_surer_than_two_that_do_not(name: str) -> None:
    found = calibration_of(None, name)
    assert found.of(voted(1, 1)).confidence > found.of(voted(1, 2)).confidence
    assert not found.of(voted(1, 2)).sure
    assert not found.of(voted(1)).sure, "nobody has confirmed it"


@pytest.mark.parametrize("name", PROFILES)
def test_doubts_failed_checks_and_repairs_make_nobody_surer(name: str) -> None:
    found = calibration_of(None, name)
    given: dict[str, Any] = {"logprob_mean": -0.05}
    unknown: dict[str, Any] = {}
    doubt = (Doubt(rule="r", evidence="data", detail=""),)
    failed = (Check(name="has_rows", passed=False),)
    for known in (unknown, given):
        plain = found.of(voted(1, 1, **known)).confidence
        assert found.of(voted(1, 1, doubts=doubt, **known)).confidence <= plain
        assert found.of(voted(1, 1, checks=failed, **known)).confidence <= plain
        repaired = [candidate(0, 1, "repaired", **known), candidate(1, 1)]
        assert found.of(evidence_of(repaired, repaired[0], (), None, 2)).confidence <= plain


def test_a_less_probable_query_is_less_sure() -> None:
    found = calibration_of(None, "embedded")
    sql = "SELECT n FROM t WHERE a = 1 AND b = 2"
    likely = voted(1, 1, sql=sql, logprob_mean=-0.02)
    unlikely = voted(1, 1, sql=sql, logprob_mean=-0.5)
    assert found.of(likely).confidence > found.of(unlikely).confidence


def test_the_files_of_the_package_say_what_they_were_fitted_to() -> None:
    for path in FOLDER.glob("*.json"):
        found = load(path)
        assert found.questions >= 60
        assert found.note
        assert all(fit.threshold is None or fit.figures.precision is not None for fit in found.fits)


@pytest.mark.parametrize(
    "change, told",
    [
        ({"version": 99}, f"it is of version 99, and this release reads version {VERSION}"),
        ({"fits": []}, "fits"),
        ({"right": 3}, "right"),
        ({"fits": [{**WITHOUT.model_dump(), "coefficients": {"luck": 1.0}}]}, "there is no feature luck"),
        ({"fits": [{**WITHOUT.model_dump(), "intercept": "much"}]}, "intercept"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path: Path, change: dict[str, object], told: str) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({**calibration(WITHOUT).model_dump(), **change}))
    with pytest.raises(ConfigurationInvalid, match=told) as error:
        calibration_of(path, "embedded")
    assert "own.json" in str(error.value)
    assert "Run `python -m agent calibrate` again" in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "\u0000"])
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "own.json"
    path.write_text(text)
    with pytest.raises(ConfigurationInvalid, match=r"own\.json is not a calibration"):
        load(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationInvalid, match=r"PLUMBLINE_CALIBRATION: own\.json cannot be read"):
        load(tmp_path / "own.json")


def test_a_file_of_ones_own_is_used(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(calibration(WITHOUT).model_dump_json())
    assert calibration_of(path, "embedded") == calibration(WITHOUT)
