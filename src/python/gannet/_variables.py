"""Variables: what an optimiser may change, and the points that it proposes."""
from __future__ import annotations

import ctypes
import numbers
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type, Union

import numpy as np

from ._convert import as_bytes, as_exact, as_float
from ._library import Array, Error, _Variable

_REAL, _INTEGER, _BOOLEAN, _CATEGORICAL, _ORDINAL = range(5)
_FREE, _FIXED, _DERIVED = range(3)  # gannet_variable_role


class Kind(NamedTuple):
    """What a variable is, as `real`, `integer`, `ordinal`, `boolean`, `categorical`, `fixed` and `derived` make it."""

    type: int
    lower: Any
    upper: Any
    scale: str
    values: Tuple[Any, ...]  # of categories and ordered words
    role: int = _FREE
    fixed: Any = 0
    expression: Optional[str] = None
    step: float = 0
    numbers: Tuple[Any, ...] = ()  # of an ordinal variable
    when: Optional[str] = None


Variable = Union[Kind, Tuple[float, float], Tuple[float, float, str], List[Any], Type[bool]]
Design = Mapping[str, Any]


def real(lower: float, upper: float, scale: str = "linear", step: Optional[float] = None, when: Optional[str] = None) -> Kind:
    """A real variable in your own units; scale "log" if equal factors matter equally. A tuple (lower, upper) or (lower,
    upper, "log") means the same. With a step, the values are lower, lower + step, ...

    With when, as in when="solver == 'gmres'", a variable of any kind has a meaning only where that is true. Elsewhere
    it is inactive: Point.active does not contain it, and its value in the Point has no meaning."""
    return Kind(_REAL, lower, upper, scale, (), step=_step(step), when=when)


def integer(lower: int, upper: int, scale: str = "linear", step: Optional[int] = None, when: Optional[str] = None) -> Kind:
    """An integer variable, both bounds included. With a step, the values are lower, lower + step, ...; when as in real."""
    return Kind(_INTEGER, lower, upper, scale, (), step=_step(step), when=when)


def ordinal(*values: Any, scale: str = "linear", when: Optional[str] = None) -> Kind:
    """One of several numbers in ascending order, as in ordinal(16, 32, 64, scale="log"), or of several words in their
    order, as in ordinal("coarse", "medium", "fine"), or one list of them; when as in real."""
    values = _listed(values)
    if any(isinstance(value, str) for value in values):
        return Kind(_ORDINAL, 0, 0, scale, values, when=when)
    return Kind(_ORDINAL, 0, 0, scale, (), numbers=values, when=when)


def boolean(when: Optional[str] = None) -> Kind:
    """A switch; bool means the same. when as in real."""
    return Kind(_BOOLEAN, 0, 0, "linear", (), when=when)


def categorical(*values: Any, when: Optional[str] = None) -> Kind:
    """One of several names; a list of names means the same. (bool is a switch.) when as in real."""
    return Kind(_CATEGORICAL, 0, 0, "linear", _listed(values), when=when)


def fixed(value: Union[float, bool, str]) -> Kind:
    """A variable with one value: a number, a bool or a text. It is in every Point, but is not a dimension of the
    search."""
    if isinstance(value, str):
        return Kind(_CATEGORICAL, 0, 0, "linear", (value,), _FIXED, 0)
    kind = _BOOLEAN if isinstance(value, (bool, np.bool_)) else _INTEGER if isinstance(value, numbers.Integral) else _REAL
    return Kind(kind, 0, 0, "linear", (), _FIXED, value)


def derived(expression: str, type: Type[Any] = float) -> Kind:
    """A variable that is computed from others, as in derived("chord*span") or derived("solver == 'cg' ? 1 : 2").
    With type=int the value is rounded to the nearest whole number; with type=bool it is true if it is not 0. It is in
    every Point, but is not a dimension of the search."""
    if type not in (float, int, bool):
        raise Error(f"derived({expression!r}): type {type!r}, expected float, int or bool")
    kind = {float: _REAL, int: _INTEGER, bool: _BOOLEAN}[type]
    return Kind(kind, 0, 0, "linear", (), _DERIVED, 0, expression)


def _step(step: Optional[float]) -> float:
    if step is not None and not as_float("step", step) > 0:
        raise Error(f"step {step!r}: expected a number above 0, or None")
    return step or 0


def _listed(values: Tuple[Any, ...]) -> Tuple[Any, ...]:
    """Arguments, or the members of the only one, a list."""
    if len(values) == 1 and isinstance(values[0], np.ndarray) and values[0].ndim == 1:
        return tuple(values[0].tolist())
    return tuple(values[0]) if len(values) == 1 and isinstance(values[0], (list, tuple)) else values


def as_kind(name: str, given: Any) -> Kind:
    """A kind from real(), integer() or categorical(), or the short forms of the module's example."""
    if given is bool:
        return boolean()
    if isinstance(given, list) and len(given) == 2 and all(isinstance(one, numbers.Real) and not isinstance(one, bool) for one in given):
        raise Error(f"variable {name}: {given!r} are two numbers; expected ({given[0]}, {given[1]}) if they are bounds, else "
                    f"ordinal({given[0]}, {given[1]}), or categorical(...) if they are names without an order")
    if isinstance(given, list):
        return categorical(*given)
    if isinstance(given, Kind):
        return given
    if isinstance(given, tuple) and len(given) in (2, 3) and not any(isinstance(bound, str) for bound in given[:2]):
        return real(*given)
    raise Error(f"variable {name}: {given!r} is not a variable; expected (lower, upper), (lower, upper, 'log'), "
                "a list of names, bool, integer(lower, upper), ordinal(...), fixed(value) or derived(expression)")


def as_structures(names: Sequence[str], kinds: Sequence[Kind]) -> Any:
    """The variables as the library takes them."""
    variables = (_Variable * len(names))()
    for entry, name, kind in zip(variables, names, kinds):
        if kind.scale not in ("linear", "log"):
            raise Error(f"variable {name}: scale {kind.scale!r}, expected 'linear' or 'log'")
        texts = (ctypes.c_char_p * len(kind.values))(*(as_bytes(f"variable {name}: value", str(v)) for v in kind.values))
        entry.name, entry.type, entry.role = as_bytes("variable", name), kind.type, kind.role
        entry.lower, entry.upper, entry.fixed = (as_exact(f"variable {name}", number)
                                                 for number in (kind.lower, kind.upper, kind.fixed))
        listed = [as_exact(f"variable {name}: value", value) for value in kind.numbers]
        entry.scale, entry.n_values, entry.values = kind.scale == "log", len(texts) + len(listed), texts
        entry.step = as_float(f"variable {name}: step", kind.step)
        if listed:
            entry.numbers = (ctypes.c_double * len(listed))(*listed)
        if kind.when is not None:
            entry.when = as_bytes(f"variable {name}: when", kind.when)
        if kind.role == _DERIVED:
            entry.expression = as_bytes(f"variable {name}: expression", kind.expression)
    return variables


def may_be_left_out(kind: Kind) -> bool:
    """Whether the library fills the variable in where a design does not have it."""
    return kind.role != _FREE or kind.when is not None


class Point(Dict[str, Any]):
    """Values by the names of the variables. `id` is for telling, `x` is an array in the library's coding, and `active`
    has the names of the variables that have a meaning here: all except conditional ones whose condition is not true."""

    __module__ = "gannet"
    id: int
    x: Array
    active: FrozenSet[str]

    def __init__(self, names: Iterable[str], kinds: Iterable[Kind], number: Any, x: Array,
                 active: Optional[FrozenSet[str]] = None) -> None:
        super().__init__((name, decoded(kind, v)) for name, kind, v in zip(names, kinds, x))
        self.id, self.x, self.active = number, x, frozenset(names) if active is None else active


def decoded(kind: Kind, number: float) -> Any:
    """A value from the library's coding."""
    if number != number:  # a derived variable that has no finite value here
        return None
    if kind.type == _INTEGER:
        return int(number)
    if kind.type == _BOOLEAN:
        return bool(number)
    if kind.numbers:
        distances = [abs(value - number) for value in kind.numbers]
        return kind.numbers[distances.index(min(distances))]
    return kind.values[int(number)] if kind.values else float(number)


def coded(name: str, kind: Kind, value: Any) -> float:
    """A value in the library's coding: of a category or an ordered word its position."""
    if not kind.values:
        return as_float(f"variable {name}", value)
    if value not in kind.values:
        raise Error(f"variable {name}: {value!r} is not one of {', '.join(map(repr, kind.values))}")
    return float(kind.values.index(value))
