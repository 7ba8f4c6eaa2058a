# concilio_program_test(NAME MPI RANKS LABEL [LONG] [SECONDS S] [OPTIONS program_test's...] COMMAND PROGRAM ARGS...)
# A program run by tests/harness/program_test. LONG: only by `ctest -C Long`.
function(concilio_program_test name mpi ranks label)
  cmake_parse_arguments(arg "LONG" "SECONDS" "OPTIONS;COMMAND" ${ARGN})
  if(NOT arg_SECONDS)
    set(arg_SECONDS 120)
  endif()
  set(configurations "")
  if(arg_LONG)
    set(configurations CONFIGURATIONS Long)
  endif()
  add_test(NAME ${name}
           COMMAND ${PROJECT_SOURCE_DIR}/tests/harness/program_test --mpi ${mpi} -n ${ranks} --timeout ${arg_SECONDS}
                   --launcher ${CONCILIO_MPI_${mpi}_LAUNCHER} --preload $<TARGET_FILE:concilio-${mpi}> ${arg_OPTIONS}
                   -- ${arg_COMMAND} ${configurations})
  # There are two runs, each with its own limit, and time to end them.
  math(EXPR kill_after "2 * ${arg_SECONDS} + 60")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${kill_after} LABELS "mpi;${label}" SKIP_RETURN_CODE 77)
  if(ranks GREATER 1)
    set_tests_properties(${name} PROPERTIES PROCESSORS 2)
  endif()
endfunction()
