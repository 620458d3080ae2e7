# test: labels cli timeout 300 processors 2
"""Campaigns that earlier versions left (tests/compatibility): verified, reported, exported and continued.

What the earlier version proposed next is stored with each. Points that no model proposes must be those on every
machine. Those of models depend on the bits of the BLAS and of the processor, and a later version may propose better
ones: where they differ, this program begins the same campaign, and if it makes the points that were stored, it
must go on from there as it went on with the old files.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import unittest

import program
from program import DAMAGED, FINISHED, RESUMABLE

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "compatibility"))
from cases import CASES, points, records  # noqa: E402

VERSIONS = sorted(path for path in (ROOT / "compatibility").iterdir() if path.is_dir() and path.name[0].isdigit())
STANDIN = ROOT / "evaluate/standin/scheduler"
# The snapshots or the journal are gone or hurt, which `verify` says until a resume has mended it.
DAMAGED_FIRST = ("damaged", "older")
# The noise of dngo was estimated at points that its network interpolates, so what was learnt then is not used.
ANEW = ("method-dngo",)
PLAIN = ("method-sobol", "method-random", "slurm-array-step")


def start_scheduler(folder):
    target = folder / "scheduler"
    (target / "jobs").mkdir(parents=True)
    for name in "sbatch", "squeue", "sacct", "scontrol", "scancel", "node":
        shutil.copy(STANDIN, target / name)
    return subprocess.Popen(["/bin/sh", target / "node"], start_new_session=True)


class Compatibility(program.ProgramTest):
    def unpack(self, version, name):
        with tarfile.open(version / f"{name}.tar.xz") as archive:
            archive.extractall(self.folder)
        return self.folder / name

    def gannet_in(self, folder, *words):
        return self.gannet(*map(str, words), wrapper=("env", "-C", str(folder)), timeout=120)

    def look(self, case, folder, version):
        """Everything that only looks."""
        where = f"{version.name}/{case.name}"
        seen = self.gannet_in(folder, "verify", "c.campaign")
        self.assertEqual(seen.code, DAMAGED if case.hurt in DAMAGED_FIRST else FINISHED, f"{where}: {seen}")
        for words in ("status", "best", "export"):
            seen = self.gannet_in(folder, words, "c.campaign")
            self.assertEqual(seen.code, FINISHED, f"{where}: {words}: {seen}")
        if case.name in ("method-auto", "constraints", "physics-pinn", "categories"):
            seen = self.gannet_in(folder, "report", "c.campaign")
            self.assertEqual(seen.code, FINISHED, f"{where}: {seen}")

    def go_on(self, case, folder, n):
        """To n evaluations; what was said."""
        if case.kind == "ask":
            return self.gannet_in(folder, "ask", "c.campaign", "--count", n - len(points(folder / "c.campaign/journal")))
        if case.kind.endswith("step"):
            text = case.yaml.replace("evaluations: 40", f"evaluations: {n}")
            (folder / "c.yaml").write_text(text)
            seen = self.gannet_in(folder, "step", "c.yaml")
            while seen.code == RESUMABLE and len(points(folder / "c.campaign/journal")) < n:
                time.sleep(0.1)
                seen = self.gannet_in(folder, "step", "c.yaml")
            return seen
        return self.gannet_in(folder, "run", "c.yaml", "--resume", "--quiet", "--max-evals", n)

    def goes_on(self, version, case):
        folder = self.unpack(version, case.name)
        where = f"{version.name}/{case.name}"
        stored = json.loads((folder / "points.json").read_text())
        self.look(case, folder, version)
        known = len(stored["made"])
        if case.hurt == "older":  # what came after the state is made anew, with the bits of this processor
            known = len(self.gannet_in(folder, "export", "c.campaign").out.splitlines()) - 1
            self.assertGreater(known, 0, where)
        node = start_scheduler(folder) if case.kind.startswith("slurm") else None
        try:
            seen = self.go_on(case, folder, len(stored["made"]) + case.more)
        finally:
            if node:
                os.killpg(node.pid, signal.SIGKILL)
                node.wait()
        self.assertIn(seen.code, (FINISHED, RESUMABLE) if case.kind.endswith("step") else (FINISHED,), f"{where}: {seen}")
        check = self.assertIn if case.name in ANEW else self.assertNotIn
        check("learnt again", seen.err, where)
        journal = folder / "c.campaign/journal"
        now = points(journal)
        self.assertEqual(now[:known], stored["made"][:known], where)
        self.assertGreaterEqual(len(now), len(stored["made"]) + case.more, where)
        seen = self.gannet_in(folder, "verify", "c.campaign")
        self.assertEqual(seen.code, FINISHED, f"{where}: {seen}")
        self.assertTrue(journal.read_bytes().startswith(b"gannet journal schema 2 "), where)
        following = now[len(stored["made"]):]
        n = min(len(following), len(stored["following"]))
        if case.name in PLAIN:
            self.assertEqual(following[:n], stored["following"][:n], where)
        elif following[:n] != stored["following"][:n] and case.kind == "run" and not case.hurt:
            self.probe(where, case, stored["made"], following, folder)

    def probe(self, where, case, made, following, folder):
        """The same campaign by this program alone, which is interrupted at the same place, if it comes there by the
        same points: it must then go on as the old one did."""
        fresh = folder.parent / f"{folder.name}.probe"
        shutil.copytree(folder, fresh, ignore=shutil.ignore_patterns("c.campaign"))
        journal = fresh / "c.campaign/journal"
        seen = self.gannet_in(fresh, "run", "c.yaml", "--quiet", "--max-evals", len(made))
        self.assertEqual(seen.code, FINISHED, f"{where}: {seen}")
        if points(journal) != made:
            return
        seen = self.gannet_in(fresh, "run", "c.yaml", "--resume", "--quiet", "--max-evals", len(made) + case.more)
        self.assertEqual(points(journal)[len(made):], following, f"{where} goes on otherwise: {seen}")

    def test_every_campaign_goes_on(self):
        for version in VERSIONS:
            jobs = [case for case in CASES if (version / f"{case.name}.tar.xz").exists()]
            self.assertTrue(jobs)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda case, v=version: self.goes_on(v, case), jobs))

    def test_another_method_learns_anew(self):
        """The saved numbers are those of a Gaussian process; the same with an own journal."""
        for own in False, True:
            folder = self.unpack(VERSIONS[0], "method-gp-logei-warped")
            if own:
                shutil.rmtree(folder / "c.campaign")
                self.assertEqual(self.gannet_in(folder, "run", "c.yaml", "--quiet", "--max-evals", 14).code, FINISHED)
            seen = self.gannet_in(folder, "run", "c.yaml", "--resume", "--max-evals", 16, "--set", "method=neural-ei")
            self.assertEqual(seen.code, FINISHED, seen)
            self.assertIn("model of neural-ei", seen.err)
            self.assertIn("learnt again", seen.err)
            last = [record for record in records(folder / "c.campaign/journal") if record["record"] == "propose"][-1]
            values = last.get("state", last.get("changes"))["neural-ei"]["objective"]
            self.assertEqual(values["learned"], 14)
            self.assertIn("log_bias", values)
            shutil.rmtree(folder)

    def test_a_changed_model_learns_anew_and_a_changed_search_does_not(self):
        for setting, anew in (("transform=none", True), ("surrogate.kernel=matern32", True), ("noise=0.3", True),
                              ("search.candidates=900", False), ("refit=0.2", False)):
            folder = self.unpack(VERSIONS[0], "method-gp-ei")
            for more in 16, 18:  # by the journal of that version, and by an own one
                seen = self.gannet_in(folder, "run", "c.yaml", "--resume", "--max-evals", more, "--set", setting)
                self.assertEqual(seen.code, FINISHED, seen)
                self.assertEqual("learnt again" in seen.err, anew and more == 16, f"{setting}: {seen}")
            shutil.rmtree(folder)

    def test_a_portfolio_keeps_the_members_that_stay(self):
        folder = self.unpack(VERSIONS[0], "portfolio")
        self.assertEqual(self.gannet_in(folder, "run", "c.yaml", "--resume", "--max-evals", 18).code, FINISHED)
        seen = self.gannet_in(folder, "run", "c.yaml", "--resume", "--max-evals", 21, "--set",
                              "portfolio=[gp-ts, neural-bo, gp-ei]")
        self.assertEqual(seen.code, FINISHED, seen)
        self.assertIn("model of gp-ts with", seen.err)


if __name__ == "__main__":
    unittest.main()
