"""gannet.minimize: in the process, in workers, in an executor; functions that fail; what ends it."""
import concurrent.futures
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import gannet
import numpy as np

BOX = {"x": (0, 1), "y": (-1, 1)}


def bowl(x, y):
    return (x - 0.3)**2 + y**2


def only_x(x):
    """A design under 0.2 cannot work, each time in another way."""
    if x < 0.05:
        os.kill(os.getpid(), signal.SIGKILL)
    if x < 0.1:
        os._exit(3)
    if x < 0.15:
        raise ValueError("the mesh is folded")
    if x < 0.2:
        return math.nan
    return (x - 0.25)**2


def dies_over_half(x):
    if x > 0.5:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def takes_long_or_dies(x):
    if x > 0.5:
        time.sleep(0.5)
    return dies_over_half(x) if x > 0.7 else x


class Cancelling(concurrent.futures.ThreadPoolExecutor):
    """From its fourth call on all are cancelled."""

    calls = 0

    def submit(self, *arguments, **more):
        self.calls += 1
        if self.calls < 4:
            return super().submit(*arguments, **more)
        future = concurrent.futures.Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


class Minimize(unittest.TestCase):
    def test_the_minimum_is_found_and_the_history_is_whole(self):
        result = gannet.minimize(bowl, BOX, evaluations=25)
        self.assertLess(result.value, 1e-4)
        self.assertEqual(bowl(**result.x), result.value)
        self.assertEqual([one.id for one in result.history], list(range(25)))
        self.assertTrue(all(one.value == bowl(**one.x) and one.status == "done" and one.error is None for one in result.history))
        self.assertEqual(result.value, min(one.value for one in result.history))
        self.assertEqual((result.message, result.feasible), ("25 evaluations were made", True))
        self.assertEqual(result.optimizer.counts()["done"], 25)

    def test_a_list_of_bounds_gives_arrays(self):
        result = gannet.minimize(lambda x: float(np.sum((x - [0.3, 2])**2)), [(0, 1), gannet.integer(0, 4)], evaluations=15)
        self.assertEqual(result.x.shape, (2,))
        self.assertEqual(result.x[1], 2)
        self.assertEqual(list(result.table())[:4], ["id", "x0", "x1", "value"])
        with self.assertRaisesRegex(gannet.Error, "variable x0: 'cg' is not a number; give bounds by name"):
            gannet.minimize(lambda x: 0, [["cg", "gmres"]])

    def test_bounds_as_scipy_takes_them(self):
        def f(x):
            return float(np.sum((x - [0.3, 2.5])**2))
        expected = gannet.minimize(f, [(0, 1), (1, 4)], evaluations=8)
        for bounds in ([[0, 1], [1, 4]], np.array([[0, 1], [1, 4]]), np.array([[0.0, 1], [1, 4]]), ([0, 1], (1, 4)),
                       [np.array([0, 1]), [np.float64(1), np.int32(4)]], [[0, 1, "linear"], (1, 4)]):
            with self.subTest(bounds):
                result = gannet.minimize(f, bounds, evaluations=8)
                self.assertEqual([one.x.tolist() for one in result.history], [one.x.tolist() for one in expected.history])
                self.assertEqual(result.optimizer.names, ["x0", "x1"])
        for bounds, told in ((np.array([0, 1]), "variable x0: .* is not a variable"), (np.array(3), r"bounds array\(3\): expected"),
                             ([[1, 2, 4]], "variable x0: 1 is not a number; give bounds by name"),
                             (np.array([[1, 0]]), "variable x0: .*lower")):
            with self.subTest(bounds), self.assertRaisesRegex(gannet.Error, told):
                gannet.minimize(f, bounds)

    def test_constraints(self):
        def f(x, y):
            return x, {"sum": x + y}
        by_name = gannet.minimize(f, BOX, {"sum": (0.5, None)}, evaluations=20, seed=3)
        in_order = gannet.minimize(lambda x, y: (x, [x + y]), BOX, {"sum": (0.5, None)}, evaluations=20, seed=3)
        plain = gannet.minimize(lambda x, y: (x, x + y), BOX, {"sum": (0.5, None)}, evaluations=20, seed=3)
        self.assertEqual(by_name.x, in_order.x)
        array = gannet.minimize(lambda x, y: (x, np.array(x + y)), BOX, {"sum": (0.5, None)}, evaluations=20, seed=3)
        self.assertEqual(by_name.x, plain.x)
        self.assertEqual(by_name.x, array.x)
        self.assertTrue(by_name.feasible)
        self.assertEqual(by_name.constraints, {"sum": by_name.x["x"] + by_name.x["y"]})
        self.assertGreaterEqual(by_name.constraints["sum"], 0.5)
        none = gannet.minimize(lambda x, y: (x, 3.0), BOX, {"sum": (None, 1)}, evaluations=5)
        self.assertEqual((none.feasible, none.constraints), (False, {"sum": 3.0}))

    def test_a_check_that_comes_first_leaves_the_others_out(self):
        result = gannet.minimize(lambda x, y: (x, {"g": y, "h": None if y > 0 else x}), BOX, {"g": (None, 0), "h": (0.2, None)},
                                 evaluations=20)
        self.assertTrue(result.feasible)
        self.assertTrue(any(math.isnan(one.constraints["h"]) for one in result.history))

    def test_batches_are_reproducible_and_workers_do_not_matter(self):
        def uneven(x, y):
            time.sleep(0.02 * (x > 0.5))
            return bowl(x, y)
        runs = [gannet.minimize(uneven, BOX, evaluations=14, workers=workers, batch=4) for workers in (1, 3)]
        self.assertEqual([one.x for one in runs[0].history], [one.x for one in runs[1].history])

    def test_workers_run_at_once_and_take_lambdas(self):
        result = gannet.minimize(lambda x: (time.sleep(0.2), os.getpid())[1] * x, {"x": (1, 2)}, evaluations=8, workers=4,
                                 method="sobol")
        pids = {round(one.value / one.x["x"]) for one in result.history}
        self.assertEqual(len(pids), 4)
        self.assertNotIn(os.getpid(), pids)

    def test_an_executor_makes_the_calls(self):
        threads = set()

        def f(x, y):
            threads.add(threading.get_ident())
            time.sleep(0.05)
            return bowl(x, y)
        with concurrent.futures.ThreadPoolExecutor(3) as executor:
            result = gannet.minimize(f, BOX, evaluations=9, workers=3, executor=executor)
        self.assertEqual((len(result.history), len(threads)), (9, 3))
        with concurrent.futures.ProcessPoolExecutor(2) as executor:
            result = gannet.minimize(bowl, BOX, evaluations=6, workers=2, batch=2, executor=executor)
        self.assertEqual([one.x for one in result.history], [one.x for one in gannet.minimize(bowl, BOX, evaluations=6, batch=2).history])

    def test_a_broken_executor_ends_it_with_what_was_found(self):
        with concurrent.futures.ProcessPoolExecutor(2) as executor, self.assertLogs("gannet", "WARNING"):
            with self.assertRaisesRegex(gannet.Error, "^the executor cannot continue: .*BrokenProcessPool: A process") as caught:
                gannet.minimize(dies_over_half, {"x": (0, 1)}, evaluations=30, executor=executor, method="sobol")
        result = caught.exception.result
        self.assertIsInstance(caught.exception.__cause__, concurrent.futures.BrokenExecutor)
        *good, last = result.history
        self.assertEqual((last.status, last.x["x"] > 0.5), ("cannot_run", True))
        self.assertIn("BrokenProcessPool", last.error)
        self.assertTrue(all(one.status == "done" and one.value == one.x["x"] for one in good))
        self.assertEqual(result.message, f"an error has ended the search after {len(result.history)} evaluations")
        self.assertEqual(result.optimizer.counts()["done"], len(good))

    def test_of_several_calls_of_a_broken_executor_none_is_blamed(self):
        with concurrent.futures.ProcessPoolExecutor(3) as executor:
            for batch in None, 3:
                with self.assertRaisesRegex(gannet.Error, "^the executor cannot continue: ") as caught:
                    gannet.minimize(takes_long_or_dies, {"x": (0, 1)}, evaluations=60, workers=3, batch=batch, executor=executor,
                                    method="sobol")
                result = caught.exception.result
                if batch is None:
                    self.assertTrue(result.history)
                    self.assertEqual({one.status for one in result.history}, {"done"})
                    self.assertGreaterEqual(len(result.optimizer.pending()), 2)

    def test_an_executor_that_was_shut_down_or_cancels(self):
        with concurrent.futures.ThreadPoolExecutor(2) as executor:
            with self.assertRaisesRegex(gannet.Error, "cannot continue: RuntimeError: cannot schedule new futures") as caught:
                gannet.minimize(bowl, BOX, executor=executor, callback=lambda one: executor.shutdown(wait=False) if one.id == 3 else None)
        self.assertEqual(len(caught.exception.result.history), 4)
        with self.assertRaisesRegex(gannet.Error, "cannot continue: RuntimeError: cannot schedule new futures") as caught:
            gannet.minimize(bowl, BOX, executor=executor)
        self.assertIsNone(caught.exception.result)
        with Cancelling(1) as executor, self.assertRaisesRegex(gannet.Error, "cannot continue: .*CancelledError") as caught:
            gannet.minimize(bowl, BOX, executor=executor)
        self.assertEqual([one.status for one in caught.exception.result.history], ["done"] * 3)

    def test_what_cannot_be_sent_to_an_executor_is_a_mistake(self):
        with concurrent.futures.ProcessPoolExecutor(1) as executor:
            with self.assertRaisesRegex(gannet.Error, "(?s)which looks like a mistake in it.*[Pp]ickle"):
                gannet.minimize(lambda x: x, {"x": (0, 1)}, executor=executor)

    def test_errors_after_evaluations_have_what_was_found(self):
        for workers, batch in (1, None), (2, None), (4, 4):
            with self.subTest(workers=workers), self.assertRaisesRegex(gannet.Error, "'high' is not a number") as caught:
                gannet.minimize(lambda x: x if x <= 0.7 else "high", {"x": (0, 1)}, evaluations=40, workers=workers, batch=batch,
                                method="sobol")
            result = caught.exception.result
            self.assertTrue(result.history)
            self.assertTrue(all(one.value == one.x["x"] for one in result.history))
            self.assertEqual(result.value, min(one.value for one in result.history))

        def callback(one):
            if one.id == 3:
                raise ValueError("the disk is full")
        with self.assertRaisesRegex(ValueError, "the disk is full") as caught:
            gannet.minimize(bowl, BOX, callback=callback)
        self.assertEqual(len(caught.exception.result.history), 4)
        with self.assertRaises(gannet.Error) as caught:
            gannet.minimize(lambda x: "low", {"x": (0, 1)})
        self.assertIsNone(caught.exception.result)

    def test_designs_that_fail_are_left(self):
        with self.assertLogs("gannet", "WARNING") as heard:
            result = gannet.minimize(only_x, {"x": (0, 1)}, evaluations=40, workers=2, batch=2)
        failed = {one.id: one for one in result.history if one.status == "cannot_run"}
        self.assertEqual(set(failed), {one.id for one in result.history if one.x["x"] < 0.2})
        self.assertTrue(all(math.isnan(one.value) for one in failed.values()))
        told = {one.error for one in failed.values()}
        self.assertIn("ValueError: the mesh is folded", told)
        self.assertIn("the worker process was ended by signal 9, SIGKILL", told)
        self.assertLess(result.value, 1e-3)
        self.assertEqual(result.optimizer.counts()["cannot_run"], len(failed))
        self.assertTrue(any("the mesh is folded" in line for line in heard.output))

    def test_all_fail(self):
        with self.assertLogs("gannet", "WARNING"):
            result = gannet.minimize(lambda x: 1 / 0, {"x": (0, 1)}, evaluations=4)
        self.assertEqual((result.x, result.feasible, len(result.history)), (None, False, 4))
        self.assertTrue(math.isnan(result.value))
        self.assertEqual(result.history[0].error, "ZeroDivisionError: division by zero")

    def test_mistakes_in_the_function_end_it_at_once(self):
        calls = []

        def wrong(x):
            calls.append(x)
            return undefined_name  # noqa: F821
        for workers in 1, 2:
            with self.assertRaisesRegex(gannet.Error, r"(?s)^the function has failed at \{'x': .*NameError: name 'undefined_name'"):
                gannet.minimize(wrong, {"x": (0, 1)}, workers=workers)
        self.assertEqual(len(calls), 1)
        with self.assertRaisesRegex(gannet.Error, "KeyError: 'y'"):
            gannet.minimize(lambda x: {"x": x}["y"], {"x": (0, 1)})
        with self.assertRaisesRegex(gannet.Error, "unexpected keyword argument 'x'"):
            gannet.minimize(lambda z: z, {"x": (0, 1)})
        with self.assertRaisesRegex(gannet.Error, "what was returned cannot be sent"):
            gannet.minimize(lambda x: lambda: x, {"x": (0, 1)}, workers=2)

    def test_what_looks_like_a_mistake_later_is_a_failure(self):
        def later(x):
            if x > 0.9:
                raise TypeError("None has no pressure")
            return x
        with self.assertLogs("gannet", "WARNING"):
            result = gannet.minimize(later, {"x": (0, 1)}, evaluations=8)
        self.assertTrue(any(one.error == "TypeError: None has no pressure" for one in result.history))

    def test_wrong_arguments(self):
        for wrong, told in (
                (dict(f=3), "f = 3: expected a function"),
                (dict(bounds={}), "variable"),
                (dict(bounds={"x": (1, 0)}), "variable x: .*lower"),
                (dict(bounds={"x": 3}), "variable x: 3 is not a variable; expected"),
                (dict(bounds=3), r"bounds 3: expected a dictionary"),
                (dict(bounds="xy"), r"bounds 'xy': expected a dictionary"),
                (dict(constraints={"g": 1}), "constraint g: 1 is no pair"),
                (dict(evaluations=0), "evaluations = 0 evaluations, expected at least 1"),
                (dict(workers=1.5), "workers = 1.5, expected a whole number of workers"),
                (dict(batch=0), "batch = 0 points, expected at least 1"),
                (dict(seed=-1), "seed -1: expected"),
                (dict(goal="maximize"), "goal is not for minimize; use gannet.Optimizer, or return the negative value"),
                (dict(objectives={}), "objectives is not for minimize"),
                (dict(methd="auto"), "unknown argument 'methd'; did you mean 'method'?"),
                (dict(evaluation=5), "did you mean 'evaluations'?"),
                (dict(initail=5), "initail"),
                (dict(method="neural-b"), "neural-bo")):
            with self.subTest(wrong), self.assertRaisesRegex(gannet.Error, told):
                gannet.minimize(**{"f": bowl, "bounds": BOX, **wrong})

    def test_wrong_returns(self):
        for f, constraints, told in (
                (lambda x: "low", None, "value of the function: 'low' is not a number"),
                (lambda x: x, {"g": (0, 1)}, r"has returned 0\.\d+; expected \(value, constraints\), of the constraints g"),
                (lambda x: (x, {"h": 1}), {"g": (0, 1)}, "unknown constraint 'h'"),
                (lambda x: (x, [1, 2]), {"g": (0, 1)}, "2 constraints are given; expected g"),
                (lambda x: (x, [1]), {"g": (0, 1), "h": (0, 1)}, "constraint h is missing"),
                (lambda x: (x, np.array(1)), {"g": (0, 1), "h": (0, 1)}, r"constraints array\(1\): expected a dictionary or a sequence"),
                (lambda x: (x, {"g": 1}), {"g": (0, 1), "h": (0, 1)}, "constraint h is missing"),
                (lambda x: (x, ["a"]), {"g": (0, 1)}, "constraint g: 'a' is not a number")):
            with self.subTest(told), self.assertRaisesRegex(gannet.Error, told):
                gannet.minimize(f, {"x": (0, 1)}, constraints)

    def test_the_callback_sees_every_evaluation_and_may_end_the_search(self):
        seen = []

        def until(one):
            seen.append(one.id)
            if one.id == 5:
                raise StopIteration
        result = gannet.minimize(bowl, BOX, evaluations=30, callback=until)
        self.assertEqual((seen, len(result.history)), (list(range(6)), 6))
        self.assertEqual(result.message, "the callback has ended the search after 6 of 30 evaluations")

    def test_the_optimizer_goes_on(self):
        result = gannet.minimize(bowl, BOX, evaluations=12)
        point, = result.optimizer.ask()
        result.optimizer.tell(point, bowl(**point))
        self.assertEqual(result.optimizer.counts()["done"], 13)
        self.assertLess(abs(result.optimizer.predict(result.x).mean["objective"] - result.value), 0.1)

    def test_quantities(self):
        result = gannet.minimize(lambda x, y: gannet.Quantity(bowl(x, y), sd=0.01), BOX, evaluations=6)
        self.assertEqual(result.optimizer.quantity(0, "objective").sd, 0.01)
        self.assertEqual(result.value, bowl(**result.x))

    def test_tables_have_a_column_for_everything(self):
        result = gannet.minimize(lambda x, s: (x, x), {"x": (0, 1), "s": ["a", "b"]}, {"g": (None, 1)}, evaluations=3)
        table = result.table()
        self.assertEqual(list(table), ["id", "x", "s", "value", "g", "status", "seconds", "error"])
        self.assertEqual(list(table["value"]), [one.value for one in result.history])


INTERRUPTED = """
import gannet, os, signal, subprocess, sys, time
def slow(x):
    if x >= 0.5:
        exec(sys.argv[2])
    subprocess.run(["sleep", "0.1" if x < 0.5 else "60.25"])
    return x
result = gannet.minimize(slow, {"x": (0, 1)}, evaluations=500, workers=int(sys.argv[1]), method="sobol",
                         callback=lambda one: print("one", flush=True))
print(result.message, result.value, flush=True)
"""


class Interrupt(unittest.TestCase):
    def interrupted(self, workers, whole_group, first="", seconds=20):
        with subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(workers), first], stdout=subprocess.PIPE, text=True,
                              start_new_session=True) as process:
            self.assertEqual(process.stdout.readline(), "one\n")
            time.sleep(0.5)
            (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
            started = time.monotonic()
            said = process.stdout.read()
            self.assertLess(time.monotonic() - started, seconds)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(said, r"interrupted after \d+ of 500 evaluations 0\.\d+\n$")
        with tempfile.TemporaryFile("w+") as file:
            subprocess.run(["ps", "-eo", "sid,args"], stdout=file, check=True)
            file.seek(0)
            self.assertNotIn(f"{process.pid} sleep 60.25", file.read())

    @unittest.skipUnless(pathlib.Path("/bin/ps").exists(), "procps is not installed")
    def test_ctrl_c_returns_what_is_there_and_leaves_no_process(self):
        self.interrupted(1, True)
        self.interrupted(3, True)
        self.interrupted(3, False)  # as a notebook does

    @unittest.skipUnless(pathlib.Path("/bin/ps").exists(), "procps is not installed")
    def test_ctrl_c_ends_what_ignores_term_after_one_deadline(self):
        self.interrupted(3, False, "signal.signal(signal.SIGTERM, signal.SIG_IGN)", 12)  # the program, too
        self.interrupted(2, False, "subprocess.Popen(['sh', '-c', \"trap '' TERM; sleep 60.25; sleep 60.25\"])", 12)


LEFT = """
import gannet, os, signal, subprocess, sys, time
def f(x):
    print("called", x)
    if sys.argv[1] == "fork":
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    else:
        subprocess.Popen(["sleep", "60.25"])
    if sys.argv[2] == "dies" and x > 0.5:
        os.kill(os.getpid(), signal.SIGKILL)
    return x
signal.signal(signal.SIGTERM, lambda *_: print("not for workers", flush=True))
result = gannet.minimize(f, {"x": (0, 1)}, evaluations=6, workers=2, method="sobol")
print(*(one.status for one in result.history))
def others():  # processes of this session beside this one and ps; the dead (Z) are waited for by the system
    listed = subprocess.run(["ps", "-eo", "sid,pid,stat,comm"], stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return [row for row in rows if row[0] == str(os.getpid()) != row[1] and row[2][0] != "Z" and row[3] != "ps"]
deadline = time.monotonic() + 5  # what was killed ends as soon as it gets a processor
while others() and time.monotonic() < deadline:
    time.sleep(0.1)
print("left:", others())
"""


@unittest.skipUnless(pathlib.Path("/bin/ps").exists(), "procps is not installed")
class Left(unittest.TestCase):
    """Programs and processes that a call has started and left behind, with its worker alive or dead."""

    def left(self, *arguments):
        started = time.monotonic()
        ran = subprocess.run([sys.executable, "-c", LEFT, *arguments], capture_output=True, text=True, check=False, start_new_session=True,
                             timeout=100)
        self.assertLess(time.monotonic() - started, 30, ran.stdout + ran.stderr)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        *said, status, others = ran.stdout.splitlines()
        self.assertEqual(others, "left: []", ran.stdout)
        return said, status

    def test_nothing_is_left_by_workers_that_live(self):
        for how in "fork", "program":
            said, status = self.left(how, "lives")
            self.assertEqual((len(said), status), (6, " ".join(["done"] * 6)), said)

    def test_nothing_is_left_by_workers_that_die(self):
        for how in "fork", "program":
            said, status = self.left(how, "dies")
            self.assertEqual(sorted(set(status.split())), ["cannot_run", "done"], said)


if __name__ == "__main__":
    unittest.main()
