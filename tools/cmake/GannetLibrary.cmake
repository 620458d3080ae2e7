# The library: every room up to the optimiser in one shared object, of which only what
# include/gannet marks GANNET_API can be seen from outside; or, with BUILD_SHARED_LIBS=OFF, in one
# archive.
set(GANNET_SHARED ON)
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  set(GANNET_SHARED OFF)
endif()
get_property(rooms GLOBAL PROPERTY GANNET_ROOMS)
list(FIND rooms gannet-optimizer last)
math(EXPR count "${last} + 1")
list(SUBLIST rooms 0 ${count} rooms)

if(GANNET_SHARED)
  add_library(gannet SHARED)
else()
  add_library(gannet STATIC)
endif()
add_library(gannet::gannet ALIAS gannet)
# The part of the version that changes when programs must be compiled anew (CONTRIBUTING.md).
set(soversion ${PROJECT_VERSION_MAJOR})
if(soversion EQUAL 0)
  set(soversion 0.${PROJECT_VERSION_MINOR})
endif()
set_target_properties(gannet PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${soversion})
target_include_directories(gannet PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# The bindings of MPI for C++ need a library of their own, which programs in C++ would miss.
target_compile_definitions(gannet INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX>")
target_link_libraries(gannet PUBLIC MPI::MPI_C PRIVATE $<BUILD_INTERFACE:gannet-options> m)
foreach(room IN LISTS rooms)
  target_sources(gannet PRIVATE $<TARGET_OBJECTS:${room}>)
  get_property(outside TARGET ${room} PROPERTY GANNET_OUTSIDE)
  target_link_libraries(gannet PRIVATE ${outside})
endforeach()
