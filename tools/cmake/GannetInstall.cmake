# What `cmake --install` puts where: headers, library, programs, CMake package, pkg-config file.
include(CMakePackageConfigHelpers)

install(TARGETS gannet EXPORT gannet-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/gannet ${PROJECT_BINARY_DIR}/include/gannet
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
foreach(program IN ITEMS gannet-program gannet-heater)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gannet)
install(EXPORT gannet-targets NAMESPACE gannet:: DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gannet-config.cmake.in
                              ${PROJECT_BINARY_DIR}/gannet-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gannet-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gannet-config.cmake
              ${PROJECT_BINARY_DIR}/gannet-config-version.cmake DESTINATION ${package})

# The pkg-config file finds its prefix from its own place, so an installed tree can be moved.
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE pc_mpi_cflags)
list(JOIN pc_mpi_cflags " " pc_mpi_cflags)
list(JOIN MPI_C_LIBRARIES " " pc_mpi_libs)
configure_file(${CMAKE_CURRENT_LIST_DIR}/gannet.pc.in ${PROJECT_BINARY_DIR}/gannet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gannet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
