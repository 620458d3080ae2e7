#!/usr/bin/env python3
"""Closed-form cases of the model and of the events, and the program itself.

  check_scaling.py TOOLS
"""
import csv
import itertools
import math
import os
import pathlib
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = TOOLS / "simulate-scaling"
sys.path.insert(0, str(TOOLS / "scaling"))
sys.dont_write_bytecode = True
import costs  # noqa: E402
import events  # noqa: E402

LATENCY, BANDWIDTH = 2e-6, 5e9
SHORT = ("--rounds", "1", "--ranks", "1,2", "--times", "1s")
MARKED = "before\n<!-- begin: simulate-scaling -->\nold\n<!-- end: simulate-scaling -->\nafter\n"
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
            return {"ranks": ranks, "method": "neural-bo", "d": 20, "q": q, "candidates": candidates, "gemm": 1e10, "memory": 50e6 + 1e4 * n,
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
    names = ["ranks", "method", "d", "q", "candidates", "gemm", "memory", "model", "measured", "size", "seconds", "work",
             "work_all", "calls", "bytes"]
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


def run(*words, code=0, **more):
    ran = subprocess.run([sys.executable, PROGRAM, *words], capture_output=True, text=True, timeout=50, check=False, **more)
    assert ran.returncode == code, f"{words} ended with {ran.returncode}:\n{ran.stderr}"
    assert "Traceback" not in ran.stderr, ran.stderr
    assert code == 0 or not ran.stdout, f"{words} printed besides its mistake:\n{ran.stdout}"
    return ran.stdout if code == 0 else ran.stderr


def says(text, *words, code=1, **more):
    """The program ends with such a message."""
    told = run(*words, code=code, **more)
    assert text in told, f"{words}: expected '{text}' in\n{told}"


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
    document.write_text(MARKED, encoding="utf-8")
    run("--ranks", "1,2", "--times", "1s", "--rows", str(made), "--write", str(document))
    text = document.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text and "| learn |" in text, text
    assert "16 measured asks on several ranks the model is off by 0 % in the median and by 0 % at most: ask, " in text, text
    assert "has no lines" in run("--ranks", "1,2", "--times", "1s", "--write", str(made), code=1)
    assert "--spread 2.0" in run("--spread", "2", code=1)
    assert "positive" in run("--times", "0s", code=1)


def check_mixtures(folder):
    """Rows of other variables or another method are no further measurements of the same."""
    mixed, rows = folder / "mixed.csv", list(made_rows())
    write(mixed, rows + [{**rows[0], "d": 10}])
    says("rows of d = 10, 20, expected a single one", *SHORT, "--rows", str(mixed))
    write(mixed, rows + [{**rows[0], "method": "auto"}])
    says("rows of method = auto, neural-bo, expected a single one", *SHORT, "--rows", str(mixed))
    text = mixed.read_text(encoding="utf-8").replace("method", "way")
    mixed.write_text(text, encoding="utf-8")
    says("it has no method", *SHORT, "--rows", str(mixed))


def check_repetitions(folder):
    """Of rows that repeat a measurement the median counts, wherever they are."""
    path, rows = folder / "repeated.csv", list(made_rows())
    slow = [{**row, **{name: 100 * row[name] for name in ("seconds", "work", "memory")}} for row in rows]
    for repeated in (slow + rows + rows, rows + slow + rows, rows + rows + slow):
        write(path, repeated)
        model = costs.Model(costs.read_rows(path, "work"))
        for part, serial in SERIAL.items():
            close(model.part(part, 1, 1000, 16, 65536), on_ranks(part, 1, 1000, 16, 65536), f"{part}, repeated")
            assert abs(model.serial[part] - serial) < 1e-3, (part, model.serial[part], serial)
        close(model.memory(3000), 50e6 + 3e7, "memory, repeated")
    write(path, rows + slow)
    model = costs.Model(costs.read_rows(path, "work"))
    close(model.part("fit", 1, 1000, 16, 65536), 50.5 * law("fit", 1000, 16, 65536), "median of two")


def check_comparison(folder, made):
    """Every measured point says what it is; without any there is nothing to praise."""
    lines = run("--compare", "--rows", str(made)).splitlines()
    assert lines[0] == "| measured | ranks | n | q | candidates | ms | model, ms | off |", lines[0]
    assert [cell.strip() for cell in lines[2].split("|")[1:6]] == ["ask", "2", "500", "8", "4096"], lines[2]
    path = folder / "weak.csv"
    write(path, [{**row, "measured": "ask.weak"} if row["measured"] == "ask" and row["ranks"] == 4 else row
                 for row in made_rows()])
    weak = [line for line in run("--compare", "--rows", str(path)).splitlines() if line.startswith("| ask.weak | 4 |")]
    assert "| 500 | 8 | 16384 |" in weak[0], weak
    write(path, [row for row in made_rows() if row["ranks"] == 1 or row["measured"] != "ask"])
    says("nothing to compare", "--compare", "--rows", str(path))
    for more in ("--picture", "--write"):
        document = folder / "compared.md"
        document.write_text(MARKED, encoding="utf-8")
        says("--compare prints one table", "--compare", more, str(document), "--rows", str(made))


def check_order(made):
    """Lists in any order, with repetitions, are the ascending ones."""
    words = "--rounds", "1", "--n", "4000", "--rows", str(made)
    text = run(*words, "--ranks", "1,64,4096", "--times", "1s,1m")
    assert "draws, from 4096" in text, text
    assert text == run(*words, "--ranks", "4096,1,64,4096", "--times", "60s,1s,1m"), "order of --ranks and --times"


def check_numbers(folder, made):
    """Numbers that are none, in options and in the table."""
    for option, value in itertools.chain(
            itertools.product(("--times",), ("inf", "1,nan", "nans", "1e308h", "", "1s,", "s")),
            itertools.product(("--latency", "--bandwidth", "--spread"), ("inf", "nan", "")),
            itertools.product(("--ranks",), ("", "1,", "1.5"))):
        says(f"argument {option}: '", option, value, "--rows", str(made), code=2)
    for option, value in (("--times", "1e300"), ("--latency", "1e300"), ("--bandwidth", "1e-300"), ("--ranks", "1" + 30 * "0"),
                          ("--candidates", "1" + 400 * "0"), ("--n", "1" + 400 * "0")):
        says(f"error: {option} 1", option, value, "--rows", str(made))
    path, rows = folder / "numbers.csv", list(made_rows())
    for name, value in (("seconds", "inf"), ("work", "nan"), ("memory", "-1"), ("q", "0"), ("size", "1.5"), ("work", "")):
        write(path, [{**rows[0], name: value}] + rows[1:])
        says(f"numbers.csv, line 2: {name} ", *SHORT, "--rows", str(path))
    write(path, rows[:1])
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:-20] + "\n", encoding="utf-8")
    says("numbers.csv, line 2: expected 15 cells", *SHORT, "--rows", str(path))


def check_files(folder, made):
    """Files that cannot be read or written, by the program itself and not by gnuplot."""
    words = *SHORT, "--rows", str(made)
    run(*words, "--picture", "it's.svg", cwd=folder)
    assert "</svg>" in (folder / "it's.svg").read_text(encoding="utf-8")
    document = folder / "kept.md"
    document.write_text(MARKED, encoding="utf-8")
    for place in ("/nonexistent/a.svg", "/dev/full", str(folder)):
        says(f"cannot write '{place}'", *words, "--write", str(document), "--picture", place)
    (folder / "gnuplot").write_text("#!/bin/sh\necho no terminal >&2\nexit 1\n", encoding="utf-8")
    (folder / "gnuplot").chmod(0o755)
    says("It says: no terminal", *words, "--write", str(document), "--picture", "a.svg", cwd=folder,
         env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
    binary = folder / "binary"
    binary.write_bytes(bytes(range(256)))
    says("is no table of text", "--rows", str(binary))
    says("is empty: expected a table of gannet-bench scaling", "--rows", os.devnull)
    says("cannot read 'missing.md'", *words, "--write", "missing.md", cwd=folder)
    says("is no text", *words, "--write", str(binary))


def check_output(made):
    """Output that nobody can take is no success, and no traceback; a reader that has enough hears nothing."""
    words = [sys.executable, str(PROGRAM), *SHORT, "--rows", str(made)]
    with open("/dev/full", "w", encoding="utf-8") as full:
        ran = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=50, check=False)
    assert ran.returncode == 1 and "error: cannot write the tables: No space left" in ran.stderr, ran
    assert len(ran.stderr.splitlines()) == 1, ran.stderr
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=50, check=False)
    os.close(writer)
    assert ran.returncode == 1 and not ran.stderr, ran


with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    table = check_model(place)
    check_batches()
    check_accounts()
    check_slots()
    check_program(place, table)
    check_mixtures(place)
    check_repetitions(place)
    check_comparison(place, table)
    check_order(table)
    check_numbers(place, table)
    check_files(place, table)
    check_output(table)
