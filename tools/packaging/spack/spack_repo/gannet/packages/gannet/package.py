# Builds gannet from the source tree that this file lies in:
#   spack repo add tools/packaging/spack/spack_repo/gannet
#   spack dev-build gannet@VERSION
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Gannet(CMakePackage):
    """Tunes expensive simulations by Bayesian optimisation with Gaussian processes and neural networks
    on MPI ranks."""

    license("BSD-3-Clause", checked_by="the gannet authors")

    # There is no archive to load: sources come from `spack dev-build` or `spack develop`.
    manual_download = True
    version("0.2.0")

    variant("shared", default=True, description="A shared library, not an archive")
    variant("native", default=False, description="Inner loops for the processor that compiles")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("petsc@3.18: +mpi ~complex +double")
    depends_on("hdf5@1.10.8: +mpi")
    depends_on("openblas threads=none")
    depends_on("netlib-scalapack")
    depends_on("libfyaml")
    depends_on("jansson")
    depends_on("hwloc@2:")
    depends_on("libmicrohttpd@0.9.73:")
    depends_on("libcsv")
    depends_on("muparser")
    depends_on("xxhash@0.8:")
    depends_on("random123")
    depends_on("py-numpy", type="run")

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.lib.python3.join("dist-packages"))

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("GANNET_NATIVE", "native"),
            self.define("GANNET_TESTS", False),
        ]
