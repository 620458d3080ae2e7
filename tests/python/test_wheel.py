"""`pip install ./src/python` in a virtual environment without a network: with the library of a build, and without."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = pathlib.Path(os.environ["GANNET_SOURCE"]), os.environ["GANNET_BUILD"]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("GANNET_", "PYTHONPATH"))}
USE = "import gannet, gannet._library as one; print(one._library.path); print(gannet.minimize(lambda x: x, {'x': (0, 1)}, evaluations=5).value)"


def missing():
    """The Debian package that the test needs and the machine has not."""
    for module, package in (("venv", "python3-venv"), ("ensurepip", "python3-venv"), ("setuptools", "python3-setuptools"),
                            ("wheel", "python3-wheel")):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False).returncode != 0:
            return package
    return None


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="gannet wheel ")  # a blank in the path, on purpose
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.sources = cls.folder / "sources"
        shutil.copytree(SOURCE / "src/python", cls.sources, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
        cls.prefix = cls.folder / "environment"
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", cls.prefix], check=True)

    def pip(self, *arguments, **more):
        return subprocess.run([self.prefix / "bin/pip", *arguments], cwd=self.folder, env={**CLEAN, "PWD": str(self.folder), **more},
                              capture_output=True, text=True, check=False)

    def install(self, **more):
        return self.pip("install", "--force-reinstall", "--no-build-isolation", "--no-index", "--no-deps", self.sources, **more)

    def python(self, text, **more):
        return subprocess.run([self.prefix / "bin/python", "-c", text], cwd=self.folder, env={**CLEAN, **more}, capture_output=True,
                              text=True, check=False)

    def test_the_wheel_has_library_and_program(self):
        made = self.install(GANNET_BUILD=BUILD)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        used = self.python(USE)
        self.assertEqual(used.returncode, 0, used.stderr)
        library, value = used.stdout.splitlines()
        self.assertEqual(pathlib.Path(library).parent.name, "gannet")
        self.assertTrue(library.startswith(str(self.prefix.resolve())), library)
        self.assertLess(float(value), 0.5)
        said = self.python("from importlib.metadata import version; import gannet, pathlib; print(version('gannet') == gannet.__version__)\n"
                           "print((pathlib.Path(gannet.__file__).parent / 'py.typed').exists())")
        self.assertEqual(said.stdout, "True\nTrue\n", said.stderr)
        relative = self.install(GANNET_BUILD=os.path.relpath(BUILD, self.folder.resolve()))
        self.assertEqual(relative.returncode, 0, relative.stdout + relative.stderr)
        campaign = self.folder / "heater.yaml"
        shutil.copy(SOURCE / "inputs/heater.yaml", campaign)
        ran = subprocess.run([self.prefix / "bin/gannet", "run", campaign, "--max-evals", "6", "--quiet"], cwd=self.folder, env=CLEAN,
                             capture_output=True, text=True, check=False)
        history = next(self.folder.glob("*.campaign/history.csv"), None)
        self.assertEqual(len(history.read_text().splitlines()) if history else None, 7, ran.stderr)
        removed = self.pip("uninstall", "-y", "gannet")
        self.assertEqual(removed.returncode, 0, removed.stderr)
        self.assertEqual([str(path) for path in self.prefix.rglob("*gannet*") if path.is_file()], [])

    def test_without_a_library_an_installed_one_is_found_or_its_absence_told(self):
        made = self.install(GANNET_BUILD="none")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        found = self.python(USE, GANNET_LIBRARY=f"{BUILD}/libgannet.so")
        self.assertEqual((found.returncode, found.stdout.splitlines()[0]), (0, f"{BUILD}/libgannet.so"), found.stderr)
        (self.prefix / "lib/libgannet.so").symlink_to(f"{BUILD}/libgannet.so")  # installed beside it
        beside = self.python(USE)
        self.assertEqual((beside.returncode, beside.stdout.splitlines()[0]), (0, str(self.prefix.resolve() / "lib/libgannet.so")))
        (self.prefix / "lib/libgannet.so").unlink()
        if "libgannet" not in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout:
            self.assertRegex(self.python(USE).stderr, r"ImportError: the library of gannet was not found: libgannet\.so, neither in the "
                             r"folders above /.* nor by the linker .*; install gannet, or set GANNET_LIBRARY to the path")
        self.assertRegex(self.python(USE, GANNET_LIBRARY="/nowhere/a.so").stderr, "ImportError: the library of gannet was not found: "
                         "/nowhere/a.so, which GANNET_LIBRARY names ")
        broken = self.folder / "broken.so"
        broken.write_text("no library")
        self.assertRegex(self.python(USE, GANNET_LIBRARY=str(broken)).stderr, "ImportError: /.*broken.so cannot be loaded: .*; install the")

    def test_what_cannot_be_built_is_told(self):
        empty = self.folder / "empty"
        empty.mkdir()
        made = self.install(GANNET_BUILD=str(empty))
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("is not the folder of a build with a shared library and without sanitisers; expected", made.stdout + made.stderr)
        made = self.install(GANNET_BUILD="empty")
        self.assertNotEqual(made.returncode, 0)
        self.assertIn(f"GANNET_BUILD=empty, which is {empty.resolve()}, is not the folder of a build", made.stdout + made.stderr)
        tools = self.folder / "bin"
        tools.mkdir()
        made = self.install(GANNET_BUILD=BUILD, PATH=str(tools))
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("cmake was not found: install the packages that tools/packages.txt lists under build", made.stdout + made.stderr)


if __name__ == "__main__":
    if missing():
        print(f"skipped: {missing()} is not installed")
        sys.exit(77)
    unittest.main()
