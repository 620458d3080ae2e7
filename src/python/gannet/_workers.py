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
MISTAKES = (AttributeError, ImportError, LookupError, NameError, NotImplementedError, SyntaxError, TypeError)

SECONDS_TO_SEE_A_DEATH = 0.5
SECONDS_TO_END = 5  # of workers and the programs that they have started, together

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
        """Of the calls that have ended, at least one, in the order of their numbers. gannet.Error where the executor cannot continue."""
        found: List[Tuple[int, Outcome]] = []
        while self._running and not found:
            done, _ = concurrent.futures.wait(self._running, return_when=concurrent.futures.FIRST_COMPLETED)
            kept = {future for future in done if not isinstance(_failure(future), LOST)}
            suspects = len(self._running) - len(kept)
            found = [outcome for future in done for outcome in self._ended(future, suspects)]
        if not found:
            why = _in_a_line(self._refusal) if self._refusal is not None else "no call is running"
            raise Error(f"the executor cannot continue: {why}") from self._refusal
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
    """Why a call that has ended has no outcome; None where it has one."""
    try:
        future.result()
        return None
    except Exception as error:
        return error


def _serve(call: Callable[[Any], Any], own: Any, others: List[Any]) -> None:
    """The loop of a worker: it ends when the other end of its pipe is closed."""
    os.setpgrp()  # so that programs that the call starts can be ended, too; they do not end by themselves
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # what this process of the user does then is not for its copies
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
        self._group, self._is_asked = self._process.pid or -1, False
        with contextlib.suppress(OSError):  # here, too: it may be signalled before it has come that far
            os.setpgid(self._group, self._group)

    def start(self, number: int, x: Any) -> None:
        self.number, self.since = number, time.monotonic()
        with contextlib.suppress(OSError):  # it has died, which is seen when an outcome is waited for
            self.pipe.send(x)

    def lives(self) -> bool:
        return self._process.exitcode is None

    def outcome(self) -> Tuple[Outcome, bool]:
        """What its call brought, and whether it lives."""
        if not self.lives():
            self.kill()  # what it has started may hold its end of the pipe
        try:
            if self.lives() or self.pipe.poll():
                return self.pipe.recv(), self.lives()
        except (EOFError, OSError):
            self._process.join()
        return self._death(), False

    def _death(self) -> Outcome:
        code = self._process.exitcode or 0
        how = f"was ended by signal {-code}, {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        text = f"the worker process {how}"
        return Outcome(None, time.monotonic() - self.since, text, text)

    def _signal(self, which: int) -> bool:
        """To the process and the programs that it has started; whether there is any."""
        try:
            os.killpg(self._group, which)
            return True
        except (ProcessLookupError, PermissionError):
            return False

    def end(self, is_busy: bool) -> None:
        """Ask the process to end. One that has nothing to do ends by itself, after what was printed in it was written."""
        self.pipe.close()
        if is_busy:
            self._ask()

    def _ask(self) -> bool:
        self._is_asked = True
        return self._signal(signal.SIGTERM)

    def is_there(self) -> bool:
        """Whether it is there, or a program that it has started, which is asked to end then."""
        return self.lives() or (self._signal(0) if self._is_asked else self._ask())

    def kill(self) -> None:
        """End the process and the programs that it has started, which may be there after its death."""
        self._signal(signal.SIGKILL)
        self._process.kill()  # where the call has left the group
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
        found: List[Tuple[int, Outcome]] = []
        for worker in self._ended():
            outcome, lives = worker.outcome()
            found.append((worker.number, outcome))
            self._busy.remove(worker)
            if not lives:
                worker.kill()
                worker.pipe.close()
            self._idle.append(worker if lives else self._made())
        self._assign()
        return sorted(found, key=lambda pair: pair[0])

    def _ended(self) -> List[_Worker]:
        """At least one. A pipe does not tell of a death while a program that the call has forked holds it."""
        while True:
            ready = multiprocessing.connection.wait([worker.pipe for worker in self._busy], SECONDS_TO_SEE_A_DEATH)
            ended = [worker for worker in self._busy if worker.pipe in ready or not worker.lives()]
            if ended:
                return ended

    def close(self) -> None:
        """End all processes and the programs that they have started: ask, and kill those that are there after the deadline."""
        self._waiting.clear()
        workers = self._busy + self._idle
        try:
            for worker in workers:
                worker.end(worker in self._busy)
            deadline = time.monotonic() + SECONDS_TO_END
            while any([worker.is_there() for worker in workers]) and time.monotonic() < deadline:
                time.sleep(0.01)
        finally:  # also where Ctrl-C is pressed again
            for worker in workers:
                worker.kill()
