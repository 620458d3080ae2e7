#!/usr/bin/env python3
"""Make the campaigns that later versions must go on with, by the program of that version.

  make.py PROGRAM FOLDER

Writes FOLDER/NAME.tar.xz for every case of cases.py, each with the campaign as it was left and points.json:
the points that were proposed, and those that this program would have proposed next.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

from cases import CASES, points, records

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.path.abspath(sys.argv[1])
OUT = pathlib.Path(sys.argv[2]).resolve()
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}


def call(folder, *words, codes=(0,)):
    ran = subprocess.run([PROGRAM, *map(str, words)], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
                         timeout=300, check=False)
    if ran.returncode not in codes:
        sys.exit(f"{folder}: gannet {words}: {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def tell_asked(folder, count):
    """Ask for points and tell their results, as somebody who runs simulations by hand."""
    place = "c.campaign" if (folder / "c.campaign").exists() else "c.yaml"
    call(folder, "ask", place, "--count", count)
    for number, (x1, x2) in enumerate(points(folder / "c.campaign/journal")[-count:],
                                      len(points(folder / "c.campaign/journal")) - count):
        call(folder, "tell", "c.campaign", "--id", number, "--objective", repr((x1 - 1) ** 2 + (x2 - 4) ** 2))


def scheduler(folder):
    target = folder / "scheduler"
    (target / "jobs").mkdir(parents=True, exist_ok=True)
    for name in "sbatch", "squeue", "sacct", "scontrol", "scancel", "node":
        shutil.copy(HERE.parent / "evaluate/standin/scheduler", target / name)
    return subprocess.Popen(["/bin/sh", target / "node"], start_new_session=True)


def kill_in_a_batch(folder, n):
    process = subprocess.Popen([PROGRAM, "run", "c.yaml", "--quiet"], cwd=folder, env={**ENVIRONMENT, "SLOW": "0.3"},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    journal = folder / "c.campaign/journal"
    done = 0
    while done < n or done % 4 not in (1, 2):
        time.sleep(0.02)
        done = sum(r["record"] == "result" and r["final"] for r in records(journal)) if journal.exists() else 0
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(1)  # what it started has ended


def told(folder):
    return sum(len(record["ids"]) for record in records(folder / "c.campaign/journal") if record["record"] == "tell")


def advance(case, folder, n):
    """Bring the campaign to n evaluations."""
    begun = (folder / "c.campaign").exists()
    if case.kind == "ask":
        while not begun or len(points(folder / "c.campaign/journal")) < n:
            tell_asked(folder, 2)
            begun = True
    elif case.kind.endswith("step"):
        (folder / "c.yaml").write_text(case.yaml.replace("evaluations: 40", f"evaluations: {n}"))
        while not begun or told(folder) < n:
            call(folder, "step", "c.yaml", codes=(0, 75))
            begun = True
            time.sleep(0.1)
        (folder / "c.yaml").write_text(case.yaml)
    else:
        call(folder, "run", "c.yaml", "--quiet", "--max-evals", n, *(["--resume"] if begun else []))


def hurt(case, directory):
    journal = directory / "journal"
    if case.hurt == "torn":
        journal.write_bytes(journal.read_bytes() + journal.read_bytes()[-400:-150])
    elif case.hurt == "damaged":
        lines = journal.read_bytes().split(b"\n")
        lines[4] = lines[4][:-9] + b"x" * 9
        journal.write_bytes(b"\n".join(lines))
    elif case.hurt == "older":
        (directory / "state.h5").unlink()
        journal.unlink()
    elif case.hurt == "unsaved":
        for path in directory.glob("state.h5*"):
            path.unlink()


def make(case, scratch):
    folder = scratch / case.name / "case"
    folder.mkdir(parents=True)
    (folder / "c.yaml").write_text(case.yaml)
    for name, content in case.files.items():
        (folder / name).write_text(content)
        (folder / name).chmod(0o755 if name.endswith(".sh") else 0o644)
    node = scheduler(folder) if case.kind.startswith("slurm") else None
    try:
        if case.hurt == "killed":
            kill_in_a_batch(folder, case.n)
        else:
            advance(case, folder, case.n)
        made = points(folder / "c.campaign/journal")
        hurt(case, folder / "c.campaign")
        copy = scratch / case.name / "copy"
        shutil.copytree(folder, copy)
        if not node:
            advance(case, copy, len(made) + case.more)
        following = points(copy / "c.campaign/journal")[len(made):]
    finally:
        if node:
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()
            shutil.rmtree(folder / "scheduler")
    (folder / "c.campaign/journal.lock").unlink(missing_ok=True)
    (folder / "points.json").write_text(json.dumps({"made": made, "following": following}))
    with tarfile.open(OUT / f"{case.name}.tar.xz", "w:xz", preset=9) as archive:
        archive.add(folder, arcname=case.name)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[3:]
    with tempfile.TemporaryDirectory() as scratch:
        for case in CASES:
            if not wanted or case.name in wanted:
                make(case, pathlib.Path(scratch))
                print(case.name, (OUT / f"{case.name}.tar.xz").stat().st_size, flush=True)


if __name__ == "__main__":
    main()
