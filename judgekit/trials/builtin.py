"""The built-in tasks: judgekit's self-test of its trials, and worked examples of tasks.

Scripted agents work on a real board; no model is asked. The regression tasks hold the guarantees
of the board. The capability tasks read the flags of two subsystems, ``verifier`` and
``structured-state``, so that an ablation over them shows what each contributes to the script: a
test of the ablation, and no measurement of any live agent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from judgekit.graders.grade import Json
from judgekit.trials.board import Board
from judgekit.trials.environment import BoardEnvironment
from judgekit.trials.evidence import board_state, event_budget, log_parse, outcome, ready
from judgekit.trials.statuses import LEGAL_MOVES, TaskStatus
from judgekit.trials.task import Kind, Run, Suite, Task, TrialContext, TrialGrader, TrialOutcome

VERIFIER = "verifier"
STRUCTURED_STATE = "structured-state"
SUBSYSTEMS = (VERIFIER, STRUCTURED_STATE)

_STEPS = ("read", "plan", "write", "check")
_SCATTERED = (3, 1, 3, 2)
_PARTS = ("north", "south", "east")


def _claim_once(context: TrialContext) -> TrialOutcome:
    """Two agents want one task; the second loses, and does not ask again."""
    board = context.board
    board.create("job")
    with ThreadPoolExecutor(2) as pool:
        moves = list(pool.map(lambda agent: board.claim("job", agent), ("ann", "bob")))
    return TrialOutcome(data={"won": sum(move.ok for move in moves), "claims": len(moves)})


def _dependency_gate(context: TrialContext) -> TrialOutcome:
    """A task waits until what it needs is done."""
    board = context.board
    board.create("first")
    board.create("second")
    board.depend("second", "first")
    held = "second" not in board.ready()
    _finish(board, "first", "ann")
    return TrialOutcome(data={"held": held})


def _report_up(context: TrialContext) -> TrialOutcome:
    """What a child found reaches its parent before the parent is done."""
    board = context.board
    board.create("parent")
    board.claim("parent", "lead")
    board.create("child", parent="parent")
    _finish(board, "child", "ann")
    _report(board, "child", "42")
    told = [comment.text for comment in board.comments("parent")]
    board.move("parent", TaskStatus.IN_REVIEW)
    board.move("parent", TaskStatus.DONE)
    return TrialOutcome(summary="\n".join(told), data={"told": [*told]})


def _state_machine(context: TrialContext) -> TrialOutcome:
    """Every move that is not legal is refused, and what is done stays done."""
    board = context.board
    refused = tried = 0
    for origin in TaskStatus:
        for target in TaskStatus:
            if target is origin or target in LEGAL_MOVES[origin]:
                continue
            name = f"{origin}-{target}"
            board.create(name, status=origin)
            tried += 1
            refused += board.move(name, target).reason == "illegal_transition"
    board.create("job")
    _finish(board, "job", "ann")
    board.move("job", TaskStatus.IN_PROGRESS)
    return TrialOutcome(data={"tried": tried, "refused": refused})


def _resume(context: TrialContext) -> TrialOutcome:
    """A second runtime takes over half-done work, knowing only what stands on the board."""
    board = context.board
    board.create("job")
    _work_on(context, board, "laptop", until=2)
    board.release("job")
    with Board(board.path) as elsewhere:
        _work_on(context, elsewhere, "server", until=len(_STEPS))
        elsewhere.move("job", TaskStatus.DONE)
    done = [event.data["step"] for event in board.events("step_done")]
    return TrialOutcome(data={"steps": [*done]})


def _work_on(context: TrialContext, board: Board, runtime: str, until: int) -> None:
    board.claim("job", "ann", runtime)
    notes = board.comments("job")
    begin = json.loads(notes[-1].text)["next"] if notes else 0
    for place in range(begin, until):
        board.record("step_done", "job", step=_STEPS[place], runtime=runtime)
        if context.is_on(STRUCTURED_STATE):
            board.comment("job", json.dumps({"next": place + 1}), runtime)


def _verification(context: TrialContext) -> TrialOutcome:
    """A draft loses double entries; a verifier that runs it sees that, and the agent mends it."""
    board = context.board
    board.create("sort")
    board.claim("sort", "ann")
    drafts: Sequence[Callable[[Sequence[int]], list[int]]] = (lambda n: sorted(set(n)), sorted)
    attempts: list[dict[str, Json]] = []
    sorting = drafts[0]
    for sorting in drafts:
        board.move("sort", TaskStatus.IN_REVIEW)
        if not context.is_on(VERIFIER):
            break
        passed = sorting([2, 2, 1]) == [1, 2, 2]
        attempts.append({"deterministic": {"passed": passed}})
        board.set_verdict("sort", {"status": "pass" if passed else "fail", "attempts": attempts})
        if board.move("sort", TaskStatus.DONE).ok:
            break
        board.move("sort", TaskStatus.IN_PROGRESS)
    board.move("sort", TaskStatus.DONE)
    return TrialOutcome(data={"sorted": [*sorting(_SCATTERED)], "attempts": len(attempts)})


def _fan_out(context: TrialContext) -> TrialOutcome:
    """A lead hands three parts to three agents at once, and is done when all have reported."""
    board = context.board
    board.create("survey")
    board.claim("survey", "lead")
    for part in _PARTS:
        board.create(part, parent="survey")

    def work(agent: str) -> None:
        for part in board.ready():
            if board.claim(part, agent).ok:
                board.move(part, TaskStatus.DONE)
                _report(board, part, f"{part} surveyed")

    with ThreadPoolExecutor(len(_PARTS)) as pool:
        list(pool.map(work, ("ann", "bob", "cid")))
    if all(child.status is TaskStatus.DONE for child in board.tasks(parent="survey")):
        board.move("survey", TaskStatus.DONE)
    told: list[Json] = [*sorted(comment.text for comment in board.comments("survey"))]
    return TrialOutcome(data={"told": told})


def _finish(board: Board, task: str, agent: str) -> None:
    board.claim(task, agent)
    board.move(task, TaskStatus.IN_REVIEW)
    board.move(task, TaskStatus.DONE)


def _report(board: Board, task: str, text: str) -> None:
    found = board.task(task)
    if found is not None and found.parent is not None:
        board.comment(found.parent, text, task)
        board.record("report_up", found.parent, child=task)


def _task(id_: str, kind: Kind, run: Run, *graders: TrialGrader) -> Task:
    return Task(
        id=id_,
        suite=Suite.REGRESSION if id_.startswith("reg-") else Suite.CAPABILITY,
        kind=kind,
        description=(run.__doc__ or "").strip(),
        run=run,
        graders=graders,
        environment=BoardEnvironment(),
        timeout_s=60.0,
        smoke=True,
        tags=("builtin",),
        reference_note="scripted; the graders state the guarantee",
    )


REGRESSION_TASKS = (
    _task(
        "reg-claim-409-no-retry",
        Kind.COORDINATION,
        _claim_once,
        board_state("job", [TaskStatus.IN_PROGRESS]),
        outcome("one claim won", lambda found, _: found.data["won"] == 1),
        log_parse("claim_conflict", task="job"),
        event_budget(1, kind="claim_conflict", name="not retried"),
    ),
    _task(
        "reg-dep-gate",
        Kind.COORDINATION,
        _dependency_gate,
        outcome("held before", lambda found, _: found.data["held"] is True),
        ready("second"),
        ready("first", expect=False, name="the first is over"),
    ),
    _task(
        "reg-report-up",
        Kind.COORDINATION,
        _report_up,
        board_state("parent", [TaskStatus.DONE]),
        log_parse("report_up", task="parent"),
        outcome("the parent was told", lambda found, _: found.data["told"] == ["42"]),
    ),
    _task(
        "reg-state-machine",
        Kind.COORDINATION,
        _state_machine,
        board_state("job", [TaskStatus.DONE]),
        outcome(
            "illegal moves are refused",
            lambda found, _: found.data["tried"] == found.data["refused"] == 22,
        ),
    ),
)
"""What must never be lost: expected to pass every time."""

CAPABILITY_TASKS = (
    _task(
        "cap-cross-runtime-resume",
        Kind.COORDINATION,
        _resume,
        board_state("job", [TaskStatus.DONE]),
        outcome("each step once", lambda found, _: found.data["steps"] == [*_STEPS]),
    ),
    _task(
        "cap-verification-catches-bug",
        Kind.CODING,
        _verification,
        board_state("sort", [TaskStatus.DONE]),
        outcome("sorted right", lambda found, _: found.data["sorted"] == [1, 2, 3, 3]),
    ),
    _task(
        "cap-delegation-fanout",
        Kind.COORDINATION,
        _fan_out,
        board_state("survey", [TaskStatus.DONE]),
        outcome(
            "all reported",
            lambda found, _: found.data["told"] == sorted(f"{p} surveyed" for p in _PARTS),
        ),
        log_parse("report_up", len(_PARTS), task="survey"),
    ),
)
"""What agents should manage; two of them depend on a subsystem."""

ALL_TASKS = (*REGRESSION_TASKS, *CAPABILITY_TASKS)
SMOKE_TASKS = tuple(task for task in ALL_TASKS if task.smoke)
ABLATION_TASKS = CAPABILITY_TASKS
