#!/usr/bin/env python3
"""What the benchmark program refuses before it measures, and what it says then.

  check_mistakes.py PROGRAM MPIRUN
"""
import os
import pathlib
import resource
import subprocess
import tempfile

from program import PROGRAM, RESOURCE, USAGE, run

QUICK = ("--methods", "random", "--n", "4", "--q", "2", "--batches", "1", "--candidates", "10", "--seeds", "1")
LANDSCAPE = ("--landscapes", "sphere", "--dimensions", "2", "--instances", "1")
TINY = ("--size", "8", "--d", "2", "--width", "8", "--n", "8", "--elements", "100", "--seconds", "1ms")


def refuses(what, *words, code=USAGE, **how):
    text = run(1, *words, code=code, **how)
    assert what in text, (words, text)
    return text


def check_words():
    refuses("did you mean 'history'", "histry")
    refuses("did you mean 'history'", "histry", "--help")
    refuses("'seeds'", "history", "--sedes", "3")
    refuses("needs a value", "peak", "--size")
    refuses("not an option", "peak", "size", "3")
    refuses("size: '0' is not valid", "peak", "--size=0")
    run(1, code=USAGE)
    for words in (("--help",), ("peak", "--help")):
        assert "gannet-bench peak" in run(1, *words)
    assert "gannet-bench proposal" not in run(1, "peak", "--help")
    assert "sobol | random" in run(1, "ecdf", "--landscapes=sphere", "--methods=sobol,random", "--set=initial=4", "--dimensions=2")


def check_problems():
    for problem in ("branin", "ackley:10-5:10", "ackley:2x:0:1", "ackley:2:-5:10:99", "ackley:2:-5", "ackley:2:5:-5",
                    "ackley:2:5:5", "ackley:2:-inf:5", "ackley:2:-5:nan", "ackley:0", "ackley:2.5", "ackley:1e9", ":2", "ackley:"):
        refuses("expected name:dimension", "history", *QUICK, "--problems", problem)
    for problem, why in (("simionescu:2", "has constraints"), ("branin:3", "no known minimum in 3"),
                         ("ackley:2:1:3", "the known minimum has x1 = 0, outside of 1 to 3"),
                         ("branin:2:-5:3", "the known minimum has x1 = 3.14")):
        refuses(why, "history", *QUICK, "--problems", problem)
    for problem in ("levy:2:1:5", "goucb-f1:2:0:5"):  # the minimum on an edge
        run(1, "history", *QUICK, "--problems", problem)


def check_counts():
    for words in (("factor", "--n", "100.7"), ("ecdf", "--landscapes", "sphere", "--methods", "random", "--dimensions", "2.5"),
                  ("proposal", "--n", "50,100.7"), ("history", "--n", "100.7"), ("ensemble", "--n", "10.7"),
                  ("scaling", "--n", "100.7"), ("speedup", "--n", "100.7")):
        refuses("7 is not a whole number" if words[0] != "ecdf" else "2.5 is not a whole number", *words)
    refuses("2 is there twice", "ecdf", "--landscapes", "sphere", "--methods", "random", "--dimensions", "2,3,2")


def check_settings():
    """Told once, however many parts of a method read them."""
    for method in ("random", "auto"):
        text = refuses("refit: '1000'", "ecdf", *LANDSCAPE, "--methods", method + "+refit=1000")
        assert text.count("refit") == 1, text
    text = refuses("unknown key 'bogus'", "proposal", "--set", "bogus=1")
    assert text.count("bogus") == 1, text
    refuses("'surrogate.type=gp' cannot be set here", "scan", "--set", "surrogate.type=gp")
    text = refuses("unknown key 'search.bogus'", "proposal", "--method", "auto", "--set", "search.bogus=1")
    assert text.count("search.bogus") == 1, text


def check_factor():
    refuses("block: '100000' is not valid; expected whole number, 0 to 46340", "factor", "--block", "100000", "--n", "100")
    for words in (("--rows", "7"), ("--panel", "3"), ("--block", "64", "--panel", "100")):
        assert "GFLOP" not in refuses("sizes do not fit", "factor", "--n", "100", *words)
    refuses("in panels of 100032 on 1 ranks: more than 2^31 entries on a rank; use more ranks or smaller panels",
            "factor", "--n", "100", "--seconds", "1ms", "--panel", "100032")


def check_campaign(folder):
    """A directory that is left behind could not be given again."""
    place = folder / "bench"
    refuses("did you mean 'gp-ei'?", "campaign", "--directory", str(place), "--method", "gp-ea")
    refuses("unknown method 'bogus'; known: auto", "campaign", "--directory", str(place), "--method", "bogus")
    assert not place.exists()


def check_files(folder):
    """Before anything is measured, which would take longer than the test may; what there is, stays."""
    endless = ("ecdf", "--landscapes", "all", "--methods", "random", "--dimensions", "2", "--evaluations-per-d", "1e6")
    text = refuses("cannot open", *endless, "--csv", str(folder / "missing" / "x.csv"))
    assert "No such file or directory" in text, text
    refuses("Is a directory", *endless, "--csv", str(folder), code=RESOURCE)
    refuses("cannot write '/dev/full': No space left on device", *endless[:-1], "1", "--csv", "/dev/full", code=RESOURCE)
    kept = folder / "kept.csv"
    kept.write_text("old", encoding="utf-8")
    refuses("refit", "ecdf", *LANDSCAPE, "--methods", "random+refit=-1", "--csv", str(kept))
    assert kept.read_text(encoding="utf-8") == "old"


def check_output():
    """A full disk is told; rows are out before the program ends."""
    for words in (("--help",), ("peak", "--help"), ("peak", *TINY)):
        with open("/dev/full", "w", encoding="utf-8") as full:
            text = refuses("cannot write to standard output", *words, code=RESOURCE, stdout=full)
        assert text.count("standard output") == 1, text
    reading, writing = os.pipe()
    with subprocess.Popen([PROGRAM, "peak", *TINY[:-1], "100"], stdout=writing, stderr=subprocess.PIPE) as running:
        os.close(writing)
        assert os.read(reading, 12) == b"BLAS kernel "
        running.kill()
    os.close(reading)


def check_memory():
    """Should a check be missing, the limit of the address space makes an allocation fail, not the machine.
    OpenBLAS itself would ask without end."""
    def limited():
        if "GANNET_SANITIZE" in os.environ:
            return  # which takes terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    def without_a_buffer():
        resource.setrlimit(resource.RLIMIT_AS, (350 << 20, 350 << 20))
    if "GANNET_SANITIZE" not in os.environ:
        refuses("the buffer of BLAS", "peak", *TINY, code=RESOURCE, preexec_fn=without_a_buffer)
    present = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for needed, words in ((80e12, ("peak", "--q", "10000", "--d", "10000", "--width", "100000")),
                          (48e9, ("peak", "--elements", "2000000000")),
                          (80e9, ("history", "--n", "1000000", "--problems", "levy:10000", "--methods", "random"))):
        if needed > present:
            text = refuses("out of memory", *words, code=RESOURCE, preexec_fn=limited)
            assert "GB on all ranks of a machine, and this one has" in text, text



check_words()
check_problems()
check_counts()
check_settings()
check_output()
check_memory()
check_factor()
with tempfile.TemporaryDirectory() as scratch:
    check_files(pathlib.Path(scratch))
    check_campaign(pathlib.Path(scratch))
