# cmake --build build --target site: the documentation as a static site in build/site.
add_custom_target(site
  COMMAND ${CMAKE_COMMAND} -E env GANNET=$<TARGET_FILE:gannet-program> ${PROJECT_SOURCE_DIR}/tools/make-site
          ${PROJECT_BINARY_DIR}/site
  DEPENDS gannet-program USES_TERMINAL VERBATIM)
