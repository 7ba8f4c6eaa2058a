# SCORPIO from Fortran, with the include file and with the module. Each MPI's own wrapper builds the programs, as in
# tests/fortran.
set(scorpio_fortran ${CMAKE_CURRENT_SOURCE_DIR}/fortran)
set(scorpio_module ${CONCILIO_FORTRAN_MODULE})

# scorpio_fortran_program(MPI NAME PROGRAM OPTIONS SOURCES...)
function(scorpio_fortran_program mpi name program options)
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/${name}-${mpi})
  file(MAKE_DIRECTORY ${modules})
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${CONCILIO_MPI_${mpi}_FC} -O1 -g ${options} -J ${modules} -I ${PROJECT_SOURCE_DIR}/include/scorpio ${ARGN}
            -o ${program} $<TARGET_FILE:concilio_scorpio_${mpi}> -Wl,-rpath,$<TARGET_FILE_DIR:concilio_scorpio_${mpi}>
    DEPENDS ${ARGN} ${scorpio_fortran}/scorpio.inc ${PROJECT_SOURCE_DIR}/include/scorpio/scorpiof.h
            concilio_scorpio_${mpi} COMMENT "Fortran program ${name} for ${mpi}" VERBATIM)
  add_custom_target(scorpio_fortran_${name}-${mpi} ALL DEPENDS ${program})
endfunction()

# scorpio_fortran_test(NAME MPI RANKS [SHOWN PAGE] COMMAND PROGRAM ARGS...)
function(scorpio_fortran_test name mpi ranks)
  cmake_parse_arguments(arg "" "SHOWN" "COMMAND" ${ARGN})
  set(comparison "")
  if(arg_SHOWN)
    set(comparison ${scorpio_fortran}/example.sh ${arg_SHOWN})
  endif()
  add_test(NAME ${name}.${mpi}.${ranks}
           COMMAND ${comparison} ${PROJECT_SOURCE_DIR}/tests/harness/mpi_test --mpi ${mpi} -n ${ranks} --timeout 120
                   --launcher ${CONCILIO_MPI_${mpi}_LAUNCHER} --env MALLOC_PERTURB_=165 -- ${arg_COMMAND})
  set_tests_properties(${name}.${mpi}.${ranks} PROPERTIES TIMEOUT 180 LABELS "mpi;scorpio;fortran" SKIP_RETURN_CODE 77)
  if(ranks GREATER 1)
    set_tests_properties(${name}.${mpi}.${ranks} PROPERTIES PROCESSORS 2)
  endif()
endfunction()

set(scorpio_sources fixed.f support.F90 pflotran.F90 oracle.F90 features.F90 main.F90)
list(TRANSFORM scorpio_sources PREPEND ${scorpio_fortran}/)
foreach(mpi IN LISTS CONCILIO_SCORPIO_MPIS)
  string(REGEX REPLACE "mpicc([^/]*)$" "mpif90\\1" CONCILIO_MPI_${mpi}_FC ${CONCILIO_MPI_${mpi}_CC})
  set(failed "missing")
  if(EXISTS ${CONCILIO_MPI_${mpi}_FC})
    execute_process(COMMAND ${CONCILIO_MPI_${mpi}_FC} --version RESULT_VARIABLE failed OUTPUT_VARIABLE version
                    ERROR_QUIET)
  endif()
  if(failed OR NOT version MATCHES "GNU Fortran")
    add_test(NAME scorpio.fortran.${mpi} COMMAND sh -c "echo skipped: no Fortran compiler for ${mpi}; exit 77")
    set_tests_properties(scorpio.fortran.${mpi} PROPERTIES LABELS "mpi;scorpio;fortran" SKIP_RETURN_CODE 77)
    continue()
  endif()
  # With implicit interfaces, one routine is called with many types.
  scorpio_fortran_program(${mpi} include ${PROJECT_BINARY_DIR}/tests/scorpio_fortran_include-${mpi}
                          "-w;-fallow-argument-mismatch;-finit-integer=-77777777" ${scorpio_sources})
  # MPICH's module mpi has no TYPE(*), and the programs call MPI with arrays and scalars.
  scorpio_fortran_program(${mpi} module ${PROJECT_BINARY_DIR}/tests/scorpio_fortran_module-${mpi}
                          "-w;-fallow-argument-mismatch;-DWITH_MODULE" ${scorpio_module} ${scorpio_sources})
  # The example, compiled as its page says.
  scorpio_fortran_program(${mpi} example ${PROJECT_BINARY_DIR}/tests/scorpio_fortran_example-${mpi} "-Wall"
                          ${scorpio_module} ${PROJECT_SOURCE_DIR}/docs/examples/scorpio/two_patterns.f90)
  foreach(ranks 1 3 4)
    scorpio_fortran_test(scorpio.fortran.example ${mpi} ${ranks} SHOWN ${PROJECT_SOURCE_DIR}/docs/scorpio-fortran.md
                         COMMAND sh -c "${PROJECT_BINARY_DIR}/tests/scorpio_fortran_example-${mpi} $CONCILIO_TEST_DIR")
  endforeach()
  scorpio_fortran_test(scorpio.fortran.pflotran-include ${mpi} 8 COMMAND
                       ${PROJECT_BINARY_DIR}/tests/scorpio_fortran_include-${mpi} pflotran)
  foreach(ranks 1 2 3 4)
    # If more ranks poll than there are cores, a case takes long.
    set(cases 40)
    if(ranks GREATER 2 AND NOT mpi MATCHES openmpi)
      set(cases 12)
    endif()
    foreach(way include module)
      set(program ${PROJECT_BINARY_DIR}/tests/scorpio_fortran_${way}-${mpi})
      scorpio_fortran_test(scorpio.fortran.pflotran-${way} ${mpi} ${ranks} COMMAND ${program} pflotran)
      scorpio_fortran_test(scorpio.fortran.features-${way} ${mpi} ${ranks} COMMAND ${program} features)
    endforeach()
    scorpio_fortran_test(scorpio.fortran.oracle-include ${mpi} ${ranks} COMMAND
                         ${PROJECT_BINARY_DIR}/tests/scorpio_fortran_include-${mpi} oracle ${ranks}000 ${cases})
    scorpio_fortran_test(scorpio.fortran.oracle-module ${mpi} ${ranks} COMMAND
                         ${PROJECT_BINARY_DIR}/tests/scorpio_fortran_module-${mpi} oracle ${ranks}500 ${cases})
  endforeach()
endforeach()
