#!/usr/bin/env python3
"""Fail when a file of a room includes a header of a room below it, or of an outside library that
its room may not know.

  check_rooms.py ROOT          check ROOT/src and ROOT/include
  check_rooms.py --self-check  check that violations are found
"""
import pathlib
import re
import tempfile

import rule

# From the top down: a room may include itself and the rooms before it. The last is a folder of tools/.
ROOMS = ("base linalg pareto minimize store problem network surrogate acquisition search optimizer "
         "evaluate campaign simulations picture suite report machine cli benchmark").split()

# Which rooms may know which outside headers; the first pattern that matches decides.
OUTSIDE = [
    (r"(hdf5|H5\w*)\.h", {"store"}),
    (r"(cblas|lapacke?|f77blas|openblas)\w*\.h|openblas.*/.*", {"linalg"}),
    (r"petsc/?.*tao\w*\.h", {"minimize"}),
    (r"petsc.*", {"minimize", "simulations", "cli", "benchmark"}),
    (r"libfyaml\.h", {"campaign"}),
    (r"jansson\w*\.h", {"optimizer", "evaluate", "campaign", "report", "machine", "cli"}),
    (r"hwloc\.h", {"evaluate"}),
    (r"microhttpd\.h", {"cli"}),
    (r"Random123/.*", {"base"}),
    (r"xxhash\.h|xxh\w*\.h", {"base"}),
    (r"cmocka\.h", set()),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def complaint(room, header, folder):
    """What is wrong with an include of header in a file of room (None = public header)."""
    first = header.split("/")[0]
    if "/" in header and first in ROOMS:
        if room is None:
            return "public headers include no room"
        if ROOMS.index(first) > ROOMS.index(room):
            return f"{first} is below {room}"
        return None
    if first == "gannet" or (folder / header).is_file():
        return None
    for pattern, allowed in OUTSIDE:
        if re.fullmatch(pattern, header):
            return None if room in allowed else f"only for: {', '.join(sorted(allowed)) or 'tests'}"
    return None


def check(root):
    problems = []
    for path in sorted(file for where in ("src/**/*.[ch]", "tools/**/*.[ch]", "include/**/*.h") for file in root.glob(where)):
        parts = path.relative_to(root).parts
        room = parts[1] if parts[0] != "include" else None
        if room is not None and room not in ROOMS:
            problems.append(f"{'/'.join(parts)}: not in a known room")
            continue
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            reason = complaint(room, match[2], path.parent)
            if reason:
                line = text.count("\n", 0, match.start(2)) + 1
                problems.append(f"{'/'.join(parts)}:{line}: includes {match[2]}: {reason}")
    return problems


def self_check():
    good = {"src/store/a.c": '#include "store/a.h"\n#include "base/error.h"\n#include <hdf5.h>\n',
            "src/store/a.h": "#include <stdio.h>\n", "src/cli/main.c": "#include <petscsys.h>\n",
            "tools/benchmark/a.c": '#include "suite/a.h"\n',
            "include/gannet/x.h": '#include "gannet/y.h"\n#include <mpi.h>\n'}
    bad = {"src/base/a.c": '#include "store/a.h"\n', "src/problem/b.c": "# include <hdf5.h>\n",
           "src/linalg/c.c": "#include <petsctao.h>\n", "src/cli/d.c": "#include <petsctao.h>\n",
           "src/linalg/e.c": "#include <petscvec.h>\n", "src/search/f.h": '#include "cblas.h"\n',
           "src/store/g.c": "#include <xxhash.h>\n", "src/cli/h.c": "#include <libfyaml.h>\n",
           "src/store/i.c": "#include <jansson.h>\n", "src/cellar/j.c": "\n",
           "include/gannet/z.h": '#include "base/error.h"\n', "src/cli/k.c": "#include <cmocka.h>\n",
           "src/cli/l.c": '#include "benchmark/bench.h"\n', "tools/benchmark/m.c": "#include <hdf5.h>\n"}
    for name, text in {**good, **bad}.items():
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            found = check(pathlib.Path(folder))
            assert bool(found) == (name in bad), (name, found)


if __name__ == "__main__":
    rule.run(__doc__, check, self_check)
