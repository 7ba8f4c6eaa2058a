# Programs written for the original SCORPIO, in C as its callers write it. What they leave uninitialised is filled with
# garbage. One start of the program tests all group sizes.
file(GLOB callers_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/callers/*.c
     ${CMAKE_CURRENT_LIST_DIR}/callers/*.cpp)
foreach(mpi IN LISTS CONCILIO_SCORPIO_MPIS)
  add_executable(scorpio_callers-${mpi} ${callers_sources})
  target_link_libraries(scorpio_callers-${mpi} PRIVATE concilio_tests_common concilio_scorpio_${mpi} concilio_flags)
  target_compile_options(scorpio_callers-${mpi} PRIVATE -g -O1
                                                        $<$<COMPILE_LANGUAGE:C>:-Werror=implicit-function-declaration>)
  target_compile_definitions(scorpio_callers-${mpi} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-ftrivial-auto-var-init=pattern CONCILIO_C_FILLS_VARIABLES)
  if(CONCILIO_C_FILLS_VARIABLES)
    target_compile_options(scorpio_callers-${mpi} PRIVATE -ftrivial-auto-var-init=pattern)
  endif()
  # Each file is like a program of its own, since some define macros before they include the header.
  set_target_properties(scorpio_callers-${mpi} PROPERTIES UNITY_BUILD OFF RUNTIME_OUTPUT_DIRECTORY
                                                                          ${PROJECT_BINARY_DIR}/tests)
  foreach(ranks 1 2 3 4 8)
    concilio_mpi_test(scorpio.callers.${mpi}.${ranks} ${mpi} ${ranks} scorpio OWN ENV MALLOC_PERTURB_=165
                      SCORPIO_WARN_SECONDS=1 COMMAND scorpio_callers)
  endforeach()
endforeach()
