# What `cmake --install` puts where: headers, library, programs, CMake package, pkg-config file. The
# component "library" is what other programs need to be compiled.
include(CMakePackageConfigHelpers)

install(TARGETS gannet EXPORT gannet-targets COMPONENT library
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT library
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/gannet ${PROJECT_BINARY_DIR}/include/gannet
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library FILES_MATCHING PATTERN "*.h")
set(installed gannet gannet-launcher) # targets
foreach(program IN ITEMS gannet-program gannet-heater)
  if(TARGET ${program})
    list(APPEND installed ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
install(TARGETS gannet-launcher RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/gannet)
foreach(reach IN ITEMS state everything web)
  if(TARGET gannet-${reach})
    list(APPEND installed gannet-${reach})
    install(TARGETS gannet-${reach} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/gannet/${reach})
  endif()
endforeach()

# Compiled modules of Fortran belong to one compiler, so the source is what is installed.
set(GANNET_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where Python looks for modules, below the prefix")
install(FILES ${PROJECT_SOURCE_DIR}/src/fortran/gannet.f90
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gannet COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/python/gannet DESTINATION ${GANNET_PYTHON_DIR}
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# Manual pages and completion are what the program says about itself.
if(TARGET gannet-program)
  set(pages ${PROJECT_BINARY_DIR}/pages)
  add_custom_command(OUTPUT ${pages}/made
    COMMAND ${PROJECT_SOURCE_DIR}/tools/make-pages $<TARGET_FILE:gannet-program> ${pages}
    DEPENDS gannet-program ${PROJECT_SOURCE_DIR}/tools/make-pages
    COMMENT "Manual pages and shell completion")
  add_custom_target(gannet-pages ALL DEPENDS ${pages}/made)
  list(APPEND installed gannet-pages)
  install(DIRECTORY ${pages}/man1 ${pages}/man5 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${pages}/gannet.bash RENAME gannet
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${pages}/gannet.zsh RENAME _gannet
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${pages}/gannet.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gannet)
install(EXPORT gannet-targets NAMESPACE gannet:: DESTINATION ${package} COMPONENT library)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gannet-config.cmake.in
                              ${PROJECT_BINARY_DIR}/gannet-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gannet-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gannet-config.cmake
              ${PROJECT_BINARY_DIR}/gannet-config-version.cmake DESTINATION ${package}
        COMPONENT library)

# What an installation needs, without the tests.
add_custom_target(gannet-installed DEPENDS ${installed})

# An environment module that finds its tree from its own place, too.
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_DATADIR}")
  set(modulefiles ${CMAKE_INSTALL_DATADIR}/modulefiles/gannet)
  file(RELATIVE_PATH modulefile_up /${modulefiles} /)
  configure_file(${PROJECT_SOURCE_DIR}/tools/packaging/modulefile/gannet.tcl.in
                 ${PROJECT_BINARY_DIR}/modulefile @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/modulefile DESTINATION ${modulefiles} RENAME ${PROJECT_VERSION})
endif()

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
set(pc_requires)
set(pc_more_libs)
# A program finds the shared library where it was linked; the system's folders need no such path.
set(pc_runpath)
if(GANNET_SHARED AND NOT CMAKE_INSTALL_PREFIX MATCHES "^/(usr)?/?$")
  set(pc_runpath "-Wl,-rpath,\${libdir} ")
endif()
if(NOT GANNET_SHARED)
  list(TRANSFORM GANNET_LIBRARY_MODULES REPLACE "^.*=" "" OUTPUT_VARIABLE pc_requires)
  list(JOIN pc_requires " " pc_requires)
  set(pc_more_libs " ${LBFGSB_LIBRARY} -lm")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/gannet.pc.in ${PROJECT_BINARY_DIR}/gannet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gannet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT library)
