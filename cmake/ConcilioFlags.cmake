# Warnings are errors for our own code; sanitizers where asked for.
add_library(concilio_flags INTERFACE)
# gcc 12 warns wrongly about std::string (gcc bugs 105329 and 105651).
target_compile_options(concilio_flags INTERFACE -Wall -Wextra -Werror -Wno-restrict -Wno-array-bounds
  -Wno-stringop-overflow -Wno-stringop-overread -fno-strict-aliasing)
target_include_directories(concilio_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_BINARY_DIR}/generated)
target_compile_definitions(concilio_flags INTERFACE CONCILIO_VERSION="${PROJECT_VERSION}")
# {fmt} must not be visible in the preloaded library. Compiled once where its version allows, which halves the time of
# a build; else header-only.
try_compile(CONCILIO_FMT_ONCE ${PROJECT_BINARY_DIR}/fmt_probe
  SOURCES ${PROJECT_SOURCE_DIR}/cmake/fmt_probe.cpp ${PROJECT_SOURCE_DIR}/src/base/fmt_once.cpp CXX_STANDARD 20)
if(CONCILIO_FMT_ONCE)
  add_library(concilio_fmt STATIC ${PROJECT_SOURCE_DIR}/src/base/fmt_once.cpp)
  set_target_properties(concilio_fmt PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)  # which themselves use it
  target_link_libraries(concilio_flags INTERFACE concilio_fmt)
else()
  target_compile_definitions(concilio_flags INTERFACE FMT_HEADER_ONLY=1)
endif()
if(CONCILIO_SANITIZE)
  target_compile_options(concilio_flags INTERFACE -fsanitize=${CONCILIO_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(concilio_flags INTERFACE -fsanitize=${CONCILIO_SANITIZE})
endif()

# concilio_library(NAME LIBS... [SOURCES...]): one static library a folder, of all sources in and below it, or of these.
function(concilio_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    list(FILTER arg_SOURCES EXCLUDE REGEX "/(fmt_once|ring_none|ring_uring)\\.cpp$")  # each added where it belongs
  endif()
  add_library(concilio_${name} STATIC ${arg_SOURCES})
  target_link_libraries(concilio_${name} PUBLIC concilio_flags ${arg_LIBS})
endfunction()
