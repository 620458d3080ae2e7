# test: labels cli timeout 60
"""Points are the same whatever a plugin does to the arithmetic of the program, and it finds there what it did."""
import os
import unittest

import program

TEXT = f"""\
name: NAME
seed: 3
method: gp-ei
variables: {{x: {{lower: 0, upper: 1}}, y: {{lower: 0, upper: 1}}}}
initial: 4
batch: 4
budget: {{evaluations: 16}}
evaluate: {{backend: plugin, plugin: '{os.environ.get("GANNET_TRAPS_PLUGIN", "")}'}}
"""


class Arithmetic(program.ProgramTest):
    def test_traps_and_rounding_of_a_plugin_are_its_own(self):
        digests = set()
        for name, environment in ("plain", {"PLAIN": "1"}), ("own", {}):
            for ranks in 0, 2:
                place = f"{name}-{ranks}"
                self.succeed("run", self.write(TEXT.replace("NAME", place), f"{place}.yaml"), "-q", ranks=ranks,
                             environment=environment)
                for row in self.history(f"{place}.campaign"):
                    self.assertEqual(row["status"], "done", row)
                digests.add(self.digest(f"{place}.campaign"))
        self.assertEqual(len(digests), 1)


if __name__ == "__main__":
    program.main()
