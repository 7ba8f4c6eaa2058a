# SCORPIO over HDF5, for each MPI that has a parallel HDF5 (pkg-config's hdf5-MPI), with pugixml for XDMF. Sets
# CONCILIO_SCORPIO_MPIS to these MPIs. The library libconcilio_scorpio.so has the same name for all of them, in a folder
# for each.
find_package(PkgConfig QUIET)
find_package(pugixml QUIET)
# pugixml is linked statically where it can be, as a program may have another version of its own.
if(TARGET pugixml::static)
  set(pugixml pugixml::static)
else()
  set(pugixml pugixml::pugixml)
endif()

set(CONCILIO_SCORPIO_MPIS "")
foreach(mpi IN LISTS CONCILIO_MPI_NAMES)
  if(PkgConfig_FOUND)
    pkg_check_modules(CONCILIO_HDF5_${mpi} QUIET hdf5-${mpi})
  endif()
  if(NOT CONCILIO_HDF5_${mpi}_FOUND)
    message(STATUS "SCORPIO for ${mpi}: no, pkg-config knows no hdf5-${mpi}")
  elseif(NOT pugixml_FOUND)
    message(STATUS "SCORPIO for ${mpi}: no, there is no pugixml")
  else()
    list(APPEND CONCILIO_SCORPIO_MPIS ${mpi})
  endif()
endforeach()

foreach(mpi IN LISTS CONCILIO_SCORPIO_MPIS)
  add_library(concilio_hdf5_${mpi} INTERFACE)
  # MPI's own include folders come with concilio_use_MPI.
  set(includes ${CONCILIO_HDF5_${mpi}_INCLUDE_DIRS})
  list(FILTER includes INCLUDE REGEX "hdf5")
  target_include_directories(concilio_hdf5_${mpi} SYSTEM INTERFACE ${includes})
  foreach(name hdf5 hdf5_hl)
    find_library(CONCILIO_${name}_${mpi} ${name} HINTS ${CONCILIO_HDF5_${mpi}_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
  endforeach()
  target_link_libraries(concilio_hdf5_${mpi} INTERFACE ${CONCILIO_hdf5_hl_${mpi}} ${CONCILIO_hdf5_${mpi}})

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/scorpio/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/(box|group_size)\\.cpp$")
  add_library(concilio_scorpio_${mpi} SHARED ${sources})
  target_link_libraries(
    concilio_scorpio_${mpi} PRIVATE concilio_boxes concilio_mpi_${mpi} concilio_pattern concilio_base concilio_flags
                                    ${pugixml} pthread rt PUBLIC concilio_hdf5_${mpi} concilio_use_${mpi})
  target_include_directories(concilio_scorpio_${mpi} PUBLIC ${PROJECT_SOURCE_DIR}/include/scorpio)
  target_link_options(concilio_scorpio_${mpi} PRIVATE
                      -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/scorpio/exports.map -Wl,-z,defs)
  set_target_properties(
    concilio_scorpio_${mpi} PROPERTIES OUTPUT_NAME concilio_scorpio VERSION ${PROJECT_VERSION} SOVERSION 0
                                       LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/concilio/${mpi})
  install(TARGETS concilio_scorpio_${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/concilio/${mpi} COMPONENT scorpio)

  # For builds that look for the original SCORPIO, this installs a prefix like that of the original, with links to the
  # library and headers.
  set(prefix ${CMAKE_INSTALL_LIBDIR}/concilio/${mpi}/scorpio)
  configure_file(cmake/scorpio.pc.in ${PROJECT_BINARY_DIR}/generated/${mpi}/scorpio.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/generated/${mpi}/scorpio.pc DESTINATION ${prefix}/lib/pkgconfig
          COMPONENT scorpio_original)
  set(links ${PROJECT_BINARY_DIR}/generated/${mpi}/links)
  file(MAKE_DIRECTORY ${links})
  foreach(name libscorpio.so libparallelio.so)
    file(CREATE_LINK ../../libconcilio_scorpio.so ${links}/${name} SYMBOLIC)
  endforeach()
  file(CREATE_LINK ../../libconcilio_scorpio.so.0 ${links}/libconcilio_scorpio.so.0 SYMBOLIC)
  install(DIRECTORY ${links}/ DESTINATION ${prefix}/lib COMPONENT scorpio_original)
  file(RELATIVE_PATH headers /${prefix} /${CMAKE_INSTALL_INCLUDEDIR}/concilio/scorpio)
  file(CREATE_LINK ${headers} ${PROJECT_BINARY_DIR}/generated/${mpi}/include SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/generated/${mpi}/include DESTINATION ${prefix} COMPONENT scorpio_original)
endforeach()
if(CONCILIO_SCORPIO_MPIS)
  include(cmake/ConcilioFortranModule.cmake)
  install(FILES ${PROJECT_SOURCE_DIR}/include/scorpio/scorpio.h ${PROJECT_SOURCE_DIR}/include/scorpio/scorpio_util.h
                ${PROJECT_SOURCE_DIR}/include/scorpio/parallelIO.h ${PROJECT_SOURCE_DIR}/include/scorpio/scorpiof.h
                ${CONCILIO_FORTRAN_MODULE} # users compile it, as compilers differ in their .mod files
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/concilio/scorpio COMPONENT scorpio)
endif()
