# Embeds source files of other languages (kernels, preludes) in a library, so that editors see them as what they are
# and nothing has to be installed beside the program.
#
#   embed(TARGET FILE...)
#
# One call for each TARGET, in its own CMakeLists.txt; FILE is relative to that.  A file core/codegen/cuda/prelude.cuh
# becomes the header "core/codegen/cuda/prelude.cuh.h", which defines `static const char prelude_cuh[]`.  The build
# makes it again when FILE has changed, and only TARGET finds it.  A comment that begins the file, up to the first empty
# line, is for its readers and is left out of the array.
#
# This file is also the script that the build runs: cmake -D SOURCE=FILE -D HEADER=FILE -P embed.cmake

# All headers, for tools that read sources without building them.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  add_custom_target(embedded)
endif()

function(embed target)
  foreach(file ${ARGN})
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${source})
    set(header ${PROJECT_BINARY_DIR}/embedded/${path}.h)
    add_custom_command(OUTPUT ${header}
      COMMAND ${CMAKE_COMMAND} -D SOURCE=${source} -D HEADER=${header} -P ${PROJECT_SOURCE_DIR}/embed.cmake
      DEPENDS ${source} ${PROJECT_SOURCE_DIR}/embed.cmake
      COMMENT "Embedding ${path}" VERBATIM)
    list(APPEND headers ${header})
  endforeach()
  target_sources(${target} PRIVATE ${headers})
  add_custom_target(embedded_${target} DEPENDS ${headers})
  add_dependencies(embedded embedded_${target})
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${SOURCE}" text)
  string(REGEX REPLACE "^/[*]([^*]|[*]+[^*/])*[*]+/\n\n" "" text "${text}")
  string(HEX "${text}" bytes)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "('.x0a',)" "\\1\n" bytes "${bytes}")
  get_filename_component(name "${SOURCE}" NAME)
  string(MAKE_C_IDENTIFIER ${name} name)
  file(WRITE "${HEADER}" "static const char ${name}[] = {\n${bytes}0};\n")
endif()
