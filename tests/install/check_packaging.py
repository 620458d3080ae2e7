#!/usr/bin/env python3
"""The version is told once and everything that repeats it agrees; every installed file belongs to one Debian
package; the recipes name what there is.

  check_packaging.py BUILD_FOLDER SOURCE_FOLDER
"""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD, ROOT = map(pathlib.Path, sys.argv[1:3])
PACKAGING = ROOT / "tools/packaging"
REMOVED = ["usr/share/doc/gannet/LICENSE", "usr/share/modulefiles/gannet/*"]  # by debian/rules


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def check_version():
    version = re.search(r"^project\(gannet VERSION (\d+\.\d+\.\d+)", read("CMakeLists.txt"), re.MULTILINE).group(1)
    for path, pattern in (("CITATION.cff", r"^version: (\S+)$"), ("CHANGELOG.md", r"^## (\d+\.\d+\.\d+)"),
                          ("docs/installing.md", r"^The version is (\d+\.\d+\.\d+)\b"), ("src/python/gannet/_library.py", r'^__version__ = "(\S+)"'),
                          ("tools/packaging/spack/spack_repo/gannet/packages/gannet/package.py", r'^    version\("(\S+)"\)$')):
        found = re.search(pattern, read(path), re.MULTILINE)
        if not found or found.group(1) != version:
            yield f"{path}: version {found and found.group(1)}, CMakeLists.txt has {version}"
    for symbol in re.findall(r"^gannet_\w+ .*$", read("src/libgannet.symbols"), re.MULTILINE):
        if [int(n) for n in symbol.split()[1].split(".")] > [int(n) for n in version.split(".")]:
            yield f"src/libgannet.symbols: {symbol} is younger than the library"


def installed(folder):
    subprocess.run(["cmake", "--install", BUILD, "--prefix", f"{folder}/usr"], check=True, stdout=subprocess.DEVNULL)
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir())


def patterns(tree):
    """(package, pattern) of everything that debian/ takes from the installed tree."""
    for path in sorted((tree / "debian").glob("*.*")):
        if path.suffix in (".install", ".manpages"):
            for line in path.read_text(encoding="utf-8").splitlines():
                if line.startswith("usr/"):
                    yield path.stem, line.split()[0].replace("usr/lib/*/", "usr/lib/")


def claims(pattern, file):
    return fnmatch.fnmatch(file, pattern) or file.startswith(pattern + "/")


def check_files(tree, files):
    wanted = [*patterns(tree), *(("nobody", pattern) for pattern in REMOVED)]
    for file in files:
        owners = sorted({owner for owner, pattern in wanted if claims(pattern, file)})
        if len(owners) != 1:
            yield f"{file}: belongs to {owners or 'no package'}"
    for owner, pattern in wanted:
        if not any(claims(pattern, file) for file in files):
            yield f"{owner}: nothing is {pattern}"
    for path in tree.glob("debian/*"):
        if path.is_file() and path.name != "rules" and "@" in re.sub(r"\S+@\S+\.\S+|<\S+@\S+>|@Base", "", path.read_text(encoding="utf-8")):
            yield f"debian/{path.name}: a word in @ is left"


def check_library(tree, folder):
    """The package of the library is called like its name for the linker."""
    library = next((folder / "usr").rglob("libgannet.so"))
    said = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    name = re.search(r"soname: \[libgannet\.so\.([\d.]+)\]", said).group(1)
    control = (tree / "debian/control").read_text(encoding="utf-8")
    packages = re.findall(r"^Package: (\S+)$", control, re.MULTILINE)
    if sorted(packages) != sorted(["gannet", f"libgannet{name}", "libgannet-dev", "python3-gannet"]):
        yield f"debian/control: packages {packages}, the library is libgannet.so.{name}"
    build = [line.split()[1] for line in read("tools/packages.txt").splitlines() if line.startswith("build ")]
    for package in set(build) - {"build-essential"}:
        if not re.search(rf"^Build-Depends: .*\b{re.escape(package)}\b", control, re.MULTILINE):
            yield f"debian/control: does not build-depend on {package}"


def check_recipes():
    for path in PACKAGING.rglob("package.py"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec")
    options = "".join(p.read_text(encoding="utf-8") for p in ROOT.rglob("CMakeLists.txt")) + read("tools/cmake/GannetLibrary.cmake")
    recipe = read("tools/packaging/spack/spack_repo/gannet/packages/gannet/package.py")
    for option in re.findall(r'define(?:_from_variant)?\("(\w+)"', recipe):
        if option not in options:
            yield f"package.py: no option {option}"
    for source in re.findall(r"^    (\S+) /src/", read("tools/packaging/apptainer/gannet.def"), re.MULTILINE):
        if not (ROOT / source).exists():
            yield f"gannet.def: there is no {source}"
    for path in "tools/packaging/docker/Dockerfile", "tools/packaging/apptainer/gannet.def":
        if "/src/tools/packaging/in-container" not in read(path):
            yield f"{path}: does not run in-container"
    for path in (PACKAGING / "make-deb", PACKAGING / "in-container", *(PACKAGING / "debian/tests").glob("[lp]*")):
        subprocess.run(["bash", "-n", path], check=True)


def check_archive_arguments(folder):
    """What is wrong with the arguments of make-archive is said before anything is made."""
    for arguments, code, expected in ((["--help"], 0, "tools/make-archive [--without-mpi]"),
                                      (["--build"], 2, "--build: expected the folder"),
                                      (["--build", folder / "none"], 2, "none' is no folder"),
                                      (["--other"], 2, "'--other'; expected --without-mpi"),
                                      (["a", "b"], 2, "'b'; expected one folder")):
        said = subprocess.run([ROOT / "tools/make-archive", *arguments], cwd=folder, check=False, capture_output=True, text=True)
        if said.returncode != code or expected not in said.stdout + said.stderr:
            yield f"make-archive {arguments}: {said}"


def check_archive_start(folder):
    """What starts the programs of an archive needs no PATH in the environment, and passes one on."""
    text = read("tools/packaging/archive/start.in")
    for name, value in {"NAME": "gannet", "PROGRAM": "programs/gannet", "LOADER": "/bin/sh", "GLIBC_MAJOR": "2", "GLIBC_MINOR": "0", "MPI": "",
                        "SYSTEM": f"{os.uname().sysname} {os.uname().machine}"}.items():
        text = text.replace(f"@{name}@", value)
    for path, content in ("bin/gannet", text), ("programs/gannet", "#!/bin/sh\n/usr/bin/env\n"):
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(content, encoding="utf-8")
        (folder / path).chmod(0o755)
    for environment in {}, {"PATH": ""}, {"PATH": "/bin:/usr/bin"}:
        said = subprocess.run([folder / "bin/gannet"], env=environment, check=False, capture_output=True, text=True)
        passed_on = [line[5:] for line in said.stdout.splitlines() if line.startswith("PATH=")]
        given = environment.get("PATH")
        if said.returncode != 0 or len(passed_on) != 1 or (passed_on[0] != given if given else "/bin" not in passed_on[0].split(":")):
            yield f"start.in with {environment}: {said}"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = installed(folder / "tree")
        said = subprocess.run([PACKAGING / "make-deb", "--tree", folder / "deb"], check=True, capture_output=True, text=True)
        tree = pathlib.Path(said.stdout.strip().splitlines()[-1])
        found = [*check_version(), *check_files(tree, files), *check_library(tree, folder / "tree"), *check_recipes(),
                 *check_archive_arguments(folder), *check_archive_start(folder / "archive")]
    print("\n".join(found) or f"{len(files)} installed files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
