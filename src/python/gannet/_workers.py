"""Processes that call a function at many points at once, and what each call brought."""
from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import time
import traceback
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from ._library import Error

# What a wrong program raises rather than a simulation that does not work
MISTAKES = (AttributeError, ImportError, NameError, NotImplementedError, SyntaxError, TypeError)

# What a call of an executor ends with that was not the fault of f, or perhaps not
LOST = (concurrent.futures.BrokenExecutor, concurrent.futures.CancelledError)


class Outcome(NamedTuple):
    """What a call brought."""

    returned: Any
    seconds: float
    error: Optional[str] = None  # the exception in a line, None = it has returned
    trace: str = ""
    is_mistake: bool = False


def run(call: Callable[[Any], Any], x: Any) -> Outcome:
    """Call once. Only KeyboardInterrupt gets through."""
    start = time.monotonic()
    try:
        return Outcome(call(x), time.monotonic() - start)
    except (Exception, SystemExit) as error:
        return _raised(error, time.monotonic() - start)


def _in_a_line(error: BaseException) -> str:
    return " ".join("".join(traceback.format_exception_only(type(error), error)).split())


def _raised(error: BaseException, seconds: float) -> Outcome:
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return Outcome(None, seconds, _in_a_line(error), trace, isinstance(error, MISTAKES))


class Here:
    """Calls in this process, one after the other."""

    def __init__(self, call: Callable[[Any], Any]) -> None:
        self._call, self._waiting = call, collections.deque[Tuple[int, Any]]()

    def start(self, number: int, x: Any) -> None:
        self._waiting.append((number, x))

    def finished(self) -> List[Tuple[int, Outcome]]:
        number, x = self._waiting.popleft()
        return [(number, run(self._call, x))]

    def close(self) -> None:
        self._waiting.clear()


class InExecutor:
    """Calls by a concurrent.futures.Executor of the user. Once it has refused a call or is broken, it is not asked again, but what
    still runs is waited for."""

    def __init__(self, call: Callable[[Any], Any], executor: concurrent.futures.Executor) -> None:
        self._call, self._executor = call, executor
        self._running: Dict[concurrent.futures.Future[Outcome], Tuple[int, float]] = {}
        self._refusal: Optional[Exception] = None
        self._is_broken = False

    def start(self, number: int, x: Any) -> None:
        if self._refusal is not None:
            return
        try:
            self._running[self._executor.submit(run, self._call, x)] = number, time.monotonic()
        except Exception as error:
            self._refusal = error

    def finished(self) -> List[Tuple[int, Outcome]]:
        """Of the calls that have ended, at least one, in the order of their numbers. gannet.Error where the executor cannot go on."""
        found: List[Tuple[int, Outcome]] = []
        while self._running and not found:
            done, _ = concurrent.futures.wait(self._running, return_when=concurrent.futures.FIRST_COMPLETED)
            kept = {future for future in done if not isinstance(_failure(future), LOST)}
            suspects = len(self._running) - len(kept)
            found = [outcome for future in done for outcome in self._ended(future, suspects)]
        if not found:
            why = _in_a_line(self._refusal) if self._refusal is not None else "no call is running"
            raise Error(f"the executor cannot go on: {why}") from self._refusal
        return sorted(found, key=lambda pair: pair[0])

    def _ended(self, future: concurrent.futures.Future[Outcome], suspects: int) -> List[Tuple[int, Outcome]]:
        """A broken executor loses all its calls, and does not tell whose process has died: it is certain of a single one only."""
        number, since = self._running.pop(future)
        error = _failure(future)
        if error is None:
            return [(number, future.result())]
        if isinstance(error, LOST):
            is_certain = isinstance(error, concurrent.futures.BrokenExecutor) and suspects == 1 and not self._is_broken
            self._is_broken, self._refusal = True, self._refusal or error
            if not is_certain:
                return []
        return [(number, _raised(error, time.monotonic() - since))]

    def close(self) -> None:
        for future in self._running:
            future.cancel()


def _failure(future: concurrent.futures.Future[Outcome]) -> Optional[Exception]:
    """Why a call that was to be made, has no outcome; None where it has one, and while it runs."""
    if not future.done():
        return None
    try:
        future.result()
        return None
    except Exception as error:
        return error


def _serve(call: Callable[[Any], Any], own: Any, others: List[Any]) -> None:
    """The loop of a worker: it ends when the other end of its pipe is closed."""
    os.setpgrp()  # programs that the call starts end together with it
    for other in others:
        other.close()
    with contextlib.suppress(EOFError, OSError):
        while True:
            outcome = run(call, own.recv())
            try:
                own.send(outcome)
            except Exception as error:
                text = f"what was returned cannot be sent from the worker process: {error}"
                own.send(Outcome(None, outcome.seconds, text, text, True))


class _Worker:
    """A process for one call at a time. It is forked, so the function may be a lambda or have been typed in a notebook."""

    def __init__(self, call: Callable[[Any], Any], others: List[Any]) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.number, self.since = -1, 0.0
        self._process = context.Process(target=_serve, args=(call, theirs, [self.pipe, *others]))
        self._process.start()
        theirs.close()

    def start(self, number: int, x: Any) -> None:
        self.number, self.since = number, time.monotonic()
        with contextlib.suppress(OSError):  # it has died: its pipe says so when it is read
            self.pipe.send(x)

    def outcome(self) -> Tuple[Outcome, bool]:
        """What its call brought, and whether it lives."""
        try:
            return self.pipe.recv(), True
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode or 0
            how = f"was ended by signal {-code}, {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            text = f"the worker process {how}"
            return Outcome(None, time.monotonic() - self.since, text, text), False

    def _signal(self, which: signal.Signals) -> None:
        """To the process and the programs that it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid or 0, which)

    def close(self, is_busy: bool) -> None:
        self.pipe.close()
        if is_busy:
            self._signal(signal.SIGTERM)
        self._process.join(5)
        if self._process.is_alive():
            self._signal(signal.SIGKILL)
            self._process.join()


class Processes:
    """Calls in a number of processes. One that dies costs its own call only; another one takes its place."""

    def __init__(self, call: Callable[[Any], Any], count: int) -> None:
        self._call, self._waiting = call, collections.deque[Tuple[int, Any]]()
        self._busy: List[_Worker] = []
        self._idle: List[_Worker] = []
        for _ in range(count):
            self._idle.append(self._made())

    def _made(self) -> _Worker:
        return _Worker(self._call, [worker.pipe for worker in self._idle + self._busy])

    def start(self, number: int, x: Any) -> None:
        self._waiting.append((number, x))
        self._assign()

    def _assign(self) -> None:
        while self._waiting and self._idle:
            worker = self._idle.pop()
            self._busy.append(worker)
            worker.start(*self._waiting.popleft())

    def finished(self) -> List[Tuple[int, Outcome]]:
        """Of the calls that have ended, at least one, in the order of their numbers."""
        ready, found = multiprocessing.connection.wait([worker.pipe for worker in self._busy]), []
        for worker in [worker for worker in self._busy if worker.pipe in ready]:
            outcome, lives = worker.outcome()
            found.append((worker.number, outcome))
            self._busy.remove(worker)
            if not lives:
                worker.pipe.close()
            self._idle.append(worker if lives else self._made())
        self._assign()
        return sorted(found, key=lambda pair: pair[0])

    def close(self) -> None:
        self._waiting.clear()
        for worker in self._busy + self._idle:
            worker.close(worker in self._busy)
