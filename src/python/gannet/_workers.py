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

# What a wrong program raises rather than a simulation that does not work
MISTAKES = (AttributeError, ImportError, NameError, NotImplementedError, SyntaxError, TypeError)


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
        text = " ".join("".join(traceback.format_exception_only(type(error), error)).split())
        return Outcome(None, time.monotonic() - start, text, traceback.format_exc(), isinstance(error, MISTAKES))


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
    """Calls by a concurrent.futures.Executor of the user."""

    def __init__(self, call: Callable[[Any], Any], executor: concurrent.futures.Executor) -> None:
        self._call, self._executor = call, executor
        self._running: Dict[concurrent.futures.Future[Outcome], int] = {}

    def start(self, number: int, x: Any) -> None:
        self._running[self._executor.submit(run, self._call, x)] = number

    def finished(self) -> List[Tuple[int, Outcome]]:
        done, _ = concurrent.futures.wait(self._running, return_when=concurrent.futures.FIRST_COMPLETED)
        return sorted((self._running.pop(future), future.result()) for future in done)

    def close(self) -> None:
        for future in self._running:
            future.cancel()


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
