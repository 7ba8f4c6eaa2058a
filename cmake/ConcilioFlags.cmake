# Warnings are errors for our own code; sanitizers where asked for.
add_library(concilio_flags INTERFACE)
# -Wno-restrict: gcc 12 warns wrongly about std::string (gcc bug 105329).
target_compile_options(concilio_flags INTERFACE -Wall -Wextra -Werror -Wno-restrict -fno-strict-aliasing)
target_include_directories(concilio_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_BINARY_DIR}/generated)
# Header-only, so that nothing of it is visible in the preloaded library.
target_compile_definitions(concilio_flags INTERFACE FMT_HEADER_ONLY=1 CONCILIO_VERSION="${PROJECT_VERSION}")
if(CONCILIO_SANITIZE)
  target_compile_options(concilio_flags INTERFACE -fsanitize=${CONCILIO_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(concilio_flags INTERFACE -fsanitize=${CONCILIO_SANITIZE})
endif()

# concilio_library(NAME SOURCES... LIBS...): one static library a folder.
function(concilio_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_library(concilio_${name} STATIC ${arg_SOURCES})
  target_link_libraries(concilio_${name} PUBLIC concilio_flags ${arg_LIBS})
endfunction()
