"""The wheel: the package with the shared library in it, and the program gannet beside the interpreter.

Library and program come from a build by CMake: from the folder that the environment variable GANNET_BUILD names (a relative one is
one of the folder that the shell is in, PWD), from build in the top folder of the sources, which is brought up to date, or from a build
that is made in build-wheel there and takes some minutes. With GANNET_BUILD=none, and away from the sources, the wheel has the Python
files alone, which find an installed gannet.
"""
import os
import pathlib
import shutil
import subprocess
import sys

import setuptools
import setuptools.command.build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before version 70
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[1]
HAS_SOURCES = (SOURCES / "src/libgannet.symbols").exists()
NAMED = os.environ.get("GANNET_BUILD", "" if HAS_SOURCES else "none")
IS_PURE = NAMED == "none"
ROOM = (SOURCES if HAS_SOURCES else HERE) / "build-wheel"  # for a build, and for what is taken from it


def run(*command):
    if not shutil.which(command[0]):
        sys.exit(f"{command[0]} was not found: install the packages that tools/packages.txt lists under build, or set "
                 "GANNET_BUILD=none and use an installed gannet")
    subprocess.run(command, check=True)


def is_usable(folder):
    """Whether a build has a shared library that Python can load."""
    cache = folder / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.exists() else "GANNET_SANITIZE:BOOL=ON"
    return not any(wrong in text for wrong in ("GANNET_SANITIZE:BOOL=ON", "BUILD_SHARED_LIBS:BOOL=OFF", "GANNET_INSTALL:BOOL=OFF"))


def build_folder():
    if NAMED:
        folder = pathlib.Path(os.environ.get("PWD", ""), NAMED).resolve()  # pip calls this in src/python
        if not is_usable(folder):
            which = "" if os.path.isabs(NAMED) else f", which is {folder},"
            sys.exit(f"GANNET_BUILD={NAMED}{which} is not the folder of a build with a shared library and without sanitisers; expected a "
                     "folder that cmake -B has made, or none")
        return folder
    if is_usable(SOURCES / "build"):
        return SOURCES / "build"
    folder = ROOM / "cmake"
    run("cmake", "-S", SOURCES, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DGANNET_TESTS=OFF")
    return folder


class BuildWithLibrary(setuptools.command.build_py.build_py):
    """Copies the Python files, and what CMake has built."""

    def run(self):
        shutil.rmtree(pathlib.Path(self.build_lib) / "gannet", ignore_errors=True)  # of an earlier build
        super().run()
        if IS_PURE or getattr(self, "editable_mode", False):
            return
        folder, stage = build_folder(), ROOM / "stage"
        run("cmake", "--build", folder, "--target", "gannet-installed", "--parallel", str(len(os.sched_getaffinity(0))))
        shutil.rmtree(stage, ignore_errors=True)
        run("cmake", "--install", folder, "--prefix", stage)
        library = next(path for path in stage.rglob("libgannet.so") if path.exists())
        shutil.copyfile(library, pathlib.Path(self.build_lib) / "gannet/libgannet.so")
        self.distribution.data_files = [
            (str(path.parent.relative_to(stage)), [os.path.relpath(path, HERE)])
            for top in ("bin", "libexec") for path in sorted((stage / top).rglob("*")) if path.is_file()]


class WheelOfOnePlatform(bdist_wheel):
    """The library belongs to a platform, but to no version of Python."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = IS_PURE

    def get_tag(self):
        _, _, platform = super().get_tag()
        return "py3", "none", platform


setuptools.setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": WheelOfOnePlatform})
