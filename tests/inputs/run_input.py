"""Run a campaign file as a test.

  run_input.py --self-check
  run_input.py GANNET MPIRUN CAMPAIGN.yaml RANKS [OPTION OF RUN...] [--require-best VALUE] [--require-hypervolume VALUE]

A second line "# needs: PROGRAM" skips the test where there is no such program (exit code 77); of
"# needs: PROGRAM ARGUMENT..." the command must succeed.

The campaign runs in a directory of its own. Its exit code must be 0, all its files must verify, and its
best objective must be at least as good as VALUE, or the hypervolume of its front at least VALUE.
"""
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile


def is_good_enough(best, required, maximize):
    return best >= required if maximize else best <= required


def split_arguments(arguments, option="--require-best"):
    required = None
    if option in arguments:
        at = arguments.index(option)
        required = float(arguments[at + 1])
        arguments = arguments[:at] + arguments[at + 2:]
    return arguments, required


def needs(text):
    """The words of the command that a campaign file says it needs, none when it needs nothing."""
    found = re.match(r"[^\n]*\n# needs: (\S[^\n]*)\n", text)
    return shlex.split(found.group(1)) if found else []


def is_there(command):
    if not shutil.which(command[0]):
        return False
    return len(command) == 1 or subprocess.run(command, capture_output=True, check=False).returncode == 0


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def self_check():
    assert split_arguments(["--max-evals", "5", "--require-best", "0.5"]) == (["--max-evals", "5"], 0.5)
    assert needs("# test: 1\n# needs: a -c 'b c'\nname: d\n") == ["a", "-c", "b c"]
    assert needs("# test: 1\n# needs: ccx\n") == ["ccx"] and not needs("# test: 1\nname: d\n")
    assert is_there(["true"]) and is_there(["true", "x"]) and is_there(["cat"])
    assert not is_there(["false", "x"]) and not is_there(["/no/such/program"])
    assert is_good_enough(1, 2, False) and not is_good_enough(3, 2, False)
    assert is_good_enough(3, 2, True) and not is_good_enough(1, 2, True)


def main():
    if sys.argv[1:] == ["--self-check"]:
        return self_check()
    gannet, mpirun, campaign, ranks = sys.argv[1:5]
    arguments, required = split_arguments(sys.argv[5:])
    arguments, volume = split_arguments(arguments, "--require-hypervolume")
    with open(campaign, encoding="utf-8") as file:
        command = needs(file.read())
    if command and not is_there(command):
        print(f"skipped: {shlex.join(command)} is not there or does not succeed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        place = folder + "/campaign"
        run([mpirun, ranks, gannet, "run", campaign, "--directory", place, "--quiet", *arguments])
        run([gannet, "verify", place])
        best = json.loads(run([gannet, "best", place, "--format", "json"]))[0].get("objective")
        front = re.search(r"hypervolume ([0-9.e+]+)", run([gannet, "status", place]))
        with open(place + "/campaign.yaml", encoding="utf-8") as file:
            maximize = "goal: maximize" in file.read()
    if required is not None and not is_good_enough(best, required, maximize):
        sys.exit(f"best objective {best}, expected {required}")
    if volume is not None and float(front.group(1)) < volume:
        sys.exit(f"hypervolume {front.group(1)}, expected {volume}")
    return None


if __name__ == "__main__":
    main()
