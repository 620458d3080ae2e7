#!/usr/bin/env python3
"""Closed-form cases of the model and of the events, and the program itself.

  check_scaling.py TOOLS
"""
import csv
import itertools
import math
import pathlib
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(sys.argv[1])
PROGRAM = TOOLS / "simulate-scaling"
sys.path.insert(0, str(TOOLS / "scaling"))
sys.dont_write_bytecode = True
import costs  # noqa: E402
import events  # noqa: E402

LATENCY, BANDWIDTH = 2e-6, 5e9
SERIAL = {"fit": 1, "draws": 1, "scan": 0, "polish": 0, "choose": 0.25, "learn": 0.5}


def close(a, b, what):
    assert math.isclose(a, b, rel_tol=1e-3), f"{what}: {a}, expected {b}"


def law(part, n, q, candidates):
    """Growth that differs from what is taken when nothing is measured."""
    return {"fit": 1e-9 * n**1.5, "draws": 1e-7 * n * q, "scan": 1e-8 * candidates**0.8 * n**0.5 * q**0.25,
            "polish": 1e-6 * n**0.75 * q, "choose": 1e-8 * n * q**1.5, "learn": 1e-4 * n**0.5}[part]


def on_ranks(part, ranks, n, q, candidates):
    """Every rank's part of the choice grows with q, from the 32 points of the rows in which it is cut."""
    units, serial = costs.unit_count(part, q, candidates), SERIAL[part]
    serial *= (q / 32) ** -0.5 if part == "choose" and q > 32 else 1
    return law(part, n, q, candidates) * (serial + (1 - serial) * math.ceil(units / ranks) / units)


def made_rows():
    """What gannet-bench scaling would have written, if the model were exact."""
    for ranks, q, n, candidates in itertools.product((1, 2, 4), (8, 32), (500, 2000), (4096, 16384)):
        def row(measured, size, seconds, **more):
            return {"ranks": ranks, "d": 20, "q": q, "candidates": candidates, "gemm": 1e10, "memory": 50e6 + 1e4 * n,
                    "model": 1e4 * n, "measured": measured, "size": size, "seconds": seconds, "work": seconds, **more}
        parts = {part: on_ranks(part, ranks, n, q, candidates) for part in costs.PARTS}
        yield row("ask", n, sum(parts.values()), calls=20 * (ranks > 1), bytes=100 * q * (ranks > 1))
        for part, seconds in parts.items():
            yield row(part, n, seconds)
        yield row("fit.learnt", n, parts["fit"] + on_ranks("learn", ranks, n, q, candidates))
        for size in (8, 65536):
            yield row("allreduce", size, costs.steps(ranks) * (LATENCY + size / BANDWIDTH))
        yield row("journal", q, 1e-4 * q)
        yield row("checkpoint", n, 1e-6 * n)


def write(path, rows):
    names = ["ranks", "d", "q", "candidates", "gemm", "memory", "model", "measured", "size", "seconds", "work", "work_all",
             "calls", "bytes"]
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(rows)


def check_model(folder):
    path = folder / "made.csv"
    write(path, made_rows())
    model = costs.Model(costs.read_rows(path, "work"))
    close(model.network.latency, LATENCY + 8 / BANDWIDTH, "latency")
    close(model.network.bandwidth, BANDWIDTH, "bandwidth")
    for part, serial in SERIAL.items():
        assert abs(model.serial[part] - serial) < 1e-3, (part, model.serial[part], serial)
        for ranks, n, q in ((1, 100, 4), (3, 1000, 16), (64, 4000, 128), (16384, 4000, 128)):
            close(model.part(part, ranks, n, q, 65536), on_ranks(part, ranks, n, q, 65536), f"{part} on {ranks}")
    parts = model.proposal(8, 1000, 10, 4096)
    close(parts["exchange"], 3 * (20 * model.network.latency + 1000 / BANDWIDTH), "exchange")
    close(parts["learn"], 0.1 * on_ranks("learn", 8, 1000, 10, 4096), "learning in a tenth of the proposals")
    close(model.memory(3000), 50e6 + 3e7, "memory")
    close(model.journal, 1e-4, "journal")
    return path


def check_batches():
    """Equal simulations: every batch takes what is proposed, a simulation, and one record."""
    def propose(q):
        return {"scan": 0.5, "learn": 0.25 * (q > 0)}
    for workers, waves in ((1, 1), (4, 1), (4, 3)):
        outcome = events.run_batch(workers, workers * waves, 5, itertools.repeat(2.0), propose, 0.0)
        close(outcome.utilisation(), 2 * waves / (2 * waves + 0.75), "batches")
        assert outcome.bottleneck() == "scan" and outcome.proposal() == 0.75
    outcome = events.run_batch(4, 4, 5, itertools.repeat(2.0), propose, 0.125)
    close(outcome.utilisation(), 2 / (2 + 0.75 + 4 * 0.125), "results are written down one after the other")
    outcome = events.run_batch(4, 1, 5, itertools.repeat(2.0), propose, 0.0)
    close(outcome.utilisation(), 2 / (4 * 2.75), "one point for four workers")
    assert outcome.bottleneck() == "too few points"
    outcome = events.run_batch(2, 2, 5, itertools.cycle((1.0, 3.0)), propose, 0.0)
    close(outcome.utilisation(), 4 / (2 * 3.75), "unequal simulations")
    assert outcome.bottleneck() == "the slowest simulation"


def check_accounts():
    """What was not worked was waited, to the last second."""
    times = events.durations(3, 1.0, 0.5)
    outcome = events.run_batch(7, 16, 9, times, lambda q: {"scan": 0.1}, 0.01)
    close(outcome.busy + sum(outcome.waited.values()), 7 * outcome.elapsed, "slot seconds")
    assert all(0.5 <= next(times) <= 1.5 for _ in range(100))


def check_slots():
    """One slot alternates; when the controller needs c per point, it can feed s / c slots and no more."""
    outcome = events.run_asynchronous(1, 50, itertools.repeat(2.0), lambda q: {"scan": 0.5}, 0.0)
    close(outcome.utilisation(), 0.8, "one slot")
    ideal = events.run_asynchronous(10, 500, events.durations(1, 1.0, 0.5), lambda q: {"scan": 0.0}, 0.0)
    close(ideal.utilisation(), 1, "no cost")
    slots, each = 400, 0.01
    outcome = events.run_asynchronous(slots, 40 * slots, events.durations(1, 1.0, 0.5), lambda q: {"draws": each * q}, 0.0)
    assert abs(outcome.utilisation() * slots * each - 1) < 0.05, outcome.utilisation()
    assert outcome.bottleneck() == "draws"


def run(*words, code=0):
    ran = subprocess.run([sys.executable, PROGRAM, *words], capture_output=True, text=True, timeout=50, check=False)
    assert ran.returncode == code, f"{words} ended with {ran.returncode}:\n{ran.stderr}"
    return ran.stdout if code == 0 else ran.stderr


def check_program(folder, made):
    text = run("--rounds", "2", "--ranks", "1,16,256", "--times", "1s,1h", "--rows", str(made))
    assert "No bottleneck of batches" in text and text.count("| 256 |") == 3, text
    text = run("--rounds", "2", "--ranks", "1,4096", "--times", "1s", "--n", "4000", "--rows", str(made))
    assert "First bottleneck of batches with simulations of 1 s: draws, from 4096" in text, text
    compared = run("--compare", "--rows", str(made))
    assert "off by 0 % at most" in compared, compared
    assert "off by" in run("--compare"), "the measured rows"
    broken = folder / "broken.csv"
    broken.write_text("a,b\n1,2\n", encoding="utf-8")
    assert "no table of gannet-bench scaling" in run("--rows", str(broken), code=1)
    assert "cannot read" in run("--rows", str(folder / "absent.csv"), code=1)
    write(broken, [row for row in made_rows() if row["ranks"] == 1])
    assert "two ranks" in run("--rows", str(broken), code=1)
    write(broken, [row for row in made_rows() if row["ranks"] > 1])
    assert "mpirun -n 1" in run("--rows", str(broken), code=1)
    document = folder / "page.md"
    document.write_text("before\n<!-- begin: simulate-scaling -->\nold\n<!-- end: simulate-scaling -->\nafter\n", encoding="utf-8")
    run("--ranks", "1,2", "--times", "1s", "--rows", str(made), "--write", str(document))
    text = document.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text and "| learn |" in text, text
    assert "has no lines" in run("--ranks", "1,2", "--times", "1s", "--write", str(made), code=1)
    assert "--spread 2.0" in run("--spread", "2", code=1)
    assert "positive" in run("--times", "0s", code=1)


with tempfile.TemporaryDirectory() as scratch:
    table = check_model(pathlib.Path(scratch))
    check_batches()
    check_accounts()
    check_slots()
    check_program(pathlib.Path(scratch), table)
