# test: labels cli timeout 60 processors 1
"""gannet explain --format json: the JSON schema of campaign files is that of docs, and says of files what gannet says."""
import json
import pathlib
import re
import sys
import textwrap

import program
from program import BRANIN, USAGE

try:
    import jsonschema
    import yaml
except ImportError:
    jsonschema = yaml = None

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "campaign.schema.json"
# Scalars of YAML 1.2, as editors read them: yes is a word, and 1e-6 a number.
SCALARS = [("bool", r"^(true|True|TRUE|false|False|FALSE)$"), ("null", r"^(~|null|Null|NULL|)$"), ("int", r"^[-+]?[0-9]+$"),
           ("float", r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")]


def read(text):
    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {}
    for tag, form in SCALARS:
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(form), None)
    return yaml.load(text, Loader)


class Schema(program.ProgramTest):
    def faults(self, text):
        """What the schema finds wrong with a campaign file."""
        schema = json.loads(PAGE.read_text(encoding="utf-8"))
        found = jsonschema.Draft202012Validator(schema).iter_errors(read(text))
        return [f"{'/'.join(map(str, fault.absolute_path))}: {fault.message}" for fault in map(lambda f: jsonschema.exceptions.best_match([f]), found)]

    def setUp(self):
        super().setUp()
        if "schema_of_docs" not in self.id() and not jsonschema:
            self.skipTest("needs the Debian packages python3-jsonschema and python3-yaml")

    def test_the_schema_of_docs_is_what_the_tables_say(self):
        said = self.succeed("explain", "--format", "json").out
        self.assertEqual(said, PAGE.read_text(encoding="utf-8"),
                         "out of date; write it with: build/gannet explain --format json > docs/campaign.schema.json")
        if jsonschema:
            jsonschema.Draft202012Validator.check_schema(json.loads(said))

    def test_examples_are_valid(self):
        files = [*ROOT.glob("inputs/*.yaml"), *ROOT.glob("docs/examples/**/*.yaml"), *ROOT.glob("tests/cli/*/campaign.yaml")]
        self.assertGreater(len(files), 15)
        for path in files:
            self.assertEqual(self.faults(path.read_text(encoding="utf-8")), [], path)

    def test_snippets_of_docs_are_valid(self):
        """They are parts of files: sections may be missing, and keys that a section must have."""
        seen = 0
        for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")]:
            for _, text in re.findall(r"^( *)```yaml\n(.*?)^\1```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
                content = read(textwrap.dedent(text))
                if not isinstance(content, dict) or {"problems", "methods"} & set(content):
                    continue  # a suite of gannet bench
                seen += 1
                faults = [fault for fault in self.faults(text) if not fault.endswith("is a required property")]
                self.assertEqual(faults, [], f"{page.name}:\n{text}")
        self.assertGreater(seen, 30)

    def test_the_effective_configuration_is_valid(self):
        self.succeed("run", self.write(BRANIN.replace("evaluations: 24", "evaluations: 4")), "-q")
        self.assertEqual(self.faults((self.folder / "fast.campaign/campaign.yaml").read_text()), [])

    def test_mistakes_are_found(self):
        for wrong, right, expected in (
                ("batch: 4", "batch: four", "batch: 'four' is not"),
                ("batch: 4", "batch: 0", "batch: "),
                ("batch: 4", "bacth: 4", ": Additional properties are not allowed ('bacth'"),
                ("simulation: branin", "shell: ./simulate", "evaluate: 'shell' is not one of"),
                ("backend: function", "backend: functions", "evaluate/backend: 'functions' is not one of"),
                ("evaluations: 24", "evaluations: 24, wall_time: soon", "budget/wall_time: "),
                ("interval: 0s", "interval: [0s]", "save/interval: "),
                ("upper: 10", "uper: 10", "variables/x1: Additional properties are not allowed ('uper'"),
                ("upper: 10", "upper: ten", "variables/x1/upper: 'ten' is not of type 'number'"),
                ("method: neural-bo", "method: nearal-bo", "method: 'nearal-bo' is not one of"),
                ("search: {candidates: 500}", "objective: [a]", "objective: "),
                ("search: {candidates: 500}", "physics: {equations: [{terms: {}}]}", "physics/equations/0/terms: "),
                ("budget: {evaluations: 24}", "", ": 'budget' is a required property")):
            faults = self.faults(BRANIN.replace(wrong, right))
            self.assertTrue(faults and faults[0].startswith(expected), f"{right}: {faults}")

    def test_a_form_that_it_has_not(self):
        self.assertIn("'xml' is not known; expected text or json", self.gannet("explain", "--format", "xml").err)
        for other in ("seed", "--suite", "--markdown"):
            self.assertIn(f"leave out {other}", self.gannet("explain", "--format", "json", other).err)


if __name__ == "__main__":
    program.main()
