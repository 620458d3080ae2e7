# test: labels cli timeout 120 processors 2
"""What is wrong is told with its place, with what was expected, and with what to do next. One process per case."""
import concurrent.futures
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import program
from program import BUSY, DAMAGED, RESOURCE, USAGE

HEAD = """\
name: c
seed: 7
variables:
  x1: {lower: -5, upper: 10}
  x2: {lower: 0, upper: 15}
batch: 2
"""
BUDGET = "budget: {evaluations: 4}\n"
GOOD = HEAD + "method: sobol\n" + BUDGET + "evaluate: {backend: function, simulation: branin}\n"
SUITE = "name: s\nruns: 1\nbudget: 4\nproblems: {a: {function: ackley, dimension: 2}}\nmethods: [sobol]\n"
TAIL = r"gannet: error: \d+ errors? in '[^']+'$"


def file(text, *patterns, **files):
    """A campaign file with something wrong: each pattern begins with what follows "c.yaml:"."""
    return ["run", "c.yaml", "--dry-run"], USAGE, [rf"^c\.yaml:{p}" for p in patterns] + [TAIL], {"c.yaml": text, **files}


def command(keys, pattern, **files):
    text = HEAD + "method: sobol\n" + BUDGET + f"evaluate: {{backend: command, {keys}}}\n"
    return file(text, r"9:\d+: evaluate\." + pattern, **files)


def pool(table, pattern, name="p.csv"):
    return file(GOOD + f"candidates: {name}\n", r"10:13: candidates: .*" + pattern, **({} if table is None else {name: table}))


def suite(text, pattern, *words):
    return ["bench", "s.yaml", *(words or ["--dry-run"])], USAGE, [pattern, TAIL], {"s.yaml": text}


def line(*words, told, code=USAGE, files=None):
    """A command line that does not work: one message, of the program itself."""
    return list(words), code, ["^gannet: error: .*" + told], {"c.yaml": GOOD, **(files or {})}


def flag(*words, told):
    return ["init", "n.yaml", *words], USAGE, [f"^{words[0]}: .*{told}", TAIL], {}


BOXES = """\
name: a/b
sed: 3
goal: minimise
variables:
  a: {lower: 3, upper: 1}
  b: {lower: 0, upper: 1, scale: log}
  c: {type: integer, lower: 0.5, upper: 3}
  d: {type: categorical, values: [one]}
  e: {type: categorical, values: [u, u]}
  f: {upper: 3}
  g: {type: reel, lower: 0, upper: 1}
  h: {type: categorical, values: [u, v], lower: 0}
  i: {lower: zero, upper: 1}
  j: 3
  objective: {lower: 0, upper: 1}
  2 x: {lower: 0, upper: 1}
constraints:
  k: {}
  l: {uper: 3}
  m: {lower: 3, upper: 1}
  a: {upper: 1}
budget: {evaluations: -4, wall_time: 4x}
evaluate: {backend: functoin}
surrogate: {type: gpp}
acquisition: {type: ee}
method: gp-ei
"""
KEYS = file(BOXES, r"1:7: name: .*expected up to", r"2:1: unknown key 'sed'; did you mean 'seed'\?; `gannet explain` shows all keys$",
            r"3:7: goal: 'minimise' is not valid; expected one of: minimize maximize; did you mean 'minimize'",
            r"5:3: variable a: .*not below", r"6:3: variable b: .*positive", r"7:3: variable c: .*whole numbers",
            r"8:3: variable d: .*two values", r"9:3: variable e: .*leave one out", r"10:3: missing required key 'variables.f.lower'",
            r"11:13: variables.g.type: 'reel' .*did you mean 'real'", r"12:42: variables.h.lower: only real and integer",
            r"13:14: variables.i.lower: 'zero' is not valid; expected any number",
            r"14:6: variables.j: expected keys with values below it like {lower: 0, upper: 1}, as `gannet explain variables.j` shows",
            r"15:3: the name 'objective' is taken .*choose another", r"16:3: variable name '2 x': expected",
            r"18:3: constraint k: give a lower bound", r"19:7: unknown key 'constraints.l.uper'; did you mean 'upper'",
            r"20:3: constraint m: lower = 3 is above upper", r"21:3: the name 'a' is used twice.*rename one",
            r"22:23: budget.evaluations: '-4' is not valid; expected whole number, 1 to",
            r"22:38: budget.wall_time: '4x' .*expected duration \(90s, 10m",
            r"23:21: evaluate.backend: unknown back-end 'functoin'; did you mean 'function'\? known: function plugin",
            r"24:19: surrogate.type: unknown surrogate 'gpp'; did you mean 'gp'", r"25:21: acquisition.type: unknown .*did you mean 'ei'")

FILES = {
    "all keys of one file": KEYS,
    "what a terminal would obey": file(GOOD + '"k\\e[1m\\x9b": 1\n', r"10:1: unknown key 'k \[1m  '"),
    "empty": file("", ": the file is empty; expected keys"[1:]),
    "a list": file("- 1\n", "1:1: expected a mapping, as in"),
    "not closed": file("a: [\n", "2:1: not valid YAML: .*closing bracket"),
    "a tab": file("variables:\n\tx: 1\n", "2:1: not valid YAML: tab"),
    "twice": file(GOOD + "seed: 3\n", r"10:1: key 'seed' is given twice .*first in line 2\); leave one out"),
    "binary": file("\0\1", "1:1: byte 0x00 is not UTF-8"),
    "no variables": file("budget: {evaluations: 3}\nevaluate: {backend: manual}\n", " variables: a campaign needs at least one, as in"),
    "no budget": file(HEAD + "evaluate: {backend: manual}\n", " budget: give a limit, as in"),
    "a number as evaluate": file(HEAD + BUDGET + "evaluate: 3\n", r"\d:11: evaluate: expected keys with values below it"),
    "no evaluate": file(HEAD + BUDGET, r" missing required key 'evaluate\.backend' .*as in evaluate: .backend: command, command"),
    "a value where keys belong": file(GOOD.replace(BUDGET, "budget: 4\n"), "8:9: budget: expected keys .*known keys: evaluations"),
    "a method misspelt, with settings": file(HEAD + BUDGET + "method: neural-boo\nsurrogate: {width: 9, layers: 99}\nevaluate: {backend: manual}\n",
                                             r"8:9: method: unknown method 'neural-boo'; did you mean 'neural-bo'", r"9:\d+: surrogate\.layers: '99' is not valid"),
    "method": file(GOOD.replace("sobol", "soobl"), r"7:9: method: unknown method 'soobl'; did you mean 'sobol'\? known: auto"),
    "a key of another model": file(HEAD + BUDGET + "method: gp-ei\nsurrogate: {layers: 3}\nevaluate: {backend: manual}\n",
                                   r"9:\d+: unknown key 'surrogate\.layers'; known keys: kernel"),
    "a key of an acquisition misspelt": file(
        HEAD + BUDGET + "method: neural-bo\nacquisition: {exploraton: 1}\nevaluate: {backend: manual}\n",
        r"9:15: unknown key 'acquisition\.exploraton' for acquisition 'thompson'; did you mean 'exploration'\?; known keys: type exploration growth bound delta constraints minimise"),
    "settings of a model that there is not": file(
        GOOD + "surrogate: {width: 20}\nacquisition: {growth: log, exploration: auto}\n",
        r"10:20: surrogate\.width: method 'sobol' has neither .* leave it out, or choose another method",
        r"11:23: acquisition\.growth: method 'sobol' .* leave it out"),
    "a key that auto does not know": file(HEAD + BUDGET + "surrogate: {activaton: erf}\nevaluate: {backend: manual}\n",
                                          r"8:\d+: unknown key 'surrogate\.activaton' for .*, which method: auto chose; did you mean 'activation'"),
    "settings of a model in a portfolio without": file(
        HEAD + BUDGET + "method: portfolio\nportfolio: [quadratic, random]\nsurrogate: {width: 9}\nevaluate: {backend: manual}\n",
        r"10:\d+: unknown key 'surrogate\.width' for every method of \[quadratic, random\]"),
    "portfolio": file(HEAD + BUDGET + "method: portfolio\nportfolio: [gp-ei, gp-e]\nevaluate: {backend: manual}\n",
                      r"9:13: portfolio: unknown method 'gp-e'; did you mean 'gp-ei'"),
    "a variable twice": file("variables:\n  x1: {lower: 0, upper: 1}\n  x1: {lower: 0, upper: 1}\n" + BUDGET + "evaluate: {backend: manual}\n",
                             r"3:3: key 'x1' is given twice .*first in line 2\); leave one out"),
    "an objective twice": file(HEAD + BUDGET + "objectives: {a: {goal: minimize}, a: {goal: minimize}}\nevaluate: {backend: manual}\n",
                               r"8:35: key 'a' is given twice .*first in line 8\); leave one out"),
    "one objective in a list": file(HEAD + BUDGET + "objectives: [a]\nevaluate: {backend: manual}\n",
                                    r"8:1: objectives: there is only one; expected 'objective: a', with goal and noise beside it"),
    "a launcher without resources": command("command: ['{launcher}', /bin/true]", r"command: 'launcher' is a placeholder only with evaluate\.resources; say"),
    "a key of another section": file(
        GOOD + "time_limit: 1h\nlower: 1\nwidth: 3\n",
        r"10:1: unknown key 'time_limit'; its place is 'evaluate\.time_limit': move it there",
        r"11:1: unknown key 'lower'; its place is 'variables\.NAME\.lower' or 'constraints\.NAME\.lower': move",
        r"12:1: unknown key 'width'; its place is 'surrogate\.width': move"),
    "words of other optimisers": file(
        GOOD + "parameters: 3\nmaximize: yes\nn_trials: 30\ntimeout: 60\nworkers: 4\n",
        r"10:1: unknown key 'parameters'; did you mean 'variables'\?",
        r"11:1: unknown key 'maximize'; did you mean 'goal'\?",
        r"12:1: unknown key 'n_trials'; did you mean 'budget\.evaluations'\?",
        r"13:1: unknown key 'timeout'; did you mean 'evaluate\.time_limit'\?",
        r"14:1: unknown key 'workers'; did you mean 'evaluate\.parallel'\?"),
    "bounds as others write them": file(
        "name: a\nvariables:\n  x: {min: 0, maximum: 1}\n  y: {bounds: [0, 1]}\n  z: [0, 1]\n" + BUDGET + "objective: f\nevaluate: {backend: manual}\n",
        r"3:7: unknown key 'variables\.x\.min'; did you mean 'lower'\?",
        r"3:15: unknown key 'variables\.x\.maximum'; did you mean 'upper'\?",
        r"4:7: unknown key 'variables\.y\.bounds'; did you mean 'lower' and 'upper'\?",
        r"5:7: variables\.z: expected keys with values below it like \{lower: 0, upper: 1\}"),
    "a key of the top level in a section": file(GOOD.replace(BUDGET, "budget: {evaluations: 4, goal: minimize}\n"),
                                                r"8:26: unknown key 'budget\.goal'; its place is 'goal' at the top level or 'objectives\.NAME\.goal': move"),
    "a key with dots": file(
        GOOD.replace(BUDGET, "budget: {evaluations: 4, failures.rate: 1, evaluate.parallel: 2}\n") + "surrogate.width: 3\nevaluate.paralel: 2\n",
        r"8:26: unknown key 'budget\.failures\.rate'; keys stand below their section, as in 'failures: \{rate: \.\.\.\}'$",
        r"8:44: unknown key 'budget\.evaluate\.parallel'; keys .* 'evaluate: \{parallel: \.\.\.\}'$",
        r"10:1: unknown key 'surrogate\.width'; keys .* 'surrogate: \{width: \.\.\.\}'$",
        r"11:1: unknown key 'evaluate\.paralel'; keys .* 'evaluate: \{paralel: \.\.\.\}'$"),
    "a key of another back-end": file(
        GOOD.replace("branin}", "branin, sbatch: [--mem=1G], command: [a]}"),
        r"9:51: unknown key 'evaluate\.sbatch'; only backend: slurm has it; leave it out, or change backend$",
        r"9:71: unknown key 'evaluate\.command'; only backend: command or slurm has it"),
    "thousands and colons": file(
        GOOD.replace(BUDGET, "budget: {evaluations: 1,000, wall_time:3}\nobjective:drag: 2\n"),
        r"8:25: unknown key 'budget\.000'; a comma separates keys, and numbers have .* nothing between thousands$",
        r"8:30: unknown key 'budget\.wall_time:3'; expected a colon and a blank behind a key, as in 'wall_time: \.\.\.'$",
        r"9:1: unknown key 'objective:drag'; expected a colon and a blank"),
    "keys that are not indented": file(
        "variables:\nx1: {lower: 0, upper: 1}\nx2: {lower: 0, upper: 1}\n" + BUDGET + "evaluate: {backend: manual}\n",
        r" variables: a campaign needs at least one", r"2:1: unknown key 'x1'; indent it if it belongs to 'variables'$", r"3:1: unknown key 'x2'; indent it"),
    "keys in the place of the method": file(GOOD.replace("sobol", "{batch: 4, surrogate: {layers: 99}}"),
                                            r"7:10: method: expected a name, as in 'method: gp-ei'; batch, surrogate and other keys stand beside it"),
    "methods in the place of the method": file(GOOD.replace("sobol", "[gp-ei, sobol]"),
                                               r"7:10: method: expected one name; several methods share .* 'portfolio: \[gp-ei, sobol\]' instead$"),
    "keys of two back-ends": file(HEAD + BUDGET + "evaluate: {command: [/bin/true], simulation: branin}\n",
                                  r"8:34: evaluate\.simulation: this is of backend function, and command of backend command; leave one"),
    "values of a real variable": file(
        GOOD.replace("{lower: 0, upper: 15}", "{type: real, values: [1, 2]}\n  b: {type: boolean, values: [yes, no]}"),
        r"5:20: variables\.x2\.values: needs type: categorical or ordinal; numbers need no type$",
        r"6:22: variables\.b\.values: a boolean has the values true and false; leave them out$"),
    "constraints as others write them": file(
        GOOD + "constraints:\n  a: {max: 3}\n  b: {equal: 3}\n  c: c <= 3\nimport: {file: a.csv, from: a.csv}\n",
        r"11:7: unknown key 'constraints\.a\.max'; did you mean 'upper'", r"12:7: unknown key 'constraints\.b\.equal'; did you mean 'lower' and 'upper'",
        r"13:6: constraints\.c: expected keys with values below it like \{lower: 0\}; known keys", r"14:10: unknown key 'import\.file'; did you mean 'from'"),
    "a value where keys belong, with an example": file(GOOD.replace(BUDGET, "budget: 4\nlog: debug\n"),
                                                       r"8:9: budget: .* below it like \{evaluations: 200\}; known", r"9:6: log: .* like \{level: info\}; known"),
    "a mapping where a text belongs": suite(SUITE.replace("budget: 4", "budget: {evaluations: 4}"),
                                            r"^s\.yaml:3:10: budget: a mapping is not valid; expected text, such as 300$"),
    "a suite": file(SUITE, r"4:1: problems and methods are those of a suite, which `gannet bench` takes; expected variables, as a campaign has them$"),
    "a tag": file(GOOD.replace("{lower: 0, upper: 15}", "!include x.yaml"), r"5:16: the tag '!include' has no meaning here: no file is included"),
    "a no-break space": file(GOOD.replace("x2: {", "x2:\u00a0{"), r"5:6: a no-break space \(U\+00A0\), .*; write an ordinary blank$", r"\d+:\d+: not valid YAML"),
    "two documents": file(GOOD + "---\nname: b\n", r"11:1: a second document after '---'; expected one$"),
    "values that fall twice": file(GOOD.replace("{lower: 0, upper: 15}", "{values: [3, 2, 1]}"), r"5:3: variable x2: values must increase, and 2 follows 3; sort them"),
    "a power of other languages": file(GOOD + "variable_constraints: [x1**2 <= 3]\n", r"10:24: .*unexpected operator '\*', expected a value before it; a power is x\^2$"),
    "Latin 1": file(GOOD.encode() + b"# gr\xf6sse\n", r"10:5: byte 0xf6 is not UTF-8 text; is this a campaign file\? Then save it as UTF-8$"),
    "simulation": file(GOOD.replace("branin", "brannin"), r"9:43: evaluate\.simulation: unknown simulation .*did you mean 'branin'"),
    "dimension": file(GOOD.replace("branin", "hartmann6") + "constraints: {g: {upper: 1}}\n",
                      r"9:43: evaluate\.simulation: 'hartmann6' takes 6 variables.*give it as many",
                      r"9:43: evaluate\.simulation: 'hartmann6' computes no constraints.*leave constraints out"),
    "constraints of another name": file(
        GOOD.replace("branin", "branin-disk") + "constraints:\n  c2: {upper: 1}\n  peak: {upper: 1}\n",
        r"11:3: constraints\.c2: simulation 'branin-disk' computes none of this name; did you mean 'c1'\? known: c1",
        r"12:3: constraints\.peak: simulation 'branin-disk' computes none of this name; known: c1"),
    "constraint of the heater": file(
        GOOD.replace("branin", "heater").replace("x2", "y1") + "constraints: {peak_temprature: {upper: 1}}\n",
        r"10:15: constraints\.peak_temprature: .*did you mean 'peak_temperature'\? known: peak_temperature, power, deviation"),
    "variables of the heater": file(
        GOOD.replace("branin}", "heater, settings: {heaters: 2}}").replace("x1:", "fin:").replace("x2:", "x3:"),
        r"4:3: variables\.fin: simulation 'heater' has no variable of this name; did you mean 'fins'\? known with these settings: "
        r"x1, y1, p1, x2, y2, p2, fins", r"5:3: variables\.x3: simulation 'heater' has no variable"),
    "settings": file(GOOD.replace("branin}", "branin, settings: {dely: 3}}"),
                     r"9:\d+: evaluate\.settings: unknown key 'evaluate\.settings\.dely'; did you mean 'delay'"),
    "plugin": file(HEAD + BUDGET + "evaluate: {backend: plugin, plugin: ./none.so}\n", r"8:37: evaluate\.plugin: cannot load .*start from"),
    "plugin that is none": file(HEAD + BUDGET + "evaluate: {backend: plugin, plugin: /lib/x86_64-linux-gnu/libm.so.6}\n",
                                r"8:37: evaluate\.plugin: .*does not export gannet_simulate; see"),
    "physics": file(GOOD + 'physics: {points: 0, equations: [{terms: [{derivativ: [x9]}], rsh: "0"}]}\n',
                    r"10:19: physics\.points: '0' is not valid; expected whole number", r"10:\d+: unknown key 'physics\.equations\.rsh'; did you",
                    r"10:\d+: unknown key 'physics\.equations\.terms\.derivativ'; did you mean 'derivative'"),
    "expression": file(GOOD.replace("sobol", "pinn-bo") + 'physics: {equations: [{terms: [{coefficient: "2*y1", derivative: [x1]}], rhs: "0"}]}\n',
                       r"10:\d+: .*'2\*y1', character 3: .*known names: x1 x2"),
    "expressions that muParser takes": file(
        GOOD.replace("sobol", "pinn-bo") + 'physics: {equations: [{terms: [{coefficient: "0,5", derivative: [x1]}], rhs: "x1=2"}]}\n',
        r"10:\d+: .*coefficient: expression '0,5', character 2: .*use a decimal point", r"10:\d+: .*rhs: expression 'x1=2', character 3: .*use == to compare"),
    "command is missing": command("parallel: 2", r"command: missing: .*as in 'command: \["),
    "command is nowhere": command("command: [./s.sh]", r"command: cannot run '\./s\.sh': .*relative paths start from"),
    "command of a shell": command("command: [~/s.sh]", r"command: cannot run '~/s\.sh': .*no shell replaces '~' and '\$NAME'; write the path"),
    "a text of a shell": command("command: 'cd x && ./s.sh'", r"command: cannot run .*items of a list.*; a text for a shell is evaluate\.shell"),
    "a pattern without a group": command('command: [/bin/true], pattern: ["objective=drag ="]',
                                         r"pattern: 'drag =': no group in round brackets says where the number is; expected as in 'objective="),
    "an environment variable with a blank": command('command: [/bin/true], environment: {"A B": 3}', "environment: 'A B=3' is not of the form NAME=value"),
    "command may not run": command("command: [./s.sh]", r"command: .*make it executable with chmod", **{"s.sh": "#!/bin/sh\n"}),
    "command not in PATH": command("command: [no-such-program]", r"command: .*searched in PATH"),
    "placeholder": command('command: [/bin/true, "{parms}"]', r"command: '\{parms\}' is not a variable .*did you mean '\{params\}'"),
    "two ways": command("command: [/bin/true], shell: 'true'", "command: give either command or shell"),
    "pattern": command('command: [/bin/true], pattern: ["objective=("]', r"pattern: '\(': .*expected as in 'objective="),
    "pattern of nothing": command('command: [/bin/true], pattern: ["objectiv=a(.*)"]', "pattern: 'objectiv' is neither.*known: objective"),
    "environment": command("command: [/bin/true], environment: [A]", "environment: 'A' .*as in OMP_NUM_THREADS=4"),
    "template": command("command: [/bin/true], templates: [no.in]", r"templates: cannot read 'no\.in': .*start from the campaign file"),
    "exit codes": command("command: [/bin/true], bad_luck_exit_codes: [300]", "bad_luck_exit_codes: .*expected list of numbers, 1 to 255"),
    "time limit": command("command: [/bin/true], time_limit: 0", "time_limit: '0' is not valid; expected duration .*above 0"),
    "texts": command('command: [/bin/true], cannot_run_text: ["("]', r"cannot_run_text: '\(': .*expected a POSIX extended"),
    "submit": file(HEAD + BUDGET + "evaluate: {backend: slurm, command: [/bin/true], submit: arry}\n",
                   r"8:58: evaluate\.submit: .*expected one of: job array; did you mean 'array'"),
    "no list": pool(None, "No such file.*relative paths start from the campaign file"),
    "empty list": pool("", "is empty; the first line must name the variables"),
    "list without rows": pool("x1,x2\n", "no rows; expected one for each design"),
    "list without a variable": pool("x1\n1\n", "no column 'x2'; the first line must name every variable"),
    "list with words": pool("x1,x2\n1,foo\n", "row 1: variable x2: 'foo' is not a number"),
    "list outside": pool("x1,x2\n1,99\n", r"candidate 1: variable x2: 99 is outside \[0, 15\]; correct it"),
    "list too wide": pool("x1,x2\n1,2,3\n", "row 1 has 3 columns, expected 2"),
    "list with a name twice": pool("x1,x1,x2\n1,1,2\n", "two columns are named 'x1'; expected each variable once"),
    "list that is cut off": pool('x1,x2\n"1,2\n', "inside a quoted cell; close the quotation mark"),
    "list in a spreadsheet": pool("PK\3\4\0\0", r"p\.csv: expected CSV, and this is a spreadsheet or another archive; export the table as CSV$"),
    "list in JSON": pool('[{"x1": 1, "x2": 2}]\n', r"p\.csv: expected CSV, and this is JSON; write a line of names and a line of values"),
    "list that is no HDF5": pool("junk", r"p\.h5.*cannot be read; expected an HDF5 file", "p.h5"),
    "suite key": suite(SUITE.replace("runs", "rnus"), r"^s\.yaml:2:1: unknown key 'rnus'; did you mean 'runs'"),
    "suite key of another program": suite(SUITE + "timeout: 3\n", r"^s\.yaml:6:1: unknown key 'timeout'; nearest: .*`gannet explain --suite` shows"),
    "suite function": suite(SUITE.replace("ackley", "acklet"), r"^s\.yaml:4:26: problems\.a\.function: unknown .*did you mean 'ackley'"),
    "suite method": suite(SUITE.replace("[sobol]", "[sobl]"), r"^s\.yaml:5:11: method: unknown method 'sobl'; did you mean 'sobol'"),
    "suite method twice": suite(SUITE.replace("[sobol]", "{sobol: , sobol: }"), r"^s\.yaml:5:20: key 'sobol' is given twice"),
    "suite settings without a method": suite(
        SUITE.replace("[sobol]", "{gp-i: {refit: 1}}"),
        r"^s\.yaml:5:11: methods\.gp-i: 'gp-i' is not a method; did you mean 'gp-.i'\?; .*as in 'gp-i: {method: gp-ei, \.\.\.}'"),
    "suite measure": suite(SUITE + "measures: [simpel]\n", r"^s\.yaml:6:12: unknown measure 'simpel'; did you mean 'simple'"),
    "suite budget": suite(SUITE.replace("budget: 4", "budget: 4*E"), r"^s\.yaml:3:9: budget: '4\*E' .*expected one as in 300"),
    "suite dimension": suite(SUITE.replace("ackley", "hartmann6"), r"^s\.yaml:4:26: .*has 6 variables; leave dimension out"),
    "suite with keys of a method elsewhere": suite(
        SUITE.replace("[sobol]", "{neural-bo: {width: 256, surrogate: {layers: 99}, batch: 2}}") + "surrogate: {width: 3}\nevaluate: 3\n",
        r"^s\.yaml:5:23: unknown key 'methods\.neural-bo\.width'; its place is 'methods\.neural-bo\.surrogate\.width': move it"
        r"(.*\n)*s\.yaml:5:55: surrogate\.layers: '99' is not valid"
        r"(.*\n)*s\.yaml:5:60: unknown key 'methods\.neural-bo\.batch'; its place is 'batch' at the top level: move it"
        r"(.*\n)*s\.yaml:6:1: unknown key 'surrogate'; its place is 'methods\.NAME\.surrogate': move it"
        r"(.*\n)*s\.yaml:7:1: unknown key 'evaluate'; its place is 'problems\.NAME\.evaluate': move it"),
    "suite by hand": suite(SUITE.replace("function: ackley, dimension: 2", "variables: {x: {lower: 0, upper: 1}}, evaluate: {backend: manual}"),
                           r"^s\.yaml:4:74: problems\.a: backend manual leaves the simulations to you, and a suite runs its own"),
    "suite with another constraint": suite(SUITE.replace("ackley, dimension: 2", "branin-disk, constraints: {zz: {upper: 1}}"),
                                           r"^s\.yaml:4:53: constraints\.zz: simulation 'branin-disk' computes none of this name; known: c1$"),
    "suite with two sizes": suite(SUITE.replace("dimension: 2", "dimension: 3, variables: {x: {lower: 0, upper: 1}}"),
                                  r"^s\.yaml:4:45: problems\.a\.dimension: 3, but variables are given, and there are 1; leave one"),
    "suite with a method twice": suite(SUITE.replace("[sobol]", "[sobol, sobol]"), r"^s\.yaml:5:18: methods: 'sobol' is there twice; leave one"),
    "suite with a value for a problem": suite(SUITE.replace("{function: ackley, dimension: 2}", "ackley"),
                                              r"^s\.yaml:4:15: problems\.a: expected keys .* like \{function: ackley\}, as `gannet explain --suite` shows$"),
    "a campaign in place of a suite": suite(GOOD, r"^s\.yaml:3:1: variables are those of a campaign, which `gannet run` takes; a suite has problems"),
    "suite without problems": suite("methods: [sobol]\n", r"^s\.yaml: problems: expected a name for each, as in"),
    "suite run": suite(SUITE, "^--only: 'b/c' fits no run of the suite; expected problem/method", "--only", "b/c"),
}
LINES = {
    "file as command": line("c.yaml", told="'c.yaml' is not a command; to run a campaign file: gannet run c.yaml"),
    "file named as a command": line("run.yaml", told="'run.yaml' is not a command; to run a campaign file: gannet run run.yaml"),
    "command": line("rnu", told="unknown command 'rnu'; did you mean 'run'"),
    "command of another program": line("resume", told="unknown command 'resume'; write `gannet run CAMPAIGN.yaml --resume`; see gannet --help"),
    "key as an option": line("run", "c.yaml", "--seed", "3", told="unknown option '--seed' of gannet run; a key of the file is set by --set seed=VALUE$"),
    "key of a section as an option": line("run", "c.yaml", "--evaluations=3", told="a key of the file is set by --set budget.evaluations=VALUE$"),
    "key of a suite as an option": line("bench", "c.yaml", "--runs", "3", told="a key of the file is set by --set runs=VALUE$"),
    "no file": line("run", told=r"missing argument; usage: gannet run CAMPAIGN\.yaml"),
    "two files": line("run", "c.yaml", "d.yaml", told=r"unexpected argument 'd\.yaml'; usage"),
    "what a terminal would obey": line("ru\x1b[31m", told=r"unknown command 'ru \[31m'"),
    "option": line("run", "c.yaml", "--tim-limit", "3", told="unknown option '--tim-limit' .*did you mean '--time-limit'"),
    "no value": line("run", "c.yaml", "--set", told="option '--set' needs a value; see gannet run --help"),
    "set": (["run", "c.yaml", "--set", "batch", "--set", "bacth=2", "--set", "batch=x"], USAGE,
            ["^--set batch: expected key=value, as in", "^--set bacth=2: unknown key 'bacth'; did you mean 'batch'",
             "^--set batch=x: batch: 'x' is not valid; expected whole number, 1 to 100000, or auto", TAIL], {"c.yaml": GOOD}),
    "large number": line("run", "c.yaml", "--max-evals", "9" * 30, told="is not a whole number of at least 1, or is too large"),
    "whole number": line("run", "c.yaml", "--max-evals", "0", told="--max-evals: '0' is not a whole number of at least 1"),
    "duration": line("run", "c.yaml", "--time-limit", "soon", told="--time-limit: 'soon' is not a duration such as 90s"),
    "campaign file": line("run", "d.yaml", told=r"cannot open 'd\.yaml': .*did you mean 'c\.yaml'\?; `gannet init` writes"),
    "folder": line("run", ".", told=r"'\.' is a directory; expected a campaign or suite file; did you mean '\./c\.yaml'\?"),
    "campaign": line("status", "c.yaml", told="'c.yaml' is not a campaign directory.*gannet run makes one, NAME.campaign"),
    "campaign to ask": line("ask", "no", told="'no' is not a campaign directory: it does not exist; the nearest directory that exists"),
    "campaign to tell": line("tell", "no/such", "--id", "0", "-y", "1", told="'no/such' is not a campaign directory: it does not exist"),
    "campaign to correct": line("discard", "no", "--id", "0", told="'no' is not a campaign directory: it does not exist"),
    "file to ask": line("ask", "d.yaml", told=r"cannot open 'd\.yaml': .*did you mean 'c\.yaml'"),
    "manual": line("run", "m.yaml", told="use `gannet ask` and `gannet tell` instead", files={"m.yaml": HEAD + BUDGET + "evaluate: {backend: manual}\n"}),
    "family": line("list", "methds", told="unknown family 'methds'; did you mean 'methods'"),
    "shell": line("completion", "tcsh", told="unknown shell 'tcsh'; expected bash, zsh or fish"),
    "key": line("explain", "budgt", told="unknown key 'budgt'; did you mean 'budget'"),
    "page": line("manual", "gannet-rnu", told="no manual page 'gannet-rnu'; did you mean"),
    "exists": line("init", "c.yaml", told=r"c\.yaml exists, and nothing was written; choose another name, or .*--force"),
    "no folder": line("init", "no/x.yaml", told="cannot find the folder 'no/'"),
    "variable": flag("--variable", "x=1", told="is not NAME=LOWER:UPPER.*as in rate="),
    "empty box": flag("--variable", "x=1:0", told="empty box, lower = 1 is not below"),
    "values": flag("--categorical", "s=a", told="at least two values, as in"),
    "constraint": flag("--constraint", "g=5", told="as in peak_stress=:110"),
    "backend": flag("--backend", "slrum", told="unknown back-end 'slrum'; did you mean 'slurm'"),
    "method": flag("--method", "neural-b", told="unknown method .*did you mean 'neural-bo'"),
    "job script": flag("--jobscript", "one", told="unknown job script .*did you mean 'one-job-per-evaluation'"),
    "input file": flag("--template", "no.in", told="cannot open.*expected an input file with"),
    "goal": flag("--goal", "best", told="'best' is not one of minimize, maximize"),
    "regex": flag("--pattern", "objective", told="is not NAME=REGEX, as in"),
    "batch": flag("--batch", "0", told="is not a whole number of at least 1"),
    "wall time": flag("--wall-time", "x", told="is not a duration such as"),
}


class Messages(program.ProgramTest):
    def one(self, case):
        """Complaints of one case: what is missing from stderr, or there and unfit for users."""
        name, (words, code, patterns, files) = case
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for file_name, text in files.items():
            (folder / file_name).write_bytes(text if isinstance(text, bytes) else text.encode())
        done = subprocess.run([program.GANNET, *words], cwd=folder, env={**os.environ, **program.SCRATCH}, timeout=100,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        found = [f"no {p}" for p in patterns if not re.search(p, done.stderr, re.MULTILINE)]
        found += [f"exit code {done.returncode}, not {code}"] if done.returncode != code else []
        found += [f"{word} in it" for word in ("reported by rank", "(null)", "%s", "GANNET_ERR", "no details", "error in the input")
                  if word in done.stderr]
        found += ["control characters"] if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", done.stderr) else []
        lines = done.stderr.splitlines()
        if len([one for one in lines if one.startswith("gannet: error:")]) != 1 or len(lines) > len(patterns) + 4:
            found.append("more than was to be said, or less")
        if {path.name for path in folder.iterdir()} != set(files):
            found.append(f"files are left: {sorted(path.name for path in folder.iterdir())}")
        return f"{name}: gannet {' '.join(words)}: {'; '.join(found)}\n{done.stderr}" if found else ""

    def every(self, cases):
        with concurrent.futures.ThreadPoolExecutor(2) as pool_of_two:
            wrong = [text for text in pool_of_two.map(self.one, cases.items()) if text]
        self.assertFalse(wrong, "\n" + "\n".join(wrong))

    def test_files(self):
        self.every(FILES)

    def test_mistakes_are_told_in_the_order_of_the_file(self):
        text = "nmae: a\nvariables:\n  x: {lower: 2, upper: 1}\n  y: {lower: 0, upper: 1, colour: red}\n" \
               "budget: {evaluations: 0}\nevaluate: {backend: command, command: [/bin/true], zork: 1}\n"
        told = self.gannet("run", self.write(text, "c.yaml"), "--set", "bacth=3").err.splitlines()
        self.assertEqual([line.split(" ")[0].split("/")[-1] for line in told],
                         ["--set", "c.yaml:1:1:", "c.yaml:3:3:", "c.yaml:4:27:", "c.yaml:5:23:", "c.yaml:6:52:", "gannet:"], told)
        self.assertIn("unknown key 'variables.y.colour'; nearest: lower, upper, scale; `gannet explain variables.y` shows all keys", told[3])

    def test_method_beside_a_portfolio(self):
        file = self.write(GOOD.replace("sobol", "gp-ei") + "portfolio: [sobol, random]\n", "c.yaml")
        told = "c.yaml:7:9: method: 'gp-ei' is not used, as the methods of the key portfolio propose the points; leave out one"
        self.assertIn(told, self.succeed("run", file, "--dry-run").err)
        for method in "auto", "portfolio":
            file = self.write(GOOD.replace("sobol", method) + "portfolio: [sobol, random]\n", "c.yaml")
            self.assertEqual("", self.succeed("run", file, "--dry-run").err)

    def test_a_budget_that_ends_before_any_model(self):
        text = GOOD.replace("sobol", "gp-ei").replace("batch: 2", "batch: 6") + "initial: 5\n"
        told = self.succeed("run", self.write(text, "c.yaml"), "--dry-run").err
        self.assertIn("c.yaml:10:10: initial: 5 points are more than budget.evaluations: 4, so no model proposes any; lower", told)
        self.assertIn("c.yaml:6:8: batch: 6 points at a time are more than budget.evaluations: 4, so all are proposed before", told)
        # Not where no model would propose, nor where the command line has a smaller limit than the file.
        for file, words in (text.replace("gp-ei", "sobol"), ()), (text.replace("evaluations: 4", "evaluations: 40"), ("--max-evals", "4")):
            self.assertEqual("", self.succeed("run", self.write(file, "c.yaml"), "--dry-run", *words).err)

    def test_an_output_of_nearly_the_name_of_the_objective(self):
        text = HEAD + BUDGET + "objective: %s\noutputs: {drag: {pattern: 'drag (.*)'}}\nevaluate: {command: [/bin/true]}\n"
        for objective, needed in ("drga", "drga"), ("2*darg + 1", "darg"), ("drag", ""), ("2*drag + drga", ""), ("lift", ""):
            told = self.succeed("run", self.write(text % objective, "c.yaml"), "--dry-run").err
            if needed:
                self.assertIn(f"c.yaml:9:11: outputs.drag: nothing needs it, while '{needed}' is needed and is no output; if they", told)
            else:
                self.assertEqual("", told, objective)

    def test_pipes_in_a_command(self):
        file = self.write(HEAD + BUDGET + "evaluate: {command: [/bin/echo, a, '|', tee, log, '2>&1']}\n", "c.yaml")
        told = self.succeed("run", file, "--dry-run").err
        for sign in "|", "2>&1":
            self.assertRegex(told, r"warning: \S+\.yaml:\d+:\d+: evaluate\.command: ")
            self.assertIn(f"evaluate.command: '{sign}' is an argument of /bin/echo, since no shell reads it; write evaluate.shell", told)

    def test_portfolio_of_a_suite_under_a_name_of_its_own(self):
        told = self.succeed("bench", self.write(SUITE.replace("[sobol]", "{mix: {portfolio: [sobol, random]}}"), "s.yaml"), "--dry-run")
        self.assertIn("/mix seed 1: ", told.out)

    def test_answers_in_json(self):
        """One JSON document, or nothing where there is an error."""
        self.write(GOOD.replace("branin", "branin-disk") + "constraints: {c1: {upper: -999}}\n", "c.yaml")
        self.succeed("run", "c.yaml", "-q", code=program.INFEASIBLE)
        for command in "status", "best", "export":
            told = self.gannet(command, "c.campaign", "--format", "json")
            self.assertIn(told.code, (0, program.INFEASIBLE))
            json.loads(told.out)
            for words in ("none.campaign",), ("c.yaml",), ("c.campaign", "more"), ("c.campaign", "--nothing"):
                told = self.gannet(command, *words, "--format", "json")
                self.assertEqual((told.code, told.out), (USAGE, ""), words)
                self.assertRegex(told.err, "^gannet: error: ")

    def test_errors_of_quiet_runs(self):
        """--quiet leaves out progress, never an error."""
        self.write(GOOD, "c.yaml")
        self.write(SUITE, "s.yaml")
        for words in ("run", "c.yaml"), ("step", "c.yaml"), ("bench", "s.yaml"), ("bench", "s.yaml", "--report"):
            for place in "c.yaml", "c.yaml/x", "":
                told = self.gannet(*words, "--quiet", "--directory", place)
                self.assertEqual(told.code, USAGE, words)
                self.assertRegex(told.err, "^gannet: error: ", words)

    def test_command_lines(self):
        self.every(LINES)

    def fails(self, words, code, *patterns, **options):
        outcome = self.succeed(*words, code=code, **options)
        for pattern in patterns:
            self.assertRegex(outcome.err, pattern)
        return outcome

    def test_what_lies_in_a_campaign(self):
        """Directories that are none, results that cannot be, damaged files, and who holds them."""
        self.write(GOOD.replace("function, simulation: branin", "manual") + "constraints: {g: {upper: 1}}\n", "m.yaml")
        self.write(GOOD, "b.yaml")
        self.succeed("ask", "m.yaml")
        self.fails(("status", "m.yaml"), USAGE, "'m.yaml' is not a campaign directory: .*did you mean 'c.campaign'")
        self.fails(("best", "c.campain"), USAGE, "did you mean 'c.campaign'")
        self.fails(("export", "."), USAGE, "did you mean './c.campaign'")
        (self.folder / "gone.campaign").symlink_to("purged")
        told = "gone.campaign' is .*symbolic link to 'purged', which does not exist; "
        self.fails(("status", "gone.campaign"), USAGE, told + "give the path where the campaign is now")
        for resume in (), ("--resume",):
            self.fails(("run", "b.yaml", "-q", "--directory", "gone.campaign", *resume), USAGE, told + "make that directory")
        for words, told in ((("--id", "99", "-y", "1", "-c", "g=0"), "never proposed; expected at most 1; `gannet ask` proposes more"),
                            (("--id", "0", "-y", "one", "-c", "g=0"), "'one' is not valid; expected a finite number"),
                            (("--id", "0", "-y", "0x10", "-c", "g=0"), "'0x10' is not valid; expected a finite number"),
                            (("--id", "0", "-y", "1"), "give --constraint g=VALUE, too"),
                            (("--id", "0", "-y", "1", "-c", "h=0"), "no constraint 'h'; known: g"),
                            (("--point", "x1=0", "-y", "1", "-c", "g=0"), "give --point x2=VALUE, too"),
                            (("--point", "x3=0", "-y", "1", "-c", "g=0"), "no variable 'x3'; known: x1 x2"),
                            (("-y", "1", "-c", "g=0"), "give either --id or a --point")):
            self.fails(("tell", "c.campaign", *words), USAGE, told)
        self.succeed("tell", "c.campaign", "--id", "0", "-y", "1", "-c", "g=0")
        self.fails(("tell", "c.campaign", "--id", "0", "-y", "1", "-c", "g=0"), USAGE, "already has the result 'done'; `gannet correct` replaces")

    def test_damage(self):
        self.write(GOOD, "c.yaml")
        self.succeed("run", "c.yaml", "-q")
        self.fails(("run", "c.yaml"), USAGE, "already holds a campaign; continue it with --resume, choose another place")
        self.fails(("run", "c.campaign"), USAGE, r"'c\.campaign' is a directory; expected a campaign or suite file; did you mean 'c\.campaign/campaign\.yaml' with --resume\?")
        self.write("", "a.folder/README")
        (self.folder / "mine").mkdir()
        (self.folder / "mine/campaign.yaml").write_text("variables: {}\n")
        self.fails(("run", "mine"), USAGE, r"did you mean 'mine/campaign\.yaml'\?")
        self.fails(("run", "a.folder"), USAGE, r"is a directory; expected a campaign or suite file, such as the one that the campaign was started from")
        place = self.folder / "c.campaign"
        journal = (place / "journal").read_bytes()
        with open(place / "journal.lock", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.fails(("run", "c.yaml", "--resume", "-q"), BUSY, "is held by .*wait until it has ended")
        for name in "journal", "state.h5":
            data = bytearray((place / name).read_bytes())
            data[len(data) // 2] ^= 0x10
            (place / name).write_bytes(data)
        shutil.copy(place / "state.h5", place / "state.h5.1")
        self.fails(("run", "c.yaml", "--resume", "-q"), DAMAGED, r"journal.*(delete what follows line \d+|start again with --directory)")
        (place / "journal").write_bytes(journal.replace(b"gannet", b"gannot", 1))
        self.fails(("run", "c.yaml", "--resume", "-q"), DAMAGED, "does not begin like a gannet journal")

    def test_a_current_directory_that_is_gone(self):
        file = self.write(GOOD, "c.yaml")
        place = self.folder / "c.campaign"
        wrapper = ["sh", "-c", "mkdir g && cd g && rmdir ../g && exec \"$@\"", "sh"]
        heated = {"simulation: branin": "simulation: heater", "  x1: {lower: -5, upper: 10}": "  x1: {lower: 0.1, upper: 0.9}",
                  "  x2: {lower: 0, upper: 15}": "  y1: {lower: 0.1, upper: 0.9}"}
        plate = self.write(re.sub("|".join(map(re.escape, heated)), lambda found: heated[found.group()], GOOD), "p.yaml")
        outcome = self.gannet("run", plate, "--directory", self.folder / "p.campaign", wrapper=wrapper)
        self.assertRegex(outcome.err, "the current directory: No such file or directory; change to one that exists")
        self.assertNotIn("PETSC", outcome.err)
        self.succeed("run", file, "--directory", place, "-q", wrapper=wrapper)
        self.succeed("status", place, wrapper=wrapper)

    def test_no_room(self):
        """Complaints: a file that cannot grow is told with the way out."""
        self.write(GOOD, "c.yaml")
        wrapper = ["sh", "-c", "ulimit -f 1; trap '' XFSZ; exec \"$@\"", "sh"]
        self.fails(("run", "c.yaml", "-q"), RESOURCE, r"raise the limit of the size of files \(ulimit -f\)", wrapper=wrapper, ranks=1)


if __name__ == "__main__":
    program.main()
