# The oracle of SCORPIO, and tests of its promises besides contents: failures, opens, memory, readable files.
set(here ${CMAKE_CURRENT_SOURCE_DIR})
set(harness ${PROJECT_SOURCE_DIR}/tests/harness/mpi_test)
set(scorpio_oracle_sources oracle/scorpio_oracle.cpp oracle/scorpio_case.cpp oracle/division.cpp oracle/blocks.cpp
                           oracle/call_arguments.cpp oracle/plain_hdf5.cpp)
set(scorpio_checks_sources checks/checks.cpp checks/checks_main.cpp ../common/situations.cpp)

function(scorpio_program name mpi)
  concilio_mpi_program(${name} ${mpi} ${ARGN})
  target_link_libraries(${name}-${mpi} PRIVATE concilio_scorpio_${mpi})
  target_include_directories(${name}-${mpi} PRIVATE ${PROJECT_SOURCE_DIR}/tests/mpi)
endfunction()

# scorpio_script_test(NAME MPI RANKS SCRIPT PROGRAM): runs a script, which gets the harness's command line.
function(scorpio_script_test name mpi ranks script program)
  add_test(NAME ${name} COMMAND ${here}/${script} ${harness} --mpi ${mpi} -n ${ranks} --timeout 60 --launcher
                                ${CONCILIO_MPI_${mpi}_LAUNCHER} -- $<TARGET_FILE:${program}-${mpi}>)
  set_tests_properties(${name} PROPERTIES TIMEOUT 120 LABELS "mpi;scorpio" SKIP_RETURN_CODE 77 PROCESSORS 2)
endfunction()

foreach(mpi IN LISTS CONCILIO_SCORPIO_MPIS)
  scorpio_program(scorpio_oracle ${mpi} ${scorpio_oracle_sources})
  scorpio_program(scorpio_failures ${mpi} ${scorpio_checks_sources} checks/failures_arguments.cpp
                  checks/failures_files.cpp)
  scorpio_program(scorpio_notices ${mpi} ${scorpio_checks_sources} checks/notices.cpp
                  ${PROJECT_SOURCE_DIR}/src/scorpio/ranks/notices.cpp)
  target_link_libraries(scorpio_notices-${mpi} PRIVATE concilio_base)
  concilio_mpi_test(scorpio.notices.${mpi}.2 ${mpi} 2 scorpio OWN COMMAND scorpio_notices)
  # MPICH's launcher of Debian 12 ends all ranks when one is killed.
  if(mpi STREQUAL openmpi)
    scorpio_program(scorpio_dead_rank ${mpi} checks/dead_rank.cpp
                    ${PROJECT_SOURCE_DIR}/src/scorpio/ranks/small_collectives.cpp)
    target_link_libraries(scorpio_dead_rank-${mpi} PRIVATE concilio_mpi_${mpi} concilio_pattern concilio_base rt)
    scorpio_script_test(scorpio.dead-rank.${mpi}.3 ${mpi} 3 checks/dead_rank.sh scorpio_dead_rank)
  endif()
  scorpio_program(scorpio_full_disk ${mpi} ${scorpio_checks_sources} checks/full_disk.cpp)
  scorpio_program(scorpio_small_shared_memory ${mpi} ${scorpio_checks_sources} checks/small_shared_memory.cpp)
  scorpio_script_test(scorpio.small-shared-memory.${mpi}.4 ${mpi} 4 checks/small_shared_memory.sh
                      scorpio_small_shared_memory)
  scorpio_program(scorpio_memory ${mpi} ${scorpio_checks_sources} checks/memory.cpp)
  scorpio_program(scorpio_readable ${mpi} ${scorpio_checks_sources} checks/readable.cpp)
  scorpio_program(scorpio_opens ${mpi} ${scorpio_checks_sources} checks/opens.cpp)
  scorpio_program(scorpio_own_reads ${mpi} ${scorpio_checks_sources} checks/own_reads.cpp)
  scorpio_program(scorpio_device ${mpi} ${scorpio_checks_sources} checks/device.cpp)
  target_compile_definitions(
    scorpio_device-${mpi} PRIVATE CUDA_STAND_IN="$<TARGET_FILE:gpu_cuda>" CUFILE_STAND_IN="$<TARGET_FILE:gpu_cufile>"
                                  LEVEL_ZERO_STAND_IN="$<TARGET_FILE:gpu_level_zero>")
  target_link_libraries(scorpio_device-${mpi} PRIVATE dl)
  add_dependencies(scorpio_device-${mpi} gpu_cuda)
  # Libraries must find the program's open() and pread().
  foreach(program scorpio_opens scorpio_own_reads)
    set_target_properties(${program}-${mpi} PROPERTIES ENABLE_EXPORTS ON)
    target_link_libraries(${program}-${mpi} PRIVATE dl)
  endforeach()

  # RANKS:CASES. With many ranks that poll there are few cases.
  set(cases 1:120 2:120 3:80 4:60 5:20 7:10)
  if(mpi STREQUAL "mpich")
    set(cases 1:120 2:120 3:40 4:12 5:6 7:3)
  endif()
  foreach(entry IN LISTS cases)
    string(REPLACE ":" ";" entry ${entry})
    list(GET entry 0 ranks)
    list(GET entry 1 count)
    concilio_mpi_test(scorpio.oracle.${mpi}.${ranks} ${mpi} ${ranks} scorpio OWN SECONDS 120 COMMAND scorpio_oracle
                      --seed ${ranks} --cases ${count})
    concilio_mpi_test(long.scorpio-oracle.${mpi}.${ranks} ${mpi} ${ranks} long OWN LONG SECONDS 3600 COMMAND
                      scorpio_oracle --seed 10${ranks} --cases 1500)
  endforeach()
  # By messages, as between nodes, and with little memory.
  concilio_mpi_test(scorpio.oracle-messages.${mpi}.3 ${mpi} 3 scorpio OWN ENV SCORPIO_SHARED_MEMORY=false
                    SCORPIO_BUFFER_BYTES=8K COMMAND scorpio_oracle --seed 43 --cases 30)
  concilio_mpi_test(scorpio.memory-messages.${mpi}.2 ${mpi} 2 scorpio OWN ENV SCORPIO_SHARED_MEMORY=false COMMAND
                    scorpio_memory)
  # With Concilio's MPI-IO below HDF5.
  concilio_mpi_test(scorpio.oracle-concilio.${mpi}.3 ${mpi} 3 scorpio COMMAND scorpio_oracle --seed 33 --cases 12)
  concilio_mpi_test(long.scorpio-oracle-concilio.${mpi}.4 ${mpi} 4 long LONG SECONDS 3600 COMMAND scorpio_oracle --seed
                    34 --cases 1000)
  foreach(ranks 1 2 4)
    concilio_mpi_test(scorpio.failures.${mpi}.${ranks} ${mpi} ${ranks} scorpio OWN SECONDS 100 COMMAND scorpio_failures)
  endforeach()
  foreach(ranks 1 3)
    scorpio_script_test(scorpio.full-disk.${mpi}.${ranks} ${mpi} ${ranks} checks/full_disk.sh scorpio_full_disk)
  endforeach()
  foreach(ranks 2 4)
    concilio_mpi_test(scorpio.opens.${mpi}.${ranks} ${mpi} ${ranks} scorpio OWN COMMAND scorpio_opens)
    concilio_mpi_test(scorpio.opens-concilio.${mpi}.${ranks} ${mpi} ${ranks} scorpio COMMAND scorpio_opens)
  endforeach()
  foreach(ranks 2 3)
    concilio_mpi_test(scorpio.own-reads.${mpi}.${ranks} ${mpi} ${ranks} scorpio OWN COMMAND scorpio_own_reads)
  endforeach()
  foreach(ranks 1 2 4)
    concilio_mpi_test(scorpio.device.${mpi}.${ranks} ${mpi} ${ranks} scorpio OWN COMMAND scorpio_device)
  endforeach()
  concilio_mpi_test(scorpio.memory.${mpi}.2 ${mpi} 2 scorpio OWN COMMAND scorpio_memory)
  concilio_mpi_test(scorpio.memory.${mpi}.4 ${mpi} 4 scorpio OWN COMMAND scorpio_memory)
  if(mpi MATCHES openmpi)
    concilio_mpi_test(scorpio.hosts.${mpi}.3x2 ${mpi} 6 hosts OWN HOSTS 3 SECONDS 240 COMMAND scorpio_oracle --seed 63
                      --cases 25)
  endif()
  scorpio_script_test(scorpio.readable.${mpi}.3 ${mpi} 3 checks/readable.py scorpio_readable)
endforeach()
