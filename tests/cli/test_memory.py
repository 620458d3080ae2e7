# test: labels cli timeout 300 processors 1
"""Memory that is missing at any place, of gannet's own or inside a library: exit code 6 and a word about memory, or the
right answer; never a crash, never a sound file called wrong."""
import os
import re
import unittest

import program
from program import FINISHED, RESOURCE, SOBOL

PLACES = 40  # of allocations that fail, for each command
LIBEXEC = os.path.join(os.path.dirname(program.GANNET or ""), "libexec", "gannet")


def part(name):
    """The program that executes a command, in which allocations are counted; it is gannet itself where all are one."""
    path = os.path.join(LIBEXEC, name, "gannet")
    return path if os.path.exists(path) else program.GANNET


@unittest.skipIf("GANNET_SANITIZE" in os.environ, "a sanitiser has an allocator of its own")
class Memory(program.ProgramTest):
    def check(self, outcome, about, no_memory=False):
        """Memory was missing, and gannet says so, or it got on without what it could not have."""
        self.assertIn(outcome.code, (RESOURCE,) if no_memory else (FINISHED, RESOURCE), (about, outcome))
        if outcome.code == RESOURCE:
            self.assertRegex(outcome.err, "memory", about)
        for wrong in "not valid", "HDF5-DIAG", "infinite loop", "Signal", "DAMAGED":
            self.assertNotIn(wrong, outcome.out + outcome.err, about)

    def execute(self, name, words, place=None):
        """Run with a failure at this place; without one the number of allocations is told."""
        environment = {**os.environ, **program.SCRATCH, "LD_PRELOAD": os.environ["GANNET_FAILING_ALLOCATION"]}
        if place:
            environment["GANNET_FAIL_ALLOCATION"] = place
        self.started.append(program.Running(self, [part(name), *map(str, words)], environment))
        return self.started[-1].wait()

    def fail_at_places(self, name, *words):
        counted = self.execute(name, words)
        self.assertEqual(counted.code, FINISHED, counted)
        total = int(re.search(r"(\d+) allocations\n", counted.err)[1])
        self.assertGreater(total, 100)
        missed = 0
        for turn in range(PLACES):
            follow = "+" if turn % 4 == 3 else ""
            place = f"{1 + turn * total // PLACES}{follow}"
            outcome = self.execute(name, words, place)
            self.check(outcome, (words, place), no_memory=bool(follow))
            missed += outcome.code == RESOURCE
        self.assertGreater(missed, PLACES // 2)

    def test_allocations_that_fail(self):
        file = self.write(SOBOL)
        self.succeed("run", file, "-q", "--max-evals", 8)
        self.fail_at_places("state", "status", "fast.campaign")
        self.fail_at_places("state", "verify", "fast.campaign")
        self.fail_at_places("everything", "run", "--dry-run", "-d", "other.campaign", file)

    def test_limits_of_a_process(self):
        file = self.write(SOBOL)
        self.succeed("run", file, "-q", "--max-evals", 8)
        small = 28 if part("state") != program.GANNET else 16  # the shared HDF5 needs more room than the archive
        for megabytes, no_memory, words in ((small, True, ("status", "fast.campaign")), (40, False, ("status", "fast.campaign")),
                                            (small, True, ("verify", "fast.campaign")), (44, False, ("verify", "fast.campaign")),
                                            *((size, True, ("run", "--dry-run", "-d", "other.campaign", file))
                                              for size in (30, 100, 150, 180, 210))):
            limit = ("sh", "-c", f'ulimit -v {megabytes}000 && exec "$@"', "sh")
            self.check(self.start(*words, wrapper=limit).wait(), (megabytes, words), no_memory)


if __name__ == "__main__":
    program.main()
