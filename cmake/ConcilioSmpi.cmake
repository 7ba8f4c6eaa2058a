# The flavour for SimGrid's SMPI, which runs the ranks of a program as actors of a simulator (docs/simulation.md). It is not
# preloaded: SMPI gives each rank a copy of the program, and the library is one object file that is linked into the
# program, so that each rank has a copy of the library too.
option(CONCILIO_SMPI "Build the flavour for SimGrid's SMPI, if that is found" OFF)
find_program(CONCILIO_SMPI_WRAPPER NAMES smpicc)
find_program(CONCILIO_SMPI_LAUNCHER NAMES smpirun)
if(NOT CONCILIO_SMPI OR NOT CONCILIO_SMPI_WRAPPER OR NOT CONCILIO_SMPI_LAUNCHER OR CONCILIO_SANITIZE)
  return()
endif()
message(STATUS "MPI smpi: ${CONCILIO_SMPI_WRAPPER}")
concilio_find_mpi(smpi ${CONCILIO_SMPI_WRAPPER})
concilio_add_folders(smpi)

# src/mpi, linked whole, defines what base/waiting.cpp does, which is then left where it is.
set(whole concilio_bind_smpi concilio_mpiio_smpi concilio_exec_smpi concilio_mpi_smpi)
set(in_part concilio_plan concilio_pattern concilio_store concilio_counter concilio_base)
if(TARGET concilio_fmt)
  list(APPEND in_part concilio_fmt)
endif()
list(TRANSFORM whole REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archives)
list(TRANSFORM in_part REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE more_archives)
if(CONCILIO_LIBURING AND CONCILIO_LIBURING_HEADERS)
  list(APPEND more_archives ${CONCILIO_LIBURING})
endif()
set(CONCILIO_SMPI_OBJECT ${PROJECT_BINARY_DIR}/lib/concilio/concilio-smpi.o)
add_custom_command(
  OUTPUT ${CONCILIO_SMPI_OBJECT} COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/lib/concilio
  COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -o ${CONCILIO_SMPI_OBJECT} -Wl,--whole-archive ${archives}
          -Wl,--no-whole-archive -Wl,--start-group ${more_archives} -Wl,--end-group DEPENDS ${whole} ${in_part}
  VERBATIM)
add_custom_target(concilio-smpi ALL DEPENDS ${CONCILIO_SMPI_OBJECT})

# concilio_smpi_program(NAME SOURCES...) makes a program with the library in it, which smpirun can start. SMPI makes a
# copy of its file for every rank, so it is kept small, and looks for main() in each.
function(concilio_smpi_program name)
  add_library(${name}-smpi MODULE ${ARGN})
  add_dependencies(${name}-smpi concilio-smpi)
  target_link_libraries(${name}-smpi PRIVATE ${CONCILIO_SMPI_OBJECT} concilio_use_smpi ${CMAKE_DL_LIBS})
  target_link_options(${name}-smpi PRIVATE -s -Wl,--gc-sections)
  set_target_properties(${name}-smpi PROPERTIES PREFIX "" SUFFIX "" CXX_VISIBILITY_PRESET default
                                                LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()
