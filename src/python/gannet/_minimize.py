"""Minimise a function of Python: the whole loop in one call."""
from __future__ import annotations

import collections.abc
import concurrent.futures
import contextlib
import dataclasses
import difflib
import logging
import numbers
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._convert import as_count, as_float, by_name, check_names, is_single
from ._library import Array, Error
from ._optimizer import Optimizer
from ._results import Quantity
from ._table import as_table, columns_of
from ._variables import Point, Variable, as_kind
from ._workers import Here, InExecutor, Outcome, Processes

_logger = logging.getLogger("gannet")
_OWN = ("bounds", "constraints", "evaluations", "workers", "batch", "executor", "method", "seed", "callback")  # arguments of minimize


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluation:
    """One call of the function that `minimize` was given.

    id           number of the evaluation, from 0
    x            its arguments: a dictionary, or an array [variables] where bounds was a list
    value        what the function returned, in its own units; nan if it returned no value
    constraints  name -> value of each constraint, in their own units; nan where it is not known
    status       "done", or "cannot_run" if the function raised an exception or returned None or nan, or if its process
                 died
    seconds      how long the call took
    error        the exception in one line; None if there was none
    """

    __module__ = "gannet"
    id: int
    x: Any
    value: float
    constraints: Dict[str, float]
    status: str
    seconds: float
    error: Optional[str]


@dataclasses.dataclass(frozen=True, eq=False)
class Result:
    """What `minimize` has found.

    x            arguments of the best evaluation: a dictionary, or an array [variables] where bounds was a list; None where no
                 evaluation has a result
    value        the value of the function there, in its own units; nan where there is none
    feasible     whether the constraints hold there; False: no evaluation satisfies all of them, and this one violates them least
    constraints  name -> value of each constraint there, in their own units
    message      why it ended
    history      every Evaluation, in the order of their numbers
    optimizer    the `Optimizer`, for example to predict, to recommend a design of a noisy function, or to continue by
                 ask and tell
    """

    __module__ = "gannet"
    x: Any
    value: float
    feasible: bool
    constraints: Dict[str, float]
    message: str
    history: List[Evaluation] = dataclasses.field(repr=False)
    optimizer: Optimizer = dataclasses.field(repr=False)

    def table(self) -> Any:
        """The history as a pandas.DataFrame, or without pandas as a dictionary of arrays: id, a column for each variable,
        value, a column for each constraint, status, seconds, error."""
        names = self.optimizer.names
        return as_table(columns_of([{"id": one.id, **(one.x if isinstance(one.x, dict) else dict(zip(names, one.x.tolist()))),
                                     "value": one.value, **one.constraints, "status": one.status, "seconds": one.seconds,
                                     "error": one.error} for one in self.history]))


class _Run:
    """The evaluations of one call of minimize."""

    def __init__(self, crew: Any, optimizer: Optimizer, arguments: Callable[[Point], Any],
                 callback: Optional[Callable[[Evaluation], Any]]) -> None:
        self._crew, self.optimizer, self._arguments, self._callback = crew, optimizer, arguments, callback
        self._running: Dict[int, Point] = {}
        self._ended: List[Tuple[int, Outcome]] = []  # and not told yet
        self.history: List[Evaluation] = []

    def evaluate(self, evaluations: int, at_once: int, batch: Optional[int]) -> None:
        """All evaluations. With a batch all of its results are told together, in the order of their numbers, so what is asked
        for next does not depend on which call was faster."""
        asked = 0
        while asked < evaluations or self._running:
            free = at_once - len(self._running) if batch is None else 0 if self._running else batch
            q = min(free, evaluations - asked)
            for point in self.optimizer.ask(q) if q > 0 else []:
                self._running[point.id] = point
                self._crew.start(point.id, self._arguments(point))
            asked += max(q, 0)
            self._ended += self._crew.finished()
            if batch is None or len(self._ended) == len(self._running):
                self.tell()

    def tell(self) -> None:
        """Tell what has ended."""
        self._ended.sort(key=lambda pair: pair[0])
        while self._ended:
            number, outcome = self._ended.pop(0)
            one = self._told(self._running.pop(number), outcome)
            self.history.append(one)
            if self._callback is not None:
                self._callback(one)

    def stop(self) -> None:
        """Tell what has ended and is right, and nobody."""
        self._callback = None
        while self._ended:
            try:
                self.tell()
            except Error as error:
                _logger.info("%s", error)

    def keep(self, error: Exception) -> None:
        """Hand over with an error what was found before it."""
        self.stop()
        if self.history and getattr(error, "result", None) is None:
            with contextlib.suppress(AttributeError, TypeError, Error):  # what it is about counts more
                setattr(error, "result", self.result(f"an error has ended the search after {len(self.history)} evaluations"))

    def _told(self, point: Point, outcome: Outcome) -> Evaluation:
        limits = list(self.optimizer.constraints)
        if outcome.error is not None:
            if outcome.is_mistake and not any(one.status == "done" for one in self.history):
                raise Error(f"the function has failed at {dict(point)}, which looks like a mistake in it, not like a simulation "
                            f"that does not work there; correct it:\n{outcome.trace}")
            _logger.warning("evaluation %d, %s: %s", point.id, dict(point), outcome.error)
        value, constraints = (None, None) if outcome.error is not None else _split(outcome.returned, limits)
        number = _plain("value of the function", value)
        values = {name: _plain(f"constraint {name}", (constraints or {}).get(name)) for name in limits}
        works = bool(np.isfinite(number))
        if works:
            missing = not np.isfinite(list(values.values())).all()
            self.optimizer.tell(point, value, constraints if limits else None, partial=missing)
        else:
            self.optimizer.tell(point)
        return Evaluation(point.id, self._arguments(point), number, values, "done" if works else "cannot_run", outcome.seconds,
                          outcome.error)

    def result(self, message: str) -> Result:
        best = self.optimizer.best()
        history = sorted(self.history, key=lambda one: one.id)
        if best is None:
            return Result(None, np.nan, False, {}, message, history, self.optimizer)
        limits = {name: float(self.optimizer.quantity(best[0], name).value or 0) for name in self.optimizer.constraints}
        return Result(self._arguments(best[0]), best[1], best[2], limits, message, history, self.optimizer)


def _plain(what: str, value: Any) -> float:
    value = value.value if isinstance(value, Quantity) else value
    return np.nan if value is None else as_float(what, value)


def _split(returned: Any, limits: List[str]) -> Tuple[Any, Optional[Mapping[str, Any]]]:
    """(value, constraints) of what the function has returned."""
    if returned is None or not limits:
        return returned, None
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        raise Error(f"the function has returned {returned!r}; expected (value, constraints), of the constraints {', '.join(limits)} a "
                    "dictionary or a sequence, or a single number for a single constraint")
    value, given = returned
    if len(limits) == 1 and is_single(given):
        given = [given]
    values = by_name("constraint", given, limits)
    check_names("constraint", values, limits)
    return value, values


def _as_numbers(point: Point) -> Any:
    return np.array([as_float(f"variable {name}", value) for name, value in point.items()])


def _as_pair(kind: Any) -> Any:
    """A variable of a list: [lower, upper] are bounds there, as for SciPy, and no names."""
    entries = kind.tolist() if isinstance(kind, np.ndarray) else kind
    is_pair = isinstance(entries, list) and (len(entries) == 2 or len(entries) == 3 and entries[2] in ("linear", "log"))
    return tuple(entries) if is_pair and all(_is_real(bound) for bound in entries[:2]) else kind


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _variables(bounds: Any) -> Mapping[str, Variable]:
    if isinstance(bounds, collections.abc.Mapping):
        return bounds
    if isinstance(bounds, str) or is_single(bounds):
        raise Error(f"bounds {bounds!r}: expected a dictionary, name -> (lower, upper), or a list of (lower, upper)")
    kinds = {f"x{i}": as_kind(f"x{i}", _as_pair(kind)) for i, kind in enumerate(bounds)}
    for name, kind in kinds.items():
        if kind.values:
            raise Error(f"variable {name}: {kind.values[0]!r} is not a number; give bounds by name, as in {{'solver': ['cg', 'gmres']}}")
    return kinds


@dataclasses.dataclass(frozen=True)
class _Keywords:
    """A function that takes its arguments as a dictionary, and can be sent to other processes if f can."""

    f: Callable[..., Any]

    def __call__(self, x: Mapping[str, Any]) -> Any:
        return self.f(**x)


def minimize(f: Callable[..., Any], bounds: Union[Mapping[str, Variable], Sequence[Variable], Array],
             constraints: Optional[Mapping[str, Tuple[Optional[float], Optional[float]]]] = None, *, evaluations: int = 50,
             workers: int = 1, batch: Optional[int] = None, executor: Optional[concurrent.futures.Executor] = None,
             method: str = "auto", seed: int = 1, callback: Optional[Callable[[Evaluation], Any]] = None, **more: Any) -> Result:
    """Minimise a function in few calls. Returns a Result.

    Local: without MPI. For simulations that take hours, or a cluster, use a campaign: it survives the end of the
    process.

    f            the function. With bounds by name it is called as f(x=..., y=...), with a list of bounds as f(array). It returns
                 its value, or with constraints (value, constraint values): by name, or in their order. The value may be a
                 Quantity. If f raises an exception, returns None or nan, or kills its process, the design counts as one where the
                 simulation cannot work: gannet learns to avoid such designs, and does not repeat the call
    bounds       name -> (lower, upper), (lower, upper, "log"), gannet.integer(1, 8), a list of names or bool, as for
                 `Optimizer`; or a list of such entries with numbers only. A list or an array such as [[0, 1], [0, 1]]
                 also gives bounds
    constraints  name -> (lower, upper) of the values that are feasible, in their units; None = no bound
    evaluations  how many calls, at least 1; failed calls count, too
    workers      how many calls run at once. With 1 they run in this process, otherwise in as many forked processes. f
                 may therefore be a lambda, but what it changes in memory is lost there. Programs that a call has left
                 running are ended with the search (SIGTERM, after 5 s SIGKILL), or at once (SIGKILL) if the process of
                 the call dies
    batch        None: the next point is asked for as soon as a worker is free. With several workers, the points then
                 depend on which calls are faster. A number: this many points are asked for at once, and the next ones
                 when all of these have ended. The same seed then gives the same points on every machine
    executor     a concurrent.futures.Executor that makes the calls, `workers` of them at once, instead of forked
                 processes. If it cannot continue, the search ends with a gannet.Error. The death of a process breaks a
                 ProcessPoolExecutor, and its running calls are lost. If a single call was running, its design counts as
                 one that cannot work; otherwise the designs are `pending` in the Optimizer
    method       of the next points; auto is a good choice
    seed         an integer from 0 to 2**63 - 1
    callback     called with each Evaluation as soon as it has ended. If it raises StopIteration, the search ends
    more         passed to `Optimizer`: noise=0, variable_constraints=["x + y <= 1"], initial=8, settings={...}

    Ctrl-C (KeyboardInterrupt) ends the search: running calls are stopped, and the Result contains what was found so
    far.

    Errors: gannet.Error for wrong bounds, constraints and settings, for a function that returns something other than
    described, and when the first calls raise what looks like a mistake in f (TypeError, NameError, AttributeError,
    ImportError ...). Every exception that is raised after some evaluations, also by the callback, has an attribute
    `result`, the Result with all of them: `except gannet.Error as error:
    print(error.result.table())`.
    """
    if not callable(f):
        raise Error(f"f = {f!r}: expected a function")
    for key in "comm", "goal", "objectives":
        if key in more:
            raise Error(f"{key} is not for minimize; use gannet.Optimizer" + (", or return the negative value" if key == "goal" else ""))
    for key in more:
        near = difflib.get_close_matches(key, _OWN, 1, 0.8)
        if near:
            raise Error(f"unknown argument {key!r}; did you mean {near[0]!r}?")
    evaluations, workers = as_count("evaluations", "evaluations", evaluations), as_count("workers", "workers", workers)
    batch = None if batch is None else as_count("batch", "points", batch)
    by_names, variables = isinstance(bounds, collections.abc.Mapping), _variables(bounds)
    call: Any = _Keywords(f) if by_names else f
    arguments: Any = dict if by_names else _as_numbers
    # Processes are forked before MPI starts
    crew: Any = InExecutor(call, executor) if executor else Here(call) if workers == 1 else Processes(call, workers)
    try:
        optimizer = Optimizer(variables, constraints, method=method, seed=seed, **more)
        made = _Run(crew, optimizer, arguments, callback)
        try:
            made.evaluate(evaluations, workers, batch)
            message = f"{evaluations} evaluations were made"
        except StopIteration:
            made.stop()
            message = f"the callback has ended the search after {len(made.history)} of {evaluations} evaluations"
        except KeyboardInterrupt:
            made.stop()
            message = f"interrupted after {len(made.history)} of {evaluations} evaluations"
        except Exception as error:
            made.keep(error)
            raise
        return made.result(message)
    finally:
        crew.close()
