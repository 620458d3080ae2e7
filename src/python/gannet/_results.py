"""Results: what a simulation reports, as the library takes it, and what an optimiser answers."""
from __future__ import annotations

import collections.abc
from typing import Any, Collection, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._convert import as_bytes, as_entries, as_float, by_name, check_names
from ._library import Array, Error, _Constraint, _doubles, _Objective, _Quantity, _Result
from ._variables import Point

DONE, CANNOT_RUN, FAILED, PARTIAL = range(4)  # gannet_outcome


class Quantity:
    """A number that a simulation reports.

    value     in its own units; None or nan = missing
    sd        standard deviation of the value, in its units; 0 = not known
    gradient  variable -> derivative, in their own units; None = not known
    """

    __module__ = "gannet"

    def __init__(self, value: Optional[float], sd: float = 0.0, gradient: Optional[Mapping[str, float]] = None) -> None:
        self.value, self.sd, self.gradient = value, sd, gradient

    def __repr__(self) -> str:
        return f"Quantity({self.value!r}, sd={self.sd!r}, gradient={self.gradient!r})"


Number = Union[float, Quantity, None]
Numbers = Union[Mapping[str, Number], Sequence[Number]]


class Prediction(NamedTuple):
    """Predictions of models at designs, from `Optimizer.predict`: arrays [designs], or numbers for a single design, by
    quantity ("objective" or the names of several objectives, and the names of the constraints)."""

    mean: Dict[str, Any]
    sd: Dict[str, Any]
    kept: Dict[str, Any]
    can_run: Any
    feasible: Any


class Front(NamedTuple):
    """The evaluations of `Optimizer.front`: ids [points], a Point of each, objectives by name [points], the reference point
    by name, and the hypervolume up to it."""

    ids: Array
    points: List[Point]
    objectives: Dict[str, Array]
    reference: Dict[str, float]
    hypervolume: float


Prediction.__module__ = Front.__module__ = "gannet"


def is_maximized(what: str, given: str) -> bool:
    if given not in ("minimize", "maximize"):
        raise Error(f"{what} {given!r}: expected 'minimize' or 'maximize'")
    return given == "maximize"


def as_objective(name: str, given: Any) -> Any:
    """One of several objectives, from a goal or a dictionary."""
    given = {"goal": given} if isinstance(given, str) else given
    entry = as_entries(f"objective {name}", given, "of goal, threshold, noise, transform and penalties, or 'minimize' or 'maximize'")
    known = ["goal", "threshold", "noise", "transform", "penalties"]
    check_names(f"key of objective {name}:", entry, known, known)
    threshold, noise = (np.nan if entry.get(key) is None else as_float(f"{key} of objective {name}", entry[key]) for key in known[1:3])
    for key, number in ("threshold", threshold), ("noise", noise):
        if entry.get(key) is not None and np.isnan(number):
            raise Error(f"{key} of objective {name} nan: expected a number, or None")
    transforms, transform, penalties = ("auto", "none", "log"), entry.get("transform", "auto"), entry.get("penalties", True)
    if transform not in transforms:
        raise Error(f"transform of objective {name} {transform!r}: expected 'auto', 'none' or 'log'")
    if penalties not in (True, False):
        raise Error(f"penalties of objective {name} {penalties!r}: expected True or False")
    return _Objective(as_bytes("objective", name), is_maximized(f"goal of objective {name}", entry.get("goal", "minimize")), threshold,
                      noise, transforms.index(transform), not penalties)


def as_constraint(name: str, given: Any) -> Any:
    """A constraint from its bounds, None = no bound."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise Error(f"constraint {name}: {given!r} is no pair; expected (lower, upper), None = no bound")
    return _Constraint(as_bytes("constraint", name), *(missing if bound is None else as_float(f"constraint {name}", bound)
                                                       for bound, missing in zip(given, (-np.inf, np.inf))))


def _values(what: str, given: Optional[Mapping[str, Any]], told: Mapping[str, Quantity], known: Sequence[str], outcome: int) -> Array:
    """An array in the order of the known names, of what is given, or told as quantities, which count first; nan = missing."""
    told = {name: told[name] for name in known if name in told and (told[name].value is not None or name not in (given or {}))}
    if given is None and not told:
        if known and outcome == DONE:
            raise Error(f"{what}s are missing; expected {', '.join(known)}")
        return np.full(len(known), np.nan)
    given = {name: item.value if isinstance(item, Quantity) else item for name, item in {**(given or {}), **told}.items()}
    check_names(what, given, known, known if outcome == PARTIAL else ())
    return np.array([np.nan if given.get(name) is None else as_float(what if what == name else f"{what} {name}", given[name])
                     for name in known])


class Names(NamedTuple):
    """The names that results are told by."""

    variables: List[str]
    optional: Collection[str]  # variables that a gradient may leave out
    objectives: List[str]
    constraints: List[str]
    has_several: bool  # objectives


def _as_structures(names: Names, given: Mapping[str, Quantity]) -> Tuple[Any, List[Array]]:
    """Quantities as the library takes them, and the arrays that they borrow."""
    kept, made = [], (_Quantity * len(given))()
    for place, (name, value) in zip(made, given.items()):
        place.name = as_bytes("quantity", name)
        place.value = np.nan if value.value is None else as_float(f"quantity {name}", value.value)
        place.sd = as_float(f"sd of quantity {name}", value.sd)
        if value.gradient is not None:
            check_names("variable", value.gradient, names.variables, names.optional)
            gradient = np.array([np.nan if slope is None else as_float(f"gradient of {name}", slope)
                                 for slope in (value.gradient.get(variable, np.nan) for variable in names.variables)])
            place.gradient = _doubles(gradient)
            kept.append(gradient)
    return made, kept


def as_result(names: Names, number: int, objective: Any, constraints: Any, outcome: int, quantities: Any = None) -> Any:
    """The result of an evaluation as the library takes it."""
    if quantities is not None and not isinstance(quantities, dict):
        raise Error(f"quantities {quantities!r}: expected a dictionary of name -> number or Quantity")
    told = {name: item if isinstance(item, Quantity) else Quantity(item) for name, item in (quantities or {}).items()}
    goals = (objective if objective is None else by_name("objective", objective, names.objectives) if names.has_several
             else {"objective": objective})
    given = constraints if constraints is None else by_name("constraint", constraints, names.constraints)
    told.update((name, item) for name, item in [*(goals or {}).items(), *(given or {}).items()] if isinstance(item, Quantity))
    is_known = outcome in (DONE, PARTIAL)
    if told and not is_known:
        raise Error("quantities are told without an objective; expected one, or no quantities")
    y = _values("objective", goals, told, names.objectives, outcome)
    values = _values("constraint", given, told, names.constraints, outcome)
    result = _Result(number, outcome, np.nan, _doubles(values), objectives=_doubles(y))
    made, kept = _as_structures(names, told)
    result.n_quantities, result.quantities = len(made), made
    result.keep = y, values, made, kept  # the structure only borrows
    result.is_final = outcome in (CANNOT_RUN, PARTIAL) or np.isfinite([*y, *values]).all()
    return result


def _as_columns(what: str, n: int, given: Mapping[str, Any], known: Sequence[str]) -> Array:
    """Values by name at n designs as rows in the order of the known names; nan where nothing is given."""
    check_names(what, given, known, known)
    rows = np.full((n, len(known)), np.nan)
    for name, column in given.items():
        column = [np.nan if value is None else as_float("value", value) for value in column]
        if len(column) != n:
            raise Error(f"{n} points and {len(column)} values; expected as many of both")
        rows[:, known.index(name)] = column
    return rows


def as_related_results(designs: Array, values: Any, constraints: Optional[Mapping[str, Any]], names: Names) -> Any:
    """Results of a related problem at these designs, of the known objectives and constraints those that are given."""
    n = len(designs)
    if names.has_several and not isinstance(values, collections.abc.Mapping):
        raise Error(f"values {values!r}: expected those of each objective by its name, of {', '.join(names.objectives)}")
    goals = _as_columns("objective", n, values if names.has_several else {names.objectives[0]: values}, names.objectives)
    given = _as_columns("constraint", n, constraints or {}, names.constraints)
    results = (_Result * max(1, n))()
    for i in range(n):
        has_any = not np.isnan(given[i]).all()
        results[i] = _Result(0, PARTIAL if has_any else DONE, np.nan if names.has_several else goals[i][0], _doubles(given[i]) if has_any else None)
        if names.has_several:
            results[i].objectives = _doubles(goals[i])
    results.keep = goals, given
    return results
