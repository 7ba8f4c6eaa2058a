# Compiler flags: warnings are errors in Concilio's own code, and sanitizers are used where asked for.
add_library(concilio_flags INTERFACE)
# These warnings are off, as gcc 12 gives them wrongly for std::string (gcc bugs 105329 and 105651).
target_compile_options(concilio_flags INTERFACE -Wall -Wextra -Werror -Wno-restrict -Wno-array-bounds
                                                -Wno-stringop-overflow -Wno-stringop-overread -fno-strict-aliasing)
target_include_directories(concilio_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
                                                    ${PROJECT_BINARY_DIR}/generated)
target_compile_definitions(concilio_flags INTERFACE CONCILIO_VERSION="${PROJECT_VERSION}")
# {fmt} must not be visible in the preloaded library. If the installed version allows, it is compiled once, which halves
# the time of a build. Otherwise it is used header-only.
try_compile(
  CONCILIO_FMT_ONCE ${PROJECT_BINARY_DIR}/fmt_probe SOURCES ${PROJECT_SOURCE_DIR}/cmake/fmt_probe.cpp
                                                            ${PROJECT_SOURCE_DIR}/src/base/fmt_once.cpp CXX_STANDARD 20)
if(CONCILIO_FMT_ONCE)
  add_library(concilio_fmt STATIC ${PROJECT_SOURCE_DIR}/src/base/fmt_once.cpp)
  set_target_properties(concilio_fmt PROPERTIES DISABLE_PRECOMPILE_HEADERS ON) # these use {fmt} themselves
  target_link_libraries(concilio_flags INTERFACE concilio_fmt)
else()
  target_compile_definitions(concilio_flags INTERFACE FMT_HEADER_ONLY=1)
endif()
if(CONCILIO_SANITIZE)
  target_compile_options(concilio_flags INTERFACE -fsanitize=${CONCILIO_SANITIZE} -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer)
  target_link_options(concilio_flags INTERFACE -fsanitize=${CONCILIO_SANITIZE})
  if(CONCILIO_SANITIZE_NOT)
    target_compile_options(concilio_flags INTERFACE -fno-sanitize=${CONCILIO_SANITIZE_NOT})
  endif()
endif()

# concilio_library(NAME LIBS... [SOURCES...]) makes one static library for a folder, from all sources in and below it,
# or from the sources given.
function(concilio_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    list(FILTER arg_SOURCES EXCLUDE REGEX "/(fmt_once|ring_none|ring_uring)\\.cpp$") # other targets add these
  endif()
  add_library(concilio_${name} STATIC ${arg_SOURCES})
  target_link_libraries(concilio_${name} PUBLIC concilio_flags ${arg_LIBS})
endfunction()
