#!/usr/bin/env python3
"""Run every sub-benchmark with tiny sizes and look at what it says.

  check_bench.py PROGRAM MPIRUN
"""
import pathlib
import re
import subprocess
import tempfile
import time

from program import PROGRAM, cells, rows_of, run


def check_peak():
    for ranks in (1, 2):
        text = run(ranks, "peak", "--size", "64", "--n", "50", "--elements", "1000", "--seconds", "1ms")
        assert f"{ranks} rank(s)" in text
        row = cells(text, "DGEMM 64 x 64 x 64 (large)")[0]
        assert 0 < float(row[0]) <= float(row[1]) and row[2] == "GFLOP/s", row


def check_proposal():
    text = run(1, "proposal", "--d", "3", "--q", "2", "--candidates", "300", "--n", "20,40",
               "--repeat", "2", "--fits", "2")
    for n in ("20", "40"):
        kept, learnt, first, memory = cells(text, n)
        assert [kept[0], learnt[0], first[0]] == ["kept", "learnt", "learnt first"]
        for row in (kept, learnt, first):
            whole, *parts = map(float, row[1:])
            assert whole > 0 and sum(parts) <= whole + 0.5, row
        assert all(float(cell) >= 0 for cell in memory), memory
    assert "Growth from n = 20 to 40" in text


def check_history():
    words = ("history", "--n", "40,80", "--problems", "branin:2", "--methods",
             "gp-ts+surrogate.inducing=0,gp-ts+surrogate.inducing=10,random", "--set", "initial=4",
             "--q", "2", "--batches", "2", "--candidates", "200", "--seeds", "2")
    one, two = (cells(run(ranks, *words), "branin:2") for ranks in (1, 2))
    assert [row[0] for row in one] == ["40"] * 3 + ["80"] * 3, one
    for alone, shared in zip(one, two):
        assert alone[:6] == shared[:6], f"ranks change the result: {alone} {shared}"
        begun, ended, nlpd, rmse, *times, size = (cell.split()[0] for cell in alone[2:])
        times = [float(time) for time in times]
        assert 0 <= float(ended) <= float(begun) and min(times) >= 0, alone
        if alone[1] == "random":
            assert (nlpd, rmse, size) == ("–", "–", "0"), alone
        else:
            assert float(nlpd) < 2 and 0 < float(rmse) < 1 and times[0] > 0, alone
    assert float(one[0][5].split()[0]) < float(one[1][5].split()[0]), "more points predict better"


def check_undefined():
    """Numbers that there are not: densities of forests that are sure, exponents between equal sizes."""
    text = run(1, "history", "--n", "30", "--problems", "branin:2", "--methods", "forest-ei", "--set", "initial=4",
               "--q", "2", "--batches", "1", "--candidates", "100", "--seeds", "2")
    nlpd, rmse = cells(text, "branin:2")[0][4:6]
    assert nlpd == "–" and float(rmse.split()[0]) > 0, text
    text = run(1, "proposal", "--n", "20,20", "--d", "2", "--q", "2", "--candidates", "100", "--repeat", "1", "--fits", "1")
    assert "ask – without learning, – with; memory of the optimiser – (" in text, text
    text = run(1, "ensemble", "--n", "3,3", "--d", "2", "--width", "4", "--members", "1", "--seconds", "1ms", "--repeat", "1")
    assert [row[-1] for row in cells(text, "3")] == ["–", "–"], text
    tiny = ("ensemble", "--d", "3", "--width", "5", "--members", "3", "--seconds", "1ms", "--repeat", "1")
    text = run(1, *tiny, "--n", "2", "--layers", "8", "--noise", "0")
    assert "inf" not in text, text
    for words in (("--trainer", "sgd", "--n", "9"), ("--n", "2001", "--layers", "1")):  # which count no work
        text = run(1, *tiny, *words)
        steps, trials, loss, milliseconds, rate, share = cells(text, words[words.index("--n") + 1])[0][:6]
        assert {steps, trials, rate, share} == {"–"} and float(loss) > 0 and float(milliseconds) > 0, text


def check_lists():
    """Defaults of several items; lists with and without brackets; what a list is not."""
    text = run(1, "history", "--n", "20", "--q", "2", "--batches", "1", "--candidates", "100",
               "--seeds", "1")
    for problem in ("hartmann6:6", "levy:20"):
        assert [row[1] for row in cells(text, problem)] == [
            "neural-bo+surrogate.inducing=0", "neural-bo+surrogate.inducing=500"], text
    for methods in ("sobol,random", "[sobol, random]"):
        text = run(1, "ecdf", "--landscapes", "sphere", "--dimensions", "2", "--methods", methods, "--instances", "1")
        assert "| D = 2 | sobol | random |" in text, text
    text = run(1, "ecdf", "--landscapes", "sphere", "--dimensions", "2", "--methods", "sobol", "random", code=2)
    assert "'random' is not an option" in text and "lists as a,b" in text, text


def check_scan():
    for ranks in (1, 2):
        text = run(ranks, "scan", "--d", "3", "--q", "2", "--candidates", "2000", "--n", "60",
                   "--width", "16", "--seconds", "1ms", "--repeat", "2")
        for what in ("whole scan", "draws, estimates",
                     "draws, exact", "mean and sd, estimates",
                     "mean and sd, exact"):
            rate, seconds, share, large = map(float, cells(text, what)[0])
            assert rate > 0 and abs(rate * seconds - 2000) < 0.01 * rate, text
            assert share >= 0 and large >= 0, text
    text = run(1, "scan", "--method", "gp-ts", "--n", "60", "--features", "31", "--seconds", "1ms")
    assert "31 features" in text and len(cells(text, "draws, estimates")) == 1, text
    text = run(1, "scan", "--n", "60", "--set", "surrogate.activation=relu", "--seconds", "1ms")
    assert "exact" in text and "estimates" not in text, text
    text = run(1, "scan", "--n", "60", "--set", "surrogate.factor=distributed", "--seconds", "1ms")
    table = text[text.index("| what"):text.index("| whole scan")].splitlines()
    assert all(line.startswith("|") for line in table) and table[-1].endswith("cut over the ranks | – | – | – | – |"), text


def check_factor():
    for ranks, grid in ((1, ()), (2, ("--rows", "2", "--columns", "1", "--block", "8")), (2, ("--rows", "2")),
                        (2, ("--columns", "1"))):
        text = run(ranks, "factor", "--n", "60,90", "--q", "3", "--seconds", "1ms", *grid)
        for n in (60, 90):
            whole, cut = cells(text, str(n))
            assert [whole[0], cut[0]] == ["replicated", "distributed"]
            assert all(float(cell) > 0 for row in (whole, cut) for cell in (row[1], *row[4:6])), text
            made, rate = map(float, whole[1:3])
            assert abs(made * rate * 3e6 - n**3) * rate < 0.6 * n**3, text  # milliseconds, GFLOP/s
    assert "made, ms" in text
    assert "grid of 3 x 1 ranks, but there are 2" in run(2, "factor", "--n", "60", "--seconds", "1ms", "--rows", "3", code=2)
    assert "panel = 9" in run(1, "factor", "--block", "8", "--panel", "9", code=2)


def check_front():
    for ranks in (1, 2):
        text = run(ranks, "front", "--n", "20,30", "--objectives", "2,3", "--repeat", "2")
        two, three = cells(text, "20")
        assert two[0] == "2" and two[2] == "21" and three[2] == "41", text  # boxes: n + 1 and 2 n + 1
        assert all(float(cell) >= 0 for row in (two, three) for cell in row), text


def check_ensemble():
    words = ("ensemble", "--n", "20,40", "--d", "3", "--width", "8", "--members", "3", "--seconds",
             "1ms", "--repeat", "1")
    tables = [run(ranks, *words) for ranks in (1, 2)]
    for n in ("20", "40"):
        one, two = (cells(text, n)[0] for text in tables)
        assert one[:3] == two[:3], f"ranks change the result: {one} {two}"
        assert 0 < float(one[0]) <= 20 and float(one[1]) > float(one[0]), one
    assert cells(tables[0], "20")[0][-1] == "–" and float(cells(tables[0], "40")[0][-1]) != 0


def check_scaling(folder):
    rows = {}
    for ranks in (1, 2):
        table = folder / f"scaling{ranks}.csv"
        text = run(ranks, "scaling", "--n", "30", "--d", "3", "--q", "2", "--candidates", "2000",
                   "--repeat", "2", "--fits", "1", "--directory", str(folder), "--csv", str(table))
        assert f"{ranks} rank(s)" in text and "GEMM peak" in text
        rows[ranks] = {(row["measured"], row["size"]): row for row in rows_of(table)}
        for part in ("ask", "fit", "draws", "scan", "polish", "choose"):
            for kind in ("", ".learnt", ".weak"):
                row = rows[ranks][part + kind, "30"]
                assert float(row["seconds"]) > 0 and float(row["work"]) > 0, row
                assert (float(row["calls"]) > 0) == (ranks > 1), row
    parts = ("fit", "draws", "scan", "polish", "choose")
    for kind in ("", ".learnt"):
        for column in ("calls", "bytes"):
            whole, of_parts = (sum(float(rows[2][part + kind, "30"][column]) for part in names)
                               for names in (("ask",), parts))
            assert 0 < of_parts <= whole, (kind, column, of_parts, whole)
    assert ("allreduce", "65536") in rows[2] and ("journal", "2") in rows[1]
    assert not [path for path in folder.iterdir() if path.name.startswith("gannet-scaling")]
    assert "one or two" in run(1, "scaling", "--n", "30,40,50", code=2)
    check_scaling_columns(folder, folder / "scaling1.csv")
    check_scaling_outputs(folder)
    check_scaling_storage(folder)


def check_speedup():
    words = "--n", "30", "--d", "3", "--q", "2", "--candidates", "500", "--repeat", "3", "--fits", "2"
    for ranks in (2, 3):
        text = run(ranks, "speedup", *words)
        assert f"{ranks} ranks and one in turns" in text
        kinds = {row[0]: row[1:] for row in cells(text, "30")}
        assert set(kinds) == {"kept", "learnt", "learnt first"}, text
        for kind, row in kinds.items():
            pairs = "3" if kind == "kept" else "2"
            assert row[:2] == [pairs, pairs], f"other points on one rank: {row}"
            one, all_ranks, speedup, even, share = (float(cell.split()[0]) for cell in row[2:7])
            assert min(one, all_ranks, speedup, even, share) > 0, row
    rows = cells(run(2, "speedup", "--method", "random", *words), "30")
    assert [row[0] for row in rows] == ["kept"] and rows[0][-1] == "–", rows
    assert "mpirun -n 2" in run(1, "speedup", code=2)
    assert "initial design" in run(2, "speedup", "--n", "2", "--d", "3", code=2)
    text = run(2, "speedup", "--method", "nerual-bo", code=2)
    assert "did you mean 'neural-bo'" in text and "|" not in text, text


SMALL = "scaling", "--method", "random", "--n", "30", "--d", "3", "--q", "2", "--candidates", "500", "--repeat", "1", "--fits", "1"


def check_scaling_columns(folder, table):
    """Rows say their method, in one cell whatever is in it; further runs append theirs."""
    assert table.read_text(encoding="utf-8").startswith("ranks,method,d,q,candidates,gemm,")
    assert {row["method"] for row in rows_of(table)} == {"neural-bo"}
    before = len(rows_of(table))
    run(1, *SMALL, "--directory", str(folder), "--csv", str(table))
    added = rows_of(table)[before:]
    assert added and {row["method"] for row in added} == {"random"} and {row["q"] for row in added} == {"2"}, added


def check_scaling_outputs(folder):
    """What cannot be written is said before minutes of measuring."""
    words = "scaling", "--n", "3000,4000", "--repeat", "100", "--fits", "100"
    table = folder / "old.csv"
    for text, told in (("ranks,d,q,candidates,gemm,memory\n", "name another file with --csv"),
                       ((folder / "scaling1.csv").read_text(encoding="utf-8")[:-3], "ends within a line")):
        table.write_text(text, encoding="utf-8")
        said = run(2, *words, "--directory", str(folder), "--csv", str(table), code=2, timeout=30)
        assert str(table) in said and told in said, said
        assert table.read_text(encoding="utf-8") == text
    for more, code in (((str(folder), "/nonexistent/a.csv"), 2), ((str(folder), "/dev/full"), 6),
                       (("/nonexistent", str(folder / "none.csv")), 2)):
        said = run(1, *words, "--directory", more[0], "--csv", more[1], code=code, timeout=30)
        assert [path for path in more if f"'{path}'" in said], said
    assert not (folder / "none.csv").exists()


def check_scaling_storage(folder):
    """The directory goes away while proposals are measured: they are in the table and in the file."""
    place, table = folder / "vanishing", folder / "kept.csv"
    place.mkdir()
    command = [PROGRAM, *SMALL, "--directory", str(place), "--csv", str(table)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ran:
        while ran.poll() is None and not (table.exists() and table.stat().st_size > 0):
            time.sleep(0.001)
        place.rmdir()
        text, said = ran.communicate(timeout=120)
    assert ran.returncode == 2 and f"cannot write into '{place}'" in said, (ran.returncode, said)
    assert cells(text, "ask") and cells(text, "allgather") and "| journal |" not in text, text
    assert {"ask", "allgather"} <= {row["measured"] for row in rows_of(table)}


def check_ecdf(folder):
    for noise in ("0", "0.1"):
        table = folder / f"ecdf{noise}.csv"
        text = run(1, "ecdf", "--landscapes=sphere", "--methods", "random,sobol", "--dimensions", "2,3", "--instances", "2",
                   "--noise", noise, f"--csv={table}")
        assert "D = 2" in text and "D = 3" in text, text
        rows = rows_of(table)
        assert len(rows) == 2 * 2 * 2
        for row in rows:
            assert float(row["regret"]) > 0 and 0 <= float(row["area"]) <= 1, row
            for judged in (row["looked"], row["chosen"]):
                assert float(judged) >= float(row["regret"]) if noise > "0" else judged == "", row


def check_campaign(folder):
    for ranks, backend in ((1, "command"), (2, "lapse")):
        place = folder / f"campaign-{backend}"
        text = run(ranks, "campaign", "--backend", backend, "--evaluations", "40", "--slots", "4",
                   "--interval", "1ms", "--directory", str(place))
        saves = re.search(r"Snapshots, .*: (\d+), ([\d.]+) s beside a loop of ([\d.]+) s", text)
        assert int(saves[1]) > 0 and float(saves[2]) > 0, text
        assert float(cells(text, "40")[0][0]) > 0, text
        assert float(cells(text, "resuming")[0][0]) > 0
        assert ("Refilling a slot" in text) == (backend == "lapse")
        if backend == "lapse":
            refill, busy = (float(re.search(f"{words} ([0-9.]+)", text)[1]) for words in ("a slot:", "are busy"))
            assert abs(busy - 60 / (60 + refill)) < 1e-3, text
        assert "exists already" in run(ranks, "campaign", "--directory", str(place), code=2)


with tempfile.TemporaryDirectory() as scratch:
    check_peak()
    check_proposal()
    check_history()
    check_undefined()
    check_lists()
    check_scan()
    check_factor()
    check_front()
    check_ensemble()
    check_ecdf(pathlib.Path(scratch))
    check_scaling(pathlib.Path(scratch))
    check_speedup()
    check_campaign(pathlib.Path(scratch))
