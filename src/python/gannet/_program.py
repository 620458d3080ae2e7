"""The program gannet: where it is, and what it answers."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
from typing import Any, Iterator, Tuple

from ._library import Error, __version__, _library


def _candidates() -> Iterator[pathlib.Path]:
    """Where the program is when it was built or installed together with the library or with this package."""
    package = pathlib.Path(__file__).resolve()
    if "/" in _library.path:  # otherwise only the linker knows where it is
        library = pathlib.Path(_library.path).resolve()
        yield library.parent / "gannet"
        yield from (folder / "bin/gannet" for folder in library.parents[1:4])
    yield from (folder / "bin/gannet" for folder in package.parents[2:6])


def find_program() -> str:
    """The path of a program gannet of this version."""
    named = os.environ.get("GANNET_PROGRAM")
    beside = next((str(path) for path in _candidates() if path.is_file() and os.access(path, os.X_OK)), None)
    path = named or beside or shutil.which("gannet")
    if path is None:
        raise Error(f"the program gannet was not found, neither beside {_library.path} nor in PATH; install it, or set GANNET_PROGRAM "
                    "to its path")
    try:
        said = next(iter(subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()), "")
    except OSError as error:
        raise Error(f"{path} cannot be run: {error.strerror}; set GANNET_PROGRAM to the path of the program gannet") from error
    if said != f"gannet {__version__}":
        raise Error(f"{path} is {said or 'no gannet'}; expected gannet {__version__}, set GANNET_PROGRAM to its path")
    return path


def ask_program(program: str, *arguments: Any) -> Tuple[int, str]:
    """The exit code and what was printed; without an answer its error."""
    said = subprocess.run([program, *map(os.fspath, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if said.returncode not in (0, 3):  # 3: no feasible design
        lines = [line for line in said.stderr.splitlines() if line]
        marked = [line for line in lines if re.match(r"gannet: error: |.*:\d+: ", line)] or lines
        raise Error("\n".join(line.replace("gannet: error: ", "", 1) for line in marked) or
                    f"gannet {arguments[0]} ended with exit code {said.returncode}")
    return said.returncode, said.stdout
