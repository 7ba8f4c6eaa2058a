# The Python wrapper, and the examples in the documents.
#
# mpi4py of /usr/bin/python3 is for Debian's Open MPI. CONCILIO_PYTHON_MPI names a python that has one for another MPI.
set(CONCILIO_PYTHON_openmpi /usr/bin/python3 CACHE FILEPATH "A python with mpi4py for this MPI")

function(concilio_scorpio_test name mpi ranks)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS "mpi;scorpio" SKIP_RETURN_CODE 77)
  if(ranks GREATER 1)
    set_tests_properties(${name} PROPERTIES PROCESSORS 2)
  endif()
endfunction()

function(concilio_scorpio_python_tests mpi)
  set(library $<TARGET_FILE:concilio_scorpio_${mpi}>)
  set(python ${CONCILIO_PYTHON_${mpi}})
  # Looks for the modules without importing them, since an import would start MPI.
  set(look "import importlib.util as u, sys; sys.exit(None in map(u.find_spec, ['mpi4py', 'numpy']))")
  execute_process(COMMAND ${python} -c ${look} RESULT_VARIABLE missing ERROR_QUIET)
  if(NOT python OR NOT missing EQUAL 0)
    concilio_scorpio_test(
      scorpio.python.${mpi} ${mpi} 1 sh -c
      "echo 'skipped: no python with mpi4py and numpy for ${mpi}, CONCILIO_PYTHON_${mpi} may name one' && exit 77")
    return()
  endif()
  foreach(ranks 1 2 3 4)
    concilio_scorpio_test(
      scorpio.python.${mpi}.${ranks} ${mpi} ${ranks} ${PROJECT_SOURCE_DIR}/tests/harness/mpi_test --mpi ${mpi} -n
      ${ranks} --timeout 200 --launcher ${CONCILIO_MPI_${mpi}_LAUNCHER} --env PYTHONPATH=${PROJECT_SOURCE_DIR}/python
      --env PYTHONDONTWRITEBYTECODE=1 --env CONCILIO_SCORPIO_LIBRARY=${library} -- ${python}
      ${CMAKE_CURRENT_SOURCE_DIR}/python/scorpio_python.py)
    concilio_scorpio_test(
      scorpio.python-and-c.${mpi}.${ranks} ${mpi} ${ranks} ${CMAKE_CURRENT_SOURCE_DIR}/python/python_and_c.py --mpi
      ${mpi} -n ${ranks} --launcher ${CONCILIO_MPI_${mpi}_LAUNCHER} --python ${python} --counterpart
      $<TARGET_FILE:python_counterpart-${mpi}> --library ${library} 1${ranks} 2${ranks})
  endforeach()
endfunction()

foreach(mpi IN LISTS CONCILIO_SCORPIO_MPIS)
  add_executable(python_counterpart-${mpi} ${CMAKE_CURRENT_SOURCE_DIR}/python/python_counterpart.c)
  add_executable(two_patterns-${mpi} ${PROJECT_SOURCE_DIR}/docs/examples/scorpio/two_patterns.c)
  foreach(program python_counterpart two_patterns)
    target_link_libraries(${program}-${mpi} PRIVATE concilio_tests_common concilio_flags concilio_scorpio_${mpi})
    set_target_properties(${program}-${mpi} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  endforeach()
  set(programs c=$<TARGET_FILE:two_patterns-${mpi}>)
  if(NOT CONCILIO_SANITIZE)
    concilio_scorpio_python_tests(${mpi})
    if(mpi STREQUAL "openmpi")
      list(APPEND programs "py=${PROJECT_SOURCE_DIR}/docs/examples/scorpio/two_patterns.py")
    endif()
  endif()
  concilio_scorpio_test(scorpio.examples.${mpi} ${mpi} 4 ${CMAKE_CURRENT_SOURCE_DIR}/examples.py ${mpi}
                        ${CONCILIO_MPI_${mpi}_LAUNCHER} $<TARGET_FILE:concilio_scorpio_${mpi}> ${programs})
endforeach()
