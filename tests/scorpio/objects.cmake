# Attributes, strings, groups, links, netCDF-4 and XDMF: situations, and what h5py, ncdump and an XML parser find in the
# files that they leave.
file(GLOB objects_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/objects/*.cpp)
list(APPEND objects_sources ${CMAKE_CURRENT_LIST_DIR}/../common/situations.cpp)
foreach(mpi IN LISTS CONCILIO_SCORPIO_MPIS)
  add_executable(scorpio_objects-${mpi} ${objects_sources})
  target_link_libraries(scorpio_objects-${mpi} PRIVATE concilio_tests_common concilio_scorpio_${mpi} concilio_flags)
  target_compile_definitions(scorpio_objects-${mpi} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  set_target_properties(scorpio_objects-${mpi} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  foreach(ranks 1 2 3 4)
    add_test(NAME scorpio.objects.${mpi}.${ranks}
             COMMAND ${CMAKE_CURRENT_LIST_DIR}/objects/objects_test --mpi ${mpi} -n ${ranks} --launcher
                     ${CONCILIO_MPI_${mpi}_LAUNCHER} $<TARGET_FILE:scorpio_objects-${mpi}>)
    set_tests_properties(scorpio.objects.${mpi}.${ranks} PROPERTIES TIMEOUT 600 LABELS "mpi;scorpio" PROCESSORS 2)
  endforeach()
endforeach()
