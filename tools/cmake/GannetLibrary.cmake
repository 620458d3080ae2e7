# The library: every room up to the optimiser in one shared object, of which only what
# include/gannet marks GANNET_API can be seen from outside.
get_property(rooms GLOBAL PROPERTY GANNET_ROOMS)
list(FIND rooms gannet-optimizer last)
math(EXPR count "${last} + 1")
list(SUBLIST rooms 0 ${count} rooms)

add_library(gannet SHARED)
add_library(gannet::gannet ALIAS gannet)
set_target_properties(gannet PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_include_directories(gannet PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(gannet PUBLIC MPI::MPI_C PRIVATE gannet-options m)
foreach(room IN LISTS rooms)
  target_sources(gannet PRIVATE $<TARGET_OBJECTS:${room}>)
  get_property(outside TARGET ${room} PROPERTY GANNET_OUTSIDE)
  target_link_libraries(gannet PRIVATE ${outside})
endforeach()
