# Installs what there is besides programs and libraries: headers, man pages, documents, examples, the CMake package,
# pkg-config files, the module file and the Python package.
include(CMakePackageConfigHelpers)

install(FILES ${PROJECT_SOURCE_DIR}/include/concilio/concilio.h ${PROJECT_SOURCE_DIR}/include/concilio/file.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/concilio)
file(GLOB function_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.3)
install(FILES ${function_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
# Documents and examples lie as in the tree, so that links between them lead somewhere.
file(GLOB first_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*.md)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/LICENSE.D3 ${PROJECT_SOURCE_DIR}/CITATION.cff
              ${first_pages} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        USE_SOURCE_PERMISSIONS)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Concilio)
configure_package_config_file(cmake/ConcilioConfig.cmake.in ${PROJECT_BINARY_DIR}/generated/ConcilioConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/ConcilioConfigVersion.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/ConcilioConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/ConcilioConfigVersion.cmake DESTINATION ${package})

# concilio.pc names the header. concilio-MPI.pc links a program with the library, in place of preloading it. Their paths
# are relative to where the file lies, so that a prefix given at installation holds.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/concilio.pc.in ${PROJECT_BINARY_DIR}/generated/concilio.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/concilio.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
foreach(mpi IN LISTS CONCILIO_ALL_MPI_NAMES)
  configure_file(cmake/concilio-mpi.pc.in ${PROJECT_BINARY_DIR}/generated/concilio-${mpi}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/generated/concilio-${mpi}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
foreach(mpi IN LISTS CONCILIO_SCORPIO_MPIS)
  configure_file(cmake/concilio-scorpio.pc.in ${PROJECT_BINARY_DIR}/generated/concilio-scorpio-${mpi}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/generated/concilio-scorpio-${mpi}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT scorpio)
endforeach()

# A module file, for Lmod and Environment Modules alike: `module use PREFIX/share/modulefiles; module load concilio`.
set(modulefiles ${CMAKE_INSTALL_DATADIR}/modulefiles/concilio)
file(RELATIVE_PATH modulefile_to_prefix /prefix/${modulefiles} /prefix)
configure_file(cmake/concilio.module.in ${PROJECT_BINARY_DIR}/generated/modulefile @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/modulefile DESTINATION ${modulefiles} RENAME ${PROJECT_VERSION})

# The Python package lies beside the libraries that it looks for. Its folder belongs on PYTHONPATH.
file(GLOB python_modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/concilio/*.py)
install(FILES ${python_modules} DESTINATION ${CMAKE_INSTALL_LIBDIR}/concilio/python/concilio COMPONENT python)
foreach(folder study study/comparisons)
  file(GLOB study_modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/concilio/${folder}/*.py)
  install(FILES ${study_modules} DESTINATION ${CMAKE_INSTALL_LIBDIR}/concilio/python/concilio/${folder}
          COMPONENT python)
endforeach()
