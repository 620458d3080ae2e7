# Every outside library, found once; the rooms that may know one link it by these names.
find_package(MPI REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)
# What the library needs, under the names that it has on Debian and elsewhere. A static library hands
# GANNET_LIBRARY_MODULES, PREFIX=MODULE, on to those who link it.
set(GANNET_LIBRARY_MODULES)
foreach(names IN ITEMS "PETSC PETSc petsc" "HDF5 hdf5-openmpi hdf5" "OPENBLAS openblas" "LAPACKE lapacke openblas"
                       "SCALAPACK scalapack-openmpi scalapack" "MUPARSER muparser" "XXHASH libxxhash")
  separate_arguments(names)
  list(POP_FRONT names prefix)
  pkg_search_module(${prefix} REQUIRED IMPORTED_TARGET ${names})
  list(APPEND GANNET_LIBRARY_MODULES ${prefix}=${${prefix}_MODULE_NAME})
endforeach()
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.0)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.10)
pkg_check_modules(MICROHTTPD IMPORTED_TARGET libmicrohttpd>=0.9.73) # without it there is no `gannet watch --web`
find_library(LBFGSB_LIBRARY lbfgsb REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/threefry.h REQUIRED)
find_path(CSV_INCLUDE_DIR csv.h REQUIRED)
find_library(CSV_LIBRARY csv REQUIRED)
if(GANNET_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
