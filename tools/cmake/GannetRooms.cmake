# Warnings and options shared by every target of the project.
add_library(gannet-options INTERFACE)
target_compile_options(gannet-options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wstrict-prototypes -Wmissing-prototypes -Wvla)
if(GANNET_WERROR)
  target_compile_options(gannet-options INTERFACE -Werror)
endif()
if(GANNET_SANITIZE)
  target_compile_options(gannet-options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(gannet-options INTERFACE -fsanitize=address,undefined)
  # The instrumented code makes GCC see sizes and paths that cannot be.
  target_compile_options(gannet-options INTERFACE -Wno-format-truncation -Wno-maybe-uninitialized)
endif()
target_compile_definitions(gannet-options INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)

# gannet_room(NAME SOURCES a.c b.c [OUTSIDE target...])
#
# One static library per folder of src/. A room links every room declared before it and nothing
# else, so a call against the order of the rooms does not link.
set_property(GLOBAL PROPERTY GANNET_ROOMS "")
function(gannet_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;OUTSIDE" ${ARGN})
  get_property(above GLOBAL PROPERTY GANNET_ROOMS)
  add_library(gannet-${name} STATIC ${ROOM_SOURCES})
  target_include_directories(gannet-${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  list(REVERSE above)
  target_link_libraries(gannet-${name} PUBLIC ${above} MPI::MPI_C m PRIVATE gannet-options ${ROOM_OUTSIDE})
  set_property(TARGET gannet-${name} PROPERTY GANNET_OUTSIDE ${ROOM_OUTSIDE})
  set_property(GLOBAL APPEND PROPERTY GANNET_ROOMS gannet-${name})
endfunction()

# gannet_set_options(FILES a.c b.c OPTIONS -O3...)
#
# Compile options for single files of a room. set_source_files_properties ignores files that do not
# exist: after a renaming their options would be lost, and with them bits of results.
function(gannet_set_options)
  cmake_parse_arguments(SET "" "" "FILES;OPTIONS" ${ARGN})
  foreach(file IN LISTS SET_FILES)
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
      message(FATAL_ERROR "options for ${file}, which is not in ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
  endforeach()
  set_source_files_properties(${SET_FILES} PROPERTIES COMPILE_OPTIONS "${SET_OPTIONS}")
endfunction()
