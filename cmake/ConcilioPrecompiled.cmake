# The headers of the standard library and {fmt} are compiled once, and not by each of a thousand compilations.
# Precompiled headers only make a build faster: every source includes what it uses, and clang-tidy in ./check reads the
# sources without them.

# Only gcc's precompiled headers are known to serve targets that differ in definitions.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# ccache handles precompiled headers only if it may ignore definitions that no header has looked at.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                  ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

set(concilio_common_headers
    <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <fstream>
    <functional> <map> <memory> <mutex> <numeric> <optional> <span> <sstream> <string> <string_view> <unordered_map>
    <utility> <variant> <vector> <fmt/format.h>)

# concilio_precompiled_headers(NAME HEADERS...) makes a target whose precompiled headers other targets share.
# They are only compiled if such a target is.
function(concilio_precompiled_headers name)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${name}.cpp CONTENT
       "// Only its precompiled headers are used.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  target_link_libraries(${name} PRIVATE concilio_flags)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
concilio_precompiled_headers(concilio_common_precompiled ${concilio_common_headers})

# What is not optimised is compiled in less than two thirds of the time. glibc warns of it if the environment's flags ask
# for its checks of buffers. gcc takes only precompiled headers that were not optimised either.
set(concilio_unoptimised -O0 -Wno-cpp)
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT CMAKE_CXX_FLAGS MATCHES "-O")
  set(concilio_unoptimised_precompiled concilio_common_precompiled)
else()
  set(concilio_unoptimised_precompiled concilio_unoptimised_precompiled)
  concilio_precompiled_headers(concilio_unoptimised_precompiled ${concilio_common_headers})
  target_compile_options(concilio_unoptimised_precompiled PRIVATE ${concilio_unoptimised})
endif()

# concilio_use_precompiled(FOLDER NAME) makes targets in and below a folder share the precompiled headers of this target.
# These are all targets that have only C++ sources and no precompiled headers yet.
function(concilio_use_precompiled folder name)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    concilio_use_precompiled(${below} ${name})
  endforeach()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(headers ${target} PRECOMPILE_HEADERS)
    get_target_property(shared ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    get_target_property(none ${target} DISABLE_PRECOMPILE_HEADERS)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources EXCLUDE REGEX "[.](h|cpp)$")
    if(type MATCHES "EXECUTABLE|LIBRARY" AND NOT type STREQUAL "INTERFACE_LIBRARY" AND NOT headers AND NOT shared
       AND NOT none AND NOT sources)
      target_precompile_headers(${target} REUSE_FROM ${name})
    endif()
  endforeach()
endfunction()
