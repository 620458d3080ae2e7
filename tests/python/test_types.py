"""The type hints are consistent, and a type checker finds wrong calls by them."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PACKAGE = pathlib.Path(os.environ["GANNET_SOURCE"]) / "src/python/gannet"
RIGHT = """
import gannet
from typing import Dict

optimizer = gannet.Optimizer({"x": (0, 1), "n": gannet.integer(1, 8), "s": ["a", "b"], "v": bool}, {"g": (None, 1.5)}, noise=0, initial=4)
number: int = optimizer.tell(optimizer.ask(2)[0], gannet.Quantity(1.5, sd=0.1), {"g": 1})
best = optimizer.best()
if best is not None:
    point: gannet.Point = best[0]
counts: Dict[str, int] = optimizer.counts()
result: gannet.Result = gannet.minimize(lambda x: float(x), {"x": (0, 1)}, workers=2)
value: float = result.value
history = [one.seconds for one in result.history]
"""
WRONG = """
import gannet

gannet.Optimizer(3)
gannet.Optimizer({"x": (0, 1)}).ask("two")
gannet.minimize(3, {"x": (0, 1)})
gannet.real(0, 1, scale=2)
"""


def mypy(*arguments):
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", *arguments], capture_output=True, text=True,
                          check=False)


class Types(unittest.TestCase):
    def test_the_package(self):
        said = mypy(str(PACKAGE))
        self.assertEqual(said.returncode, 0, said.stdout)

    def test_what_users_write(self):
        with tempfile.TemporaryDirectory() as folder:
            for text, wrong in (RIGHT, 0), (WRONG, 4):
                program = pathlib.Path(folder) / "program.py"
                program.write_text(text)
                said = mypy(str(program))
                self.assertEqual(said.stdout.count("program.py:"), wrong, said.stdout)


if __name__ == "__main__":
    if not shutil.which("mypy") or subprocess.run([sys.executable, "-c", "import mypy"], check=False, capture_output=True).returncode:
        print("skipped: mypy is not installed")
        sys.exit(77)
    unittest.main()
