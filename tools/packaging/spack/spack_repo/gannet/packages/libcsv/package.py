from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class Libcsv(AutotoolsPackage):
    """A small C library that reads and writes CSV."""

    homepage = "https://github.com/rgamble/libcsv"
    git = "https://github.com/rgamble/libcsv.git"

    license("LGPL-2.1-or-later")

    version("master", branch="master")

    depends_on("c", type="build")
