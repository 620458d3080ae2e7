"""Arguments from Python as the library takes them, with errors that name what was wrong and what was expected."""
from __future__ import annotations

import collections.abc
import difflib
import numbers
import operator
import os
from typing import Any, Collection, Iterable, Mapping, Sequence

import numpy as np

from ._library import Error


def as_float(what: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{what}: {value!r} is not a number that fits into a double") from None


def as_exact(what: str, value: Any) -> float:
    """A value of a variable: a whole number that a double has no room for would become another one."""
    number = as_float(what, value)
    if isinstance(value, numbers.Integral) and number != value:
        raise Error(f"{what}: {value!r} has more digits than a double keeps; expected at most 2**53, or text")
    return number


def check_names(what: str, given: Iterable[Any], known: Sequence[str], optional: Collection[str] = ()) -> None:
    """A name that is wrong is a mistake even beside all the right ones: what it holds would be lost."""
    expected = f"expected {', '.join(known) or 'none'}"
    given = list(given)
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, 1)
            raise Error(f"unknown {what} {name!r}; " + (f"did you mean {near[0]!r}? " if near else "") + expected)
    for name in known:
        if name not in given and name not in optional:
            raise Error(f"{what} {name} is missing; {expected}")


def as_seed(given: Any) -> int:
    """As in a campaign file; ctypes would take others modulo 2**64."""
    try:
        seed = operator.index(given)
    except TypeError:
        seed = -1
    if not 0 <= seed < 2**63:
        raise Error(f"seed {given!r}: expected an integer from 0 to 2**63 - 1")
    return seed


def as_identifier(given: Any) -> int:
    try:
        number = operator.index(given)
    except TypeError:
        raise Error(f"{given!r} is neither a Point, an id nor a dictionary with a design") from None
    if not 0 <= number < 2**63:
        raise Error(f"evaluation {number} was never asked for")
    return number


def as_count(what: str, things: str, given: Any) -> int:
    """A number of things, of which ctypes would take the lower 32 bits."""
    try:
        count = operator.index(given)
    except TypeError:
        raise Error(f"{what} = {given!r}, expected a whole number of {things}") from None
    if not 1 <= count < 2**31:
        raise Error(f"{what} = {count} {things}, expected " + ("at least 1" if count < 1 else "at most 2**31 - 1"))
    return count


def as_bytes(what: str, text: Any) -> bytes:
    """The library's strings end at the first zero: what follows would be left out without a word."""
    if not isinstance(text, str):
        raise Error(f"{what} {text!r}: expected text")
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        raise Error(f"{what} {text!r}: cannot be written as UTF-8") from None
    if b"\0" in encoded:
        raise Error(f"{what} {text!r}: has a zero character in it")
    return encoded


def as_path(given: Any) -> bytes:
    try:
        return as_bytes("path", os.fsdecode(given))
    except TypeError:
        raise Error(f"path {given!r}: expected the path of a file") from None


def as_setting(value: Any) -> str:
    """A setting as a campaign file has it: true and false, [gp-ei, neural-bo]."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(as_setting, value))}]"
    return str(value)


def as_settings(given: Mapping[Any, Any], own: Collection[str]) -> dict[Any, Any]:
    """Settings by their keys with dots; a dictionary is a section: {"surrogate": {"width": 256}}."""
    settings: dict[Any, Any] = {}
    for key, value in given.items():
        if key in own:
            raise Error(f"setting {key!r}: this is an argument, not a setting of the method; expected {key}={value!r} beside settings")
        if key == "batch":
            raise Error("setting 'batch': the number of points is the argument of ask, as in ask(8)")
        is_section = isinstance(value, collections.abc.Mapping) and isinstance(key, str)
        if is_section and key in ("method", "portfolio"):
            raise Error(f"setting {key!r}: {value!r}, expected the name of a method, or for portfolio a list of names")
        below = value.items() if is_section else [(None, value)]
        for part, one in below:
            name = key if part is None else f"{key}.{part}"
            if name in settings:
                raise Error(f"setting {name!r} is given twice; leave one out")
            settings[name] = one
    return settings


def as_entries(what: str, given: Any, expected: str) -> dict[str, Any]:
    if not isinstance(given, collections.abc.Mapping):
        raise Error(f"{what} {given!r}: expected a dictionary, {expected}")
    return dict(given)


def as_designs(given: Any, expected: str = "a dictionary with a design, or a list of them") -> list[Mapping[str, Any]]:
    """A list of dictionaries, from one or several."""
    if isinstance(given, collections.abc.Mapping):
        return [given]
    if isinstance(given, str) or not isinstance(given, collections.abc.Iterable):
        raise Error(f"{given!r}: expected {expected}")
    designs = list(given)
    for design in designs:
        if not isinstance(design, collections.abc.Mapping):
            raise Error(f"{design!r}: expected a dictionary with a design")
    return designs


def is_single(given: Any) -> bool:
    """Whether it cannot be iterated over: an array without dimensions has an __iter__, too."""
    return not isinstance(given, collections.abc.Iterable) or getattr(given, "ndim", 1) == 0


def by_name(what: str, given: Any, known: Sequence[str]) -> Mapping[str, Any]:
    """Values by their names, of a dictionary or of a sequence in the order of the names."""
    if isinstance(given, collections.abc.Mapping):
        return given
    expected = ", ".join(known) or "none"
    if isinstance(given, str) or is_single(given):
        raise Error(f"{what}s {given!r}: expected a dictionary or a sequence of {expected}")
    values = list(given)
    if len(values) > len(known):
        raise Error(f"{len(values)} {what}s are given; expected {expected}")
    return dict(zip(known, values))
