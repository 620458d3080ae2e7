#!/usr/bin/env python3
"""Rows of a list in a comment begin lines of their own. The formatter fills a row that is longer than a line as if it
were text, and the next row then begins in the middle of a line. So what follows a row is another row, the rest of its
text, indented, or an empty line.

  check_comments.py ROOT          check the sources below ROOT
  check_comments.py --self-check  check that violations are found
"""
import pathlib
import re

import rule

FOLDERS = ("src", "include", "tests")
ROW = re.compile(r" \* {3,}\S+(?: \S+){0,3} {2,}\S")  # a term of up to four words, and at a distance what it is
TEXT = re.compile(r" \* \S")


def complaints(name, text):
    lines = text.splitlines()
    for number, (line, after) in enumerate(zip(lines, lines[1:]), 2):
        if ROW.match(line) and TEXT.match(after):
            yield f"{name}:{number}: text right after a row of a list: indent it, or put an empty line before it"


def check(root):
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.[ch]")):
            found += complaints(path.relative_to(root), path.read_text(encoding="utf-8", errors="replace"))
    return found


def self_check():
    cases = [
        ("/* Terms\n *   strip  some points\n *   two words  that,\n *              and more\n *\n * Text. */\n", 0),
        ("/* Terms\n *   strip  some points that are\n * many lane  one of them\n */\n", 1),
        (" * in  [n] an argument\n * out  [n] another\n", 0),
        (" *   u = W z,   a formula\n * goes on\n", 1),
    ]
    for number, (text, expected) in enumerate(cases):
        found = list(complaints(pathlib.PurePath("a.c"), text))
        assert len(found) == expected, (number, found)


if __name__ == "__main__":
    rule.run(__doc__, check, self_check)
