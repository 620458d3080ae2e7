# test: labels cli timeout 60 processors 1
"""A plugin that ends the process does not pass for a campaign that has finished."""
import os
import unittest

import program

INTERNAL = 1
TEXT = f"""\
name: gone
method: sobol
variables: {{x: {{lower: 0, upper: 1}}}}
batch: 1
budget: {{evaluations: 16}}
evaluate: {{backend: plugin, plugin: '{os.environ.get("GANNET_EXIT_PLUGIN", "")}'}}
"""


class Exit(program.ProgramTest):
    def test_a_plugin_that_exits_is_told(self):
        file = self.write(TEXT)
        for ranks in 0, 2:
            outcome = self.gannet("run", file, "-q", *(["--resume"] if ranks else []), ranks=ranks)
            self.assertNotEqual(outcome.code, 0, outcome)
            self.assertIn("has called exit()", outcome.err)
            if ranks == 0:
                self.assertEqual(outcome.code, INTERNAL, outcome)
        self.assertIn("sound", self.succeed("verify", "gone.campaign").out)


if __name__ == "__main__":
    program.main()
