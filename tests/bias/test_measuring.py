"""Planted bias is told by sign and interval; a judge without it is not accused."""

from __future__ import annotations

import random

import numpy as np
import pytest
import statsmodels.api as sm
from sklearn.metrics import recall_score
from statsmodels.stats import inter_rater

from judgekit.bias import (
    family_preference,
    layout,
    panel_agreement,
    position,
    scale_use,
    stability,
    verbosity,
)
from judgekit.bias.measuring import measured
from judgekit.bias.observation import Observation, Seat
from judgekit.judges.rubric import Kind
from tests.bias.observing import coin, named, pair, passes, scores, seat, seen

PAIRS, PASSES, SCORES = (seat(kind) for kind in (Kind.PAIRWISE, Kind.PASS_FAIL, Kind.SCORE))


def test_a_judge_that_always_takes_the_first_is_told() -> None:
    seen_ = [o for n in range(30) for o in pair(n, "A", "A")]
    seen_ += [o for n in range(20) for o in pair(n, "A", "A", variant="same-answer")]
    rows = measured(seen_, [PAIRS])
    assert named(rows, position.CONSISTENCY).estimate == 0
    first = named(rows, position.FIRST)
    assert (first.estimate, first.finding) == (1, "bias")
    assert first.says.startswith("BIAS: prefers what is shown first")
    assert first.interval is not None
    assert first.interval.low > 0.9
    assert named(rows, position.SAME).finding == "bias"
    assert "none of 30" in named(rows, verbosity.LONGER_WINS).why_not


def test_a_judge_that_takes_the_last_has_the_other_sign() -> None:
    rows = measured([o for n in range(30) for o in pair(n, "B", "B")], [PAIRS])
    last = named(rows, position.FIRST)
    assert last.estimate == 0
    assert last.says.startswith("BIAS: prefers what is shown last")


def test_a_consistent_judge_has_no_position_bias_and_a_narrow_interval() -> None:
    rows = measured([o for n in range(100) for o in pair(n, *"AB" if n % 3 else "BA")], [PAIRS])
    first = named(rows, position.FIRST)
    assert (first.estimate, first.p_value, first.finding) == (0.5, 1, "none")
    assert first.interval is not None
    assert 0.48 < first.interval.low < 0.5 < first.interval.high < 0.52
    consistency = named(rows, position.CONSISTENCY)
    assert consistency.interval == pytest.approx((0.963007, 1), abs=1e-6)


def test_an_order_that_makes_a_win_of_a_tie_counts_for_the_first_place() -> None:
    rows = measured([o for n in range(20) for o in pair(n, "A", "TIE")], [PAIRS])
    assert named(rows, position.FIRST).estimate == 0.75
    assert named(rows, position.CONSISTENCY).estimate == 0


def test_the_longer_one_winning_is_an_association_and_not_an_accusation() -> None:
    seen_ = [
        o
        for n in range(40)
        for o in pair(n, *("AB" if n % 2 else "BA"), length=200 if n % 2 else 50)
    ]
    rows = measured(seen_, [PAIRS])
    longer = named(rows, verbosity.LONGER_WINS)
    assert (longer.estimate, longer.finding) == (1, "goes")
    assert longer.says == "the longer answer wins more often"
    assert "no bound" in named(rows, verbosity.WIN_ODDS).why_not


def test_the_odds_by_length_are_statsmodels() -> None:
    rng = random.Random(3)
    lengths = [2 ** rng.uniform(4, 9) for _ in range(80)]
    passed = [rng.random() < (0.3 if length < 90 else 0.7) for length in lengths]
    seen_ = [
        passes(n, p, length=round(x)) for n, (p, x) in enumerate(zip(passed, lengths, strict=True))
    ]
    row = named(measured(seen_, [PASSES]), verbosity.PASS_ODDS)
    x = sm.add_constant(np.log2([round(length) for length in lengths]))
    fit = sm.Logit(np.array(passed, float), x).fit(disp=0)
    assert row.estimate == pytest.approx(fit.params[1], abs=1e-6)
    assert row.interval == pytest.approx(tuple(fit.conf_int()[1]), abs=1e-6)
    assert row.p_value == pytest.approx(fit.pvalues[1], abs=1e-6)


def test_length_that_only_stands_for_quality_goes_once_peoples_verdict_is_held_equal() -> None:
    rng = random.Random(5)
    seen_ = []
    for n in range(200):
        good = rng.random() < 0.5
        length = round(rng.gauss(400 if good else 200, 60))
        verdict = good if rng.random() < 0.85 else not good
        seen_.append(passes(n, verdict, length=max(20, length), human=good))
    held = named(measured(seen_, [PASSES]), verbosity.PASS_ODDS)
    blind = named(
        measured([passes(o.case, o.passed, length=o.length) for o in seen_], [PASSES]),
        verbosity.PASS_ODDS,
    )
    assert (blind.finding, held.finding) == ("goes", "none")
    assert "held equal" in held.note


@pytest.mark.parametrize(("lift", "sign"), [(0.3, 1), (-0.3, -1)])
def test_padding_that_moves_scores_is_told_with_its_sign(lift: float, sign: int) -> None:
    rng = random.Random(7)
    base = [rng.uniform(0.35, 0.65) for _ in range(25)]
    seen_ = [scores(n, value) for n, value in enumerate(base)]
    seen_ += [
        scores(n, value + lift + rng.uniform(-0.05, 0.05), variant="padded")
        for n, value in enumerate(base)
    ]
    row = named(measured(seen_, [SCORES]), verbosity.PADDING)
    assert row.estimate == pytest.approx(lift, abs=0.03)
    assert row.finding == "bias"
    assert row.interval is not None
    assert sign * row.interval.low > 0
    assert sign * row.interval.high > 0


def test_padding_that_moves_nothing_keeps_an_interval_and_says_what_005_takes() -> None:
    seen_ = [scores(n, 0.5) for n in range(20)]
    seen_ += [scores(n, 0.5, variant="padded") for n in range(20)]
    row = named(measured(seen_, [SCORES]), verbosity.PADDING)
    assert (row.estimate, row.finding) == (0, "none")
    assert row.interval == pytest.approx((-0.12598, 0.12598), abs=1e-4)
    assert row.needed is not None
    assert row.needed > 20


def test_a_judge_that_prefers_markdown_is_told_on_the_probe_and_in_its_recordings() -> None:
    seen_ = [passes(n, n % 2 == 0, marked=n % 2 == 0) for n in range(40)]
    seen_ += [passes(n, False, variant="plain") for n in range(0, 40, 2)]
    seen_ += [passes(n, True, variant="list") for n in range(40)]
    rows = measured(seen_, [PASSES])
    assert named(rows, layout.MARKED).finding == "goes"
    assert named(rows, layout.MARKED).estimate == 1
    as_list = named(rows, layout.AS_LIST)
    assert (as_list.estimate, as_list.n, as_list.finding) == (1, 40, "bias")
    assert named(rows, layout.IN_BOLD).finding == "unknown"
    assert "--kind format" in named(rows, layout.IN_BOLD).says


def test_a_judge_without_bias_is_accused_in_no_more_than_one_report_in_twenty() -> None:
    accused = 0
    for seed in range(100):
        toss, found = coin(seed), list[Observation]()
        rng = random.Random(seed)
        for n in range(24):
            length = rng.randrange(50, 500)
            found += pair(n, *("AB" if toss() else "BA"), length=length, marked=toss())
            found += pair(n, "A" if toss() else "B", "A", variant="same-answer")
            for scorer, make in (("p", passes), ("q", scores)):
                for variant in ("", "padded", "plain", "list", "bold"):
                    value = toss() if scorer == "p" else rng.random()
                    found.append(
                        make(n, value, scorer=scorer, variant=variant, length=length)  # type: ignore[operator]
                    )
        seats = [PAIRS, seat(Kind.PASS_FAIL, "p"), seat(Kind.SCORE, "q")]
        accused += any(row.finding in ("bias", "goes") for row in measured(found, seats))
    assert accused <= 10


def test_compressed_scores_and_ties_are_counted() -> None:
    values = [0.8] * 15 + [0.2] * 5
    rows = measured([scores(n, value) for n, value in enumerate(values)], [SCORES])
    assert named(rows, scale_use.COMPRESSION).estimate == 0.75
    ties = named(rows, scale_use.TIES)
    assert ties.estimate == pytest.approx((15 * 14 + 5 * 4) / (20 * 19))
    assert ties.interval is not None
    assert 0 < ties.interval.low < 0.6 < ties.interval.high < 1


def test_the_interval_of_tied_pairs_covers_the_truth_and_never_vanishes() -> None:
    rng, hits = random.Random(1), 0
    for _ in range(400):
        drawn = [rng.choice([0.2, 0.4, 0.4, 0.8]) for _ in range(60)]
        low, high = scale_use.tied_pairs(drawn)[1]
        hits += low <= 0.375 <= high
    assert hits >= 360
    for same in ([0.5] * 20, list(range(20)), [1, 1, 2, 2]):
        low, high = scale_use.tied_pairs(list(map(float, same)))[1]
        assert low < high


def test_edits_and_samples_that_turn_verdicts_are_counted_by_case() -> None:
    found = [passes(n, True) for n in range(10)]
    found += [passes(n, n > 0, variant="closing") for n in range(10)]
    found += [passes(n, n > 1, variant="rewrapped") for n in range(10)]
    found += [passes(n, n > 2 or k == 0, variant="samples", sample=k) for n in range(10)
              for k in range(5)]  # fmt: skip
    rows = measured(found, [PASSES])
    every = named(rows, stability.ALL_EDITS)
    assert (every.estimate, every.n) == (0.8, 10)
    assert every.note == "17 of 20 edits left the verdict as it was"
    assert named(rows, stability.edit_measure("a polite closing added")).estimate == 0.9
    samples = named(rows, stability.SAMPLES)
    assert (samples.estimate, samples.interval) == (
        0.7,
        pytest.approx((0.396779, 0.892209), abs=1e-6),
    )


def panel_of(rows: list[list[bool]]) -> tuple[list[Observation], list[Seat]]:
    judges = [f"j{k}" for k in range(len(rows[0]))]
    found = [
        passes(n, said, judge=judge)
        for n, row in enumerate(rows)
        for judge, said in zip(judges, row, strict=True)
    ]
    return found, [seat(Kind.PASS_FAIL, judge=judge) for judge in judges]


def test_panel_agreement_is_statsmodels_and_lies_in_its_interval() -> None:
    rng = random.Random(11)
    rows = []
    for _ in range(50):
        good = rng.random() < 0.5
        rows.append([good if rng.random() < 0.85 else not good for _ in range(3)])
    fleiss = named(measured(*panel_of(rows)), panel_agreement.FLEISS)
    counts, _ = inter_rater.aggregate_raters([[int(v) for v in row] for row in rows])
    assert fleiss.estimate == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-9)
    assert fleiss.interval is not None
    assert fleiss.interval.low < (fleiss.estimate or 0) < fleiss.interval.high


def test_a_panel_that_agrees_on_a_few_cases_keeps_a_wide_interval() -> None:
    found = measured(*panel_of([[n % 2 == 0] * 3 for n in range(10)]))
    row = named(found, panel_agreement.FLEISS)
    assert row.estimate == 1
    assert row.interval == pytest.approx((2 * 0.722467 - 1, 1), abs=1e-5)
    one = measured(*panel_of([[True] * 3 for _ in range(10)]))
    assert "say one thing" in named(one, panel_agreement.ALPHA).says


def test_self_preference_is_the_difference_of_true_positive_rates() -> None:
    own = {"own_family": True, "subject": "gpt-4o", "families": frozenset({"openai"})}
    other = {"eval": "f", "subject": "claude-3", "families": frozenset({"openai"})}
    found = [passes(n, n < 45, human=n < 50, **own) for n in range(60)]
    found += [passes(n, n < 25, human=n < 50, **other) for n in range(60)]
    row = named(measured(found, [PASSES]), family_preference.SELF)
    rates = [
        recall_score([bool(o.human) for o in group], [o.passed for o in group])
        for group in (found[:60], found[60:])
    ]
    assert row.estimate == pytest.approx(rates[0] - rates[1])
    assert (row.finding, row.n) == ("bias", 100)
    assert row.note == "own 45 of 50, other 25 of 50"
    assert row.interval == pytest.approx((0.2274, 0.5453), abs=5e-3)


def test_self_preference_without_labels_or_own_outputs_is_not_told() -> None:
    fields = {"families": frozenset({"openai"})}
    alone = named(measured([passes(1, True, **fields)], [PASSES]), family_preference.SELF)
    assert (alone.estimate, alone.finding) == (None, "unknown")
    assert "no output of its own family (openai)" in alone.says
    both = [passes(1, True, own_family=True, **fields), passes(2, True, eval="f", **fields)]
    row = named(measured(both, [PASSES]), family_preference.SELF)
    assert "no label" in row.why_not
    assert "--labels" in row.remedy


def two_families(prefers_own: bool) -> tuple[list[Observation], list[Seat]]:
    rng, found, seats = random.Random(4), list[Observation](), list[Seat]()
    judges = {"a": ("gpt-4o", "openai"), "b": ("claude-3-opus", "anthropic")}
    for eval_, subject in (("x", "gpt-4o"), ("y", "claude-3-opus")):
        quality = [rng.random() < (0.8 if eval_ == "x" else 0.5) for _ in range(60)]
        for judge, (model, family) in judges.items():
            seats.append(Seat(eval_, "s", judge, model, Kind.PASS_FAIL))
            for n, good in enumerate(quality):
                lifted = prefers_own and model == subject and rng.random() < 0.6
                noisy = good if rng.random() < 0.9 else not good
                found.append(
                    passes(
                        n,
                        noisy or lifted,
                        eval=eval_,
                        judge=judge,
                        model=model,
                        families=frozenset({family}),
                        subject=subject,
                        own_family=model == subject,
                    )
                )
    return found, seats


def test_the_gap_of_gaps_tells_mutual_preference_from_better_outputs() -> None:
    biased = named(measured(*two_families(True)), family_preference.GAPS)
    fair = named(measured(*two_families(False)), family_preference.GAPS)
    assert biased.finding == "bias"
    assert (biased.estimate or 0) > 0.2
    assert fair.finding == "none"
    assert biased.n == fair.n == 120


def test_rows_do_not_depend_on_the_order_of_what_was_seen() -> None:
    found, seats = two_families(True)
    shuffled = found[:]
    random.Random(0).shuffle(shuffled)
    assert measured(found, seats) == measured(shuffled, seats)


def test_nothing_recorded_gives_no_figure_anywhere() -> None:
    rows = measured([], [PAIRS, seat(Kind.SCORE, "q"), seat(Kind.PASS_FAIL, "p")])
    assert {row.finding for row in rows} == {"unknown"}
    assert all(row.estimate is None and row.interval is None for row in rows)
    assert all(row.says.startswith("cannot be told") for row in rows)


def test_a_category_is_stable_only_if_it_is_the_same_one() -> None:
    found = [seen(Kind.CATEGORY, n, "warm", 1.0) for n in range(5)]
    found += [seen(Kind.CATEGORY, n, "kind", 1.0, variant="closing") for n in range(5)]
    row = named(measured(found, [seat(Kind.CATEGORY)]), stability.ALL_EDITS)
    assert row.estimate == 0
