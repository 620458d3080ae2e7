"""What every rule about the text of the sources shares: its command line, and what it says.

A rule is called as  check_x.py ROOT ...  or as  check_x.py --self-check
"""
import pathlib
import sys


def run(usage, check, self_check):
    """check(root, ...) gives a line for every violation; self_check() asserts that violations are found. A folder
    without sources is a mistake in the call and not a tree without violations."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    if sys.argv[1] == "--self-check":
        self_check()
        return
    root = pathlib.Path(sys.argv[1]).resolve()
    found = list(check(root, *sys.argv[2:])) if any(root.glob("src/*/*.h")) else [f"no sources below {root}"]
    print("\n".join(found))
    sys.exit(1 if found else 0)
