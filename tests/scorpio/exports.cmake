# The symbols that the library shows to a program.
foreach(mpi IN LISTS CONCILIO_SCORPIO_MPIS)
  add_test(NAME scorpio.exports.${mpi}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/exports_test.sh ${CMAKE_NM} $<TARGET_FILE:concilio_scorpio_${mpi}>
                   ${PROJECT_SOURCE_DIR}/include/scorpio/scorpio.h ${CONCILIO_FORTRAN_MODULE})
  set_tests_properties(scorpio.exports.${mpi} PROPERTIES TIMEOUT 60 LABELS scorpio)
endforeach()
