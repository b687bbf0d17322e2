"""The fit of the confidence: by database, with the figures of databases that it did not see."""

from __future__ import annotations

import builtins
import random
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agent.evaluation.calibrating import (
    AT_LEAST_AGAINST,
    LEAST_QUESTIONS,
    CalibrationImpossible,
    HeldOut,
    Sample,
    bins_of,
    calibrate,
    figures_of,
    interval_of,
    predict_held_out,
    reliability_diagram,
    require_matplotlib,
    require_sklearn,
    surest_of,
    threshold_for,
)
from agent.pipeline.confidence.calibration import FEATURES

ROOT = Path(__file__).parents[2]
NONE = dict.fromkeys(FEATURES, 0.0)


def samples(n: int = 200, databases: int = 8, *, logprobs: bool = True, seed: int = 3) -> list[Sample]:
    """Answers that are right where drafts agree, nine times in ten, and the surer the more probable the query."""
    chosen = random.Random(seed)
    found: list[Sample] = []
    for at in range(n):
        agreement, logprob = float(chosen.random() < 0.6), -chosen.random()
        right = chosen.random() < (0.97 if agreement and logprob > -0.5 else 0.8 if agreement else 0.15)
        features = {
            **NONE,
            "agreement": agreement,
            "logprob_total": 9.0 * logprob,
        }
        if not logprobs:
            features = {name: it for name, it in features.items() if not name.startswith("logprob")}
        found.append(Sample(f"d{at % databases}", features, right))
    return found


def test_what_tells_right_from_wrong_is_found_and_what_never_varies_is_left_out() -> None:
    calibration, fitted = calibrate(samples(), "embedded", precision=0.9)
    full, fewer = calibration.fits
    against = AT_LEAST_AGAINST.keys()
    assert full.coefficients.keys() - against == {"agreement", "logprob_total"}
    assert fewer.coefficients.keys() - against == {"agreement"}
    assert {name: fewer.coefficients[name] for name in against} == AT_LEAST_AGAINST, "nothing told how much it counts"
    assert full.coefficients["agreement"] > 0
    assert full.figures.auroc is not None
    assert full.figures.auroc > 0.8
    assert full.figures.ece < 0.1
    assert full.threshold is not None
    assert full.figures.precision is not None
    assert full.figures.precision >= 0.9
    assert len(fitted[0].held) == 200
    assert (calibration.questions, calibration.databases) == (200, 8)


def test_the_same_samples_give_the_same_file() -> None:
    assert calibrate(samples(), "embedded", precision=0.9)[0] == calibrate(samples(), "embedded", precision=0.9)[0]


def test_where_log_probabilities_say_nothing_one_fit_serves_all_answers() -> None:
    told = [it._replace(features={**it.features, "logprob_total": -3.0}) for it in samples()]
    (fit,) = calibrate(told, "embedded", precision=0.9)[0].fits
    assert "logprob_total" not in fit.coefficients


def test_where_an_endpoint_gives_no_log_probabilities_there_is_one_fit_without_them() -> None:
    calibration, _ = calibrate(samples(logprobs=False), "hosted", precision=0.8)
    assert len(calibration.fits) == 1
    assert "logprob_total" not in calibration.fits[0].coefficients


@pytest.mark.parametrize(
    "given, told",
    [
        (samples(n=20), f"{LEAST_QUESTIONS} answered questions are needed, and there are 20"),
        (samples(databases=3), "5 databases are needed, and there are 3"),
        ([it._replace(right=True) for it in samples()], "12 wrong answers are needed, and there are 0"),
        ([it._replace(right=False) for it in samples()], "12 right answers are needed, and there are 0"),
        ([], "60 answered questions are needed, and there are 0"),
    ],
)
def test_too_little_to_fit_says_how_much_is_needed(given: list[Sample], told: str) -> None:
    with pytest.raises(CalibrationImpossible, match=told):
        calibrate(given, "embedded", precision=0.9)


def test_a_threshold_that_no_answers_reach_is_none() -> None:
    calibration, _ = calibrate(samples(), "embedded", precision=1.0, precision_without=0.7)
    full, fewer = calibration.fits
    assert full.threshold is None
    assert (full.figures.precision, full.figures.recall) == (None, 0.0)
    assert fewer.threshold is not None


@pytest.mark.parametrize("package, require", [("sklearn", require_sklearn), ("matplotlib", require_matplotlib)])
def test_a_missing_package_is_named_with_the_file_that_has_it(
    monkeypatch: pytest.MonkeyPatch, package: str, require: Callable[[], object]
) -> None:
    genuine: Callable[..., object] = builtins.__import__

    def without(name: str, *arguments: object, **more: object) -> object:
        if name.startswith(package):
            raise ImportError(name)
        return genuine(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CalibrationImpossible, match=r"pip install -r (requirements-calibrate\.txt)") as raised:
        require()
    title = {"sklearn": "scikit-learn"}.get(package, package)
    assert title in str(raised.value)
    assert f"{title}==" in (ROOT / "requirements-calibrate.txt").read_text()


def test_each_answer_gets_its_probability_from_a_fit_to_all_other_databases() -> None:
    given, names = samples(), ["agreement", "logprob_total"]
    turned = [it._replace(right=not it.right) if it.database == "d3" else it for it in given]
    for one, before, after in zip(
        given, predict_held_out(given, names, 1.0), predict_held_out(turned, names, 1.0), strict=True
    ):
        assert before.database == one.database
        assert (before.probability == after.probability) == (one.database == "d3"), "its own answers count for nothing"


def test_the_threshold_does_not_depend_on_what_databases_are_called_or_on_their_order() -> None:
    given, chosen = samples(), random.Random(1)
    names = [f"x{at}" for at in range(8)]
    chosen.shuffle(names)
    renamed = [it._replace(database=names[int(it.database[1:])]) for it in given]
    chosen.shuffle(renamed)
    before, after = (calibrate(it, "embedded", precision=0.9)[0].fits for it in (given, renamed))
    assert [it.threshold for it in after] == pytest.approx([it.threshold for it in before], abs=2e-4)
    assert [it.figures.auroc for it in after] == pytest.approx([it.figures.auroc for it in before], abs=1e-3)


def test_an_interval_is_wider_where_the_answers_of_a_database_are_alike() -> None:
    apart = [HeldOut(0.9, right=at % 4 != 0, database=f"d{at}") for at in range(200)]
    alike = [HeldOut(0.9, right=at // 20 % 4 != 0, database=f"d{at // 20}") for at in range(200)]

    def share(held: Sequence[HeldOut]) -> float:
        return sum(it.right for it in held) / len(held)

    narrow, wide = interval_of(apart, share), interval_of(alike, share)
    assert narrow is not None
    assert wide is not None
    assert narrow[0] == pytest.approx(0.69, abs=0.015), "binomial: 0.75 -+ 1.96 * 0.031"
    assert narrow[1] == pytest.approx(0.81, abs=0.015)
    assert wide[1] - wide[0] > 3 * (narrow[1] - narrow[0])
    assert interval_of(apart, lambda held: None) is None


def test_answers_of_one_database_alone_that_are_wrong_leave_nothing_to_check_on() -> None:
    given = [it._replace(right=it.database != "d3" or at // 8 % 2 == 0) for at, it in enumerate(samples(n=300))]
    with pytest.raises(CalibrationImpossible, match="2 databases with wrong answers are needed, and there are 1"):
        calibrate(given, "embedded", precision=0.9)


def test_a_threshold_takes_all_answers_of_one_probability() -> None:
    surest = [HeldOut(0.9, right=True)] * 19
    assert threshold_for([*surest, *[HeldOut(0.8, right=True)] * 5, *[HeldOut(0.8, right=False)] * 5], 0.95) is None
    found = threshold_for([*surest, *[HeldOut(0.8, right=True)] * 5, HeldOut(0.4, right=False)], 0.96)
    assert found == pytest.approx(0.4), "24 of 25 are right, and nothing is below"


def test_what_nobody_confirms_counts_for_the_calibration_and_is_never_verified() -> None:
    alone = [HeldOut(0.9, right=True, confirmed=False)] * 40
    assert threshold_for(alone, 0.5) is None
    backed = [HeldOut(0.8, right=True)] * 15 + [HeldOut(0.8, right=False)] * 5
    found = figures_of([*alone, *backed], threshold_for([*alone, *backed], 0.7))
    assert (found.precision, found.recall) == (0.75, round(15 / 55, 4))
    assert found.ece == pytest.approx((40 * 0.1 + 20 * 0.05) / 60, abs=1e-4)


def test_fewer_than_twenty_answers_say_nothing_of_a_precision() -> None:
    assert threshold_for([HeldOut(0.9, right=True)] * 19, 0.5) is None
    assert threshold_for([HeldOut(0.9, right=True)] * 20, 0.5) == pytest.approx(0.9)


def test_a_threshold_is_never_above_the_lowest_answer_that_it_was_found_for() -> None:
    held = [HeldOut(0.87776, right=True)] * 20
    found = threshold_for(held, 0.5)
    assert found == pytest.approx(0.8777)
    assert figures_of(held, found).precision == 1.0


@pytest.mark.parametrize(
    ("recall", "right", "n"),
    [
        (1 / 3, 1.0, 2.0),  # both of one probability
        (1 / 6, 0.5, 1.0),  # a half of them
        (1 / 2, 1.5, 2.5),
        (2 / 3, 2.0, 3.0),
    ],
)
def test_the_surest_answers_hold_the_share_of_right_ones(recall: float, right: float, n: float) -> None:
    held = [HeldOut(0.9, True), HeldOut(0.8, True), HeldOut(0.95, True, confirmed=False), HeldOut(0.9, False)]
    surest = surest_of(held, recall)
    assert surest is not None
    assert surest == pytest.approx((right, n))


def test_answers_that_nobody_confirms_are_not_among_the_surest() -> None:
    held = [HeldOut(0.9, True), HeldOut(0.95, True, confirmed=False)]
    assert surest_of(held, 0.5) is not None
    assert surest_of(held, 0.6) is None, "one of two right ones is confirmed"


def test_figures_of_a_perfect_and_of_a_blind_confidence() -> None:
    perfect = figures_of([HeldOut(1.0, right=True)] * 5 + [HeldOut(0.0, right=False)] * 5, 0.5)
    assert (perfect.auroc, perfect.ece, perfect.precision, perfect.recall) == (1.0, 0.0, 1.0, 1.0)
    blind = figures_of([HeldOut(0.75, right=True)] * 5 + [HeldOut(0.75, right=False)] * 5, 0.5)
    assert (blind.auroc, blind.ece, blind.precision, blind.recall) == (0.5, 0.25, 0.5, 1.0)
    one_sided = figures_of([HeldOut(0.75, right=True)] * 4, None)
    assert (one_sided.auroc, one_sided.ece, one_sided.precision, one_sided.recall) == (None, 0.25, None, 0.0)


def test_the_diagram_shows_a_point_for_each_step_that_has_answers() -> None:
    held = [HeldOut(0.95, right=True)] * 9 + [
        HeldOut(0.95, right=False),
        HeldOut(0.15, right=False),
        HeldOut(1.0, right=True),
    ]
    assert [(it.n, round(it.right, 2)) for it in bins_of(held)] == [(1, 0.0), (11, 0.91)]
    tree = ET.fromstring(reliability_diagram(held, 0.9))
    points = tree.findall(".//{*}g[@id='bins']//{*}use")
    assert len(points) == 2
    assert float(points[0].attrib["x"]) < float(points[1].attrib["x"])
    assert float(points[0].attrib["y"]) > float(points[1].attrib["y"])
    assert "verified from here" in {text.strip() for text in tree.itertext()}
    assert "verified from here" not in reliability_diagram(held, None)


def test_an_objection_never_makes_an_answer_surer() -> None:
    """By chance all answers with an objection are right here; that is no reason to trust such ones more."""
    doubted = [it._replace(features={**it.features, "objections": float(it.right)}) for it in samples()]
    calibration, _ = calibrate(doubted, "embedded", precision=0.9)
    assert all("objections" not in fit.coefficients for fit in calibration.fits)
