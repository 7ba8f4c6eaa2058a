# From Spack 1.0 on: spack repo add packaging/spack/spack_repo/concilio && spack install concilio ^openmpi
from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Concilio(CMakePackage):
    """Faster, bounded and explained MPI-IO for unmodified MPI programs."""

    # The clone that this file lies in.
    git = Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("0.1.0", branch="main")

    # For the page of a report: Spack has no package of it.
    resource(name="d3", url="https://registry.npmjs.org/d3/-/d3-5.16.0.tgz",
             sha256="2e46da2089b9483a01f4cea7d27d62d463a31348ddd3c309a9a5dc2cb4568cfa", placement="d3")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("liburing@2.3:", type="build")
    depends_on("mpi")

    requires("platform=linux")
    requires("^[virtuals=mpi] openmpi@4:5", "^[virtuals=mpi] mpich@4:5", policy="one_of",
             msg="Concilio has libraries for Open MPI 4 and 5 and for MPICH 4 and 5")

    generator("ninja")

    def cmake_args(self):
        mpi = self.spec["mpi"]
        flavour = mpi.name if mpi.satisfies("@:4") else mpi.name + "5"
        return [
            self.define("CONCILIO_MPIS", f"{flavour}:{mpi.prefix.bin.mpicc}"),
            self.define("CONCILIO_TESTS", False),
            self.define("CONCILIO_TOGETHER", True),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define("CONCILIO_D3", join_path(self.stage.source_path, "d3", "dist", "d3.min.js")),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.lib.concilio.python)
