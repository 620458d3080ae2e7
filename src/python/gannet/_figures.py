"""Figures of a campaign, drawn by matplotlib."""
from __future__ import annotations

from typing import Any, Collection, Dict, List, Mapping, Set

import numpy as np

from ._library import Array, Error

_BLUE, _GREY, _RED = "#1f6f8b", "#9a9a9a", "#b3432b"


def pyplot() -> Any:
    try:
        import matplotlib.pyplot  # type: ignore[import]
    except ImportError as error:
        raise Error(f"figures need matplotlib ({error}); install it, as in pip install matplotlib") from error
    return matplotlib.pyplot


def axes(given: Any) -> Any:
    return pyplot().subplots()[1] if given is None else given


def _numbers(table: Any, name: str) -> Array:
    return np.array([np.nan if value is None else value for value in table[name]], dtype=float)


def _is_feasible(table: Any) -> Array:
    return np.array([value is not None and value == True for value in table["feasible"]], dtype=bool)  # noqa: E712


def _scatter(ax: Any, x: Array, y: Array, feasible: Array) -> None:
    known = np.isfinite(y) & np.isfinite(x)
    ax.scatter(x[known & feasible], y[known & feasible], s=18, color=_BLUE, label="feasible")
    if (known & ~feasible).any():
        ax.scatter(x[known & ~feasible], y[known & ~feasible], s=18, facecolors="none", edgecolors=_GREY, label="infeasible")


def convergence(table: Any, column: str, objective: str, is_maximized: bool, ax: Any) -> Any:
    number, value, feasible = _numbers(table, "id"), _numbers(table, column), _is_feasible(table)
    _scatter(ax, number, value, feasible)
    counted = np.where(feasible & np.isfinite(value), value, -np.inf if is_maximized else np.inf)
    best = np.maximum.accumulate(counted) if is_maximized else np.minimum.accumulate(counted)
    ax.step(number, np.where(np.isfinite(best), best, np.nan), where="post", color=_BLUE, label="best so far")
    lost = np.array([status in ("failed", "cannot_run") for status in table["status"]], dtype=bool)
    if lost.any():
        ax.plot(number[lost], np.full(lost.sum(), 0.02), "|", color=_RED, transform=ax.get_xaxis_transform(), label="no result")
    ax.set_xlabel("evaluation")
    ax.set_ylabel(objective)
    ax.legend()
    return ax


def front(table: Any, designs: Any, x: str, y: str, ax: Any) -> Any:
    _scatter(ax, _numbers(table, x), _numbers(table, y), _is_feasible(table))
    u, v = _numbers(designs, x), _numbers(designs, y)
    order = np.argsort(u)
    ax.plot(u[order], v[order], "-o", color=_RED, markersize=4, label="front")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.legend()
    return ax


def _ordered(tried: Set[Any], kind: Mapping[str, Any]) -> List[Any]:
    """Values in ascending order, words as the campaign file lists them."""
    if kind["type"] == "boolean":
        return sorted(bool(value) for value in tried)
    if any(isinstance(value, str) for value in tried):
        listed = [word.strip(' "') for word in kind.get("values", "[]")[1:-1].split(",")]
        return sorted(tried, key=lambda word: (listed.index(word) if word in listed else len(listed), word))
    return sorted(tried)


def slices_of(table: Any, kinds: Mapping[str, Mapping[str, Any]], points: int) -> Dict[str, List[Any]]:
    """Values to try of each variable of these kinds: over the range of one with bounds and without steps, else those tried."""
    made: Dict[str, List[Any]] = {}
    for name, kind in kinds.items():
        if kind["type"] in ("real", "integer") and "step" not in kind:
            between: Any = np.geomspace if kind.get("scale") == "log" else np.linspace
            values = between(float(kind["lower"]), float(kind["upper"]), points).tolist()
            values[0], values[-1] = float(kind["lower"]), float(kind["upper"])
            made[name] = sorted({round(value) for value in values}) if kind["type"] == "integer" else values
        else:
            made[name] = _ordered({value for value in table[name] if value is not None and value == value}, kind)
    return {name: values for name, values in made.items() if len(values) > 1}


def slices(given: Mapping[str, List[Any]], design: Mapping[str, Any], quantity: str, mean: Array, sd: Array,
           logs: Collection[str]) -> Any:
    columns = min(3, max(1, len(given)))
    figure, panels = pyplot().subplots(-(-max(1, len(given)) // columns), columns, squeeze=False, sharey=True, layout="constrained",
                                       figsize=(3.2 * columns, 2.6 * -(-max(1, len(given)) // columns)))
    start = 0
    for ax, (name, values) in zip(panels.flat, given.items()):
        here = slice(start, start + len(values))
        start += len(values)
        if isinstance(values[0], (bool, str)):
            ax.errorbar([str(value) for value in values], mean[here], yerr=2 * sd[here], fmt="o", color=_BLUE, capsize=4)
            ax.margins(x=0.3)
        else:
            ax.fill_between(values, mean[here] - 2 * sd[here], mean[here] + 2 * sd[here], color=_BLUE, alpha=0.2)
            ax.plot(values, mean[here], color=_BLUE)
            ax.set_xscale("log" if name in logs else "linear")
            if design.get(name) is not None:
                ax.axvline(design[name], color=_GREY, linewidth=1)
        ax.set_xlabel(name)
    for ax in panels.flat[len(given):]:
        ax.set_axis_off()
    for ax in panels[:, 0]:
        ax.set_ylabel(quantity)
    return figure
