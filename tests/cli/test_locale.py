# test: labels cli timeout 60 processors 1
"""Numbers in files have a point, whatever a plugin does to the locale of the program."""
import os
import subprocess
import unittest

import program

TEXT = f"""\
name: comma
seed: 3
method: sobol
variables: {{x: {{lower: 0, upper: 1}}}}
budget: {{evaluations: 3}}
evaluate: {{backend: plugin, plugin: '{os.environ.get("GANNET_COMMA_PLUGIN", "")}'}}
"""


class Locale(program.ProgramTest):
    def setUp(self):
        super().setUp()
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(self.folder / "de_DE.UTF-8")],
                              capture_output=True, check=False)
        if made.returncode > 1:
            self.skipTest("no definition of de_DE to make a locale of")

    def test_a_plugin_with_a_decimal_comma_changes_no_file(self):
        environment = {"LOCPATH": str(self.folder), "LC_ALL": "de_DE.UTF-8"}
        self.succeed("run", self.write(TEXT, "comma.yaml"), "-q", environment=environment)
        for row in self.history("comma.campaign"):
            self.assertEqual(row["status"], "done", row)
            self.assertEqual(float(row["objective"]), float(row["x"]) + 0.5)


if __name__ == "__main__":
    program.main()
