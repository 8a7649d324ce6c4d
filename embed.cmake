# Embeds kernels and CUDA headers in a library as strings. The files keep their own suffix for editors, and the program
# needs no installed copy of them.
#
#   embed(TARGET FILE...)
#
# Call it once for each TARGET; FILE is relative to the CMakeLists.txt of the call. From core/codegen/cuda/prelude.cuh
# the build generates the header "core/codegen/cuda/prelude.cuh.h" with `static const char prelude_cuh[]`, and generates
# it again when FILE changes. Only TARGET has the header in its include path. The array lacks the comment at the
# beginning of FILE, if an empty line follows it.
#
# The build runs this same file as a script: cmake -D SOURCE=FILE -D HEADER=FILE -P embed.cmake

# The target `embedded` generates all headers, for tools that parse sources without a build (tests/lint/tidy.sh).
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
