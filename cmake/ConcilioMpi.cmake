# One build serves several MPIs: what does not know MPI is compiled once, and the rest once for each MPI that is found.
# Sets CONCILIO_MPI_NAMES to the MPIs that get every program and test. CONCILIO_ALL_MPI_NAMES also has the light ones,
# which get the library and few tests. For each NAME there are the interface target concilio_use_NAME and the variables
# CONCILIO_MPI_NAME_CC (the compiler wrapper), CONCILIO_MPI_NAME_LAUNCHER and CONCILIO_MPI_NAME_FORTRAN (the wrapper for
# Fortran; empty if there is none).

# Each of these needs a library of its own. Open MPI 4 and 5 share a soname but differ in constants. MPICH has one interface
# and two sonames: Debian's (mpich) and its own (mpich5). The ABI of the MPI 5 standard (mpiabi) has other handles.
set(known_mpis openmpi mpich openmpi5 mpich5 mpiabi)

function(concilio_find_mpi flavour wrapper)
  if(flavour MATCHES "^openmpi")
    execute_process(COMMAND ${wrapper} --showme:compile OUTPUT_VARIABLE compile RESULT_VARIABLE failed
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${wrapper} --showme:link OUTPUT_VARIABLE link OUTPUT_STRIP_TRAILING_WHITESPACE)
  else()
    execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE compile RESULT_VARIABLE failed
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(link "${compile}")
  endif()
  if(failed)
    message(FATAL_ERROR "${wrapper} did not say how it compiles; is it the compiler wrapper of ${flavour}?")
  endif()
  # The two words -Wl,-rpath -Wl,FOLDER are one option.
  string(REGEX REPLACE "-Wl,-rpath[ =,]+(-Wl,)?" "-Wl,-rpath," link "${link}")
  separate_arguments(compile UNIX_COMMAND "${compile}")
  separate_arguments(link UNIX_COMMAND "${link}")
  set(definitions ${compile})
  list(FILTER definitions INCLUDE REGEX "^-D")
  list(FILTER compile INCLUDE REGEX "^-I")
  list(FILTER link INCLUDE REGEX "^-(L|l|Wl,-rpath,)")
  list(TRANSFORM compile REPLACE "^-I" "" OUTPUT_VARIABLE includes)
  add_library(concilio_use_${flavour} INTERFACE)
  target_include_directories(concilio_use_${flavour} SYSTEM INTERFACE ${includes})
  # These leave out both MPIs' long-deprecated C++ interfaces.
  target_compile_definitions(concilio_use_${flavour} INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  target_compile_options(concilio_use_${flavour} INTERFACE ${definitions})
  target_link_libraries(concilio_use_${flavour} INTERFACE ${link})
  get_filename_component(folder ${wrapper} DIRECTORY)
  find_program(CONCILIO_MPI_${flavour}_LAUNCHER NAMES mpirun.${flavour} mpirun mpiexec HINTS ${folder} NO_DEFAULT_PATH)
  set(CONCILIO_MPI_${flavour}_CC ${wrapper} CACHE INTERNAL "")
  find_program(CONCILIO_MPI_${flavour}_FORTRAN_WRAPPER mpifort.${flavour})
  mark_as_advanced(CONCILIO_MPI_${flavour}_FORTRAN_WRAPPER)
  set(fortran "")
  if(CONCILIO_MPI_${flavour}_FORTRAN_WRAPPER)
    set(fortran ${CONCILIO_MPI_${flavour}_FORTRAN_WRAPPER})
  endif()
  set(CONCILIO_MPI_${flavour}_FORTRAN "${fortran}" CACHE INTERNAL "")
endfunction()

set(CONCILIO_ALL_MPI_NAMES "")
foreach(entry IN LISTS CONCILIO_MPIS)
  if(entry STREQUAL "auto")
    list(APPEND wanted openmpi mpich)
  else()
    list(APPEND wanted ${entry})
  endif()
endforeach()
foreach(entry IN LISTS wanted)
  string(REGEX REPLACE ":.*" "" flavour "${entry}")
  if(NOT flavour IN_LIST known_mpis)
    list(JOIN known_mpis ", " known)
    message(FATAL_ERROR "CONCILIO_MPIS: ${flavour} is none of ${known}")
  endif()
  if(entry MATCHES ":(.*)")
    set(wrapper ${CMAKE_MATCH_1})
    if(NOT EXISTS "${wrapper}")
      message(FATAL_ERROR "CONCILIO_MPIS: there is no ${wrapper}")
    endif()
  else()
    find_program(CONCILIO_${flavour}_WRAPPER NAMES mpicc.${flavour})
    set(wrapper ${CONCILIO_${flavour}_WRAPPER})
  endif()
  if(wrapper)
    concilio_find_mpi(${flavour} ${wrapper})
    list(APPEND CONCILIO_ALL_MPI_NAMES ${flavour})
    set(light "")
    if(flavour IN_LIST CONCILIO_LIGHT_MPIS)
      set(light " (few tests, and not optimised: CONCILIO_LIGHT_MPIS)")
    endif()
    message(STATUS "MPI ${flavour}: ${wrapper}${light}")
  elseif(NOT "auto" IN_LIST CONCILIO_MPIS)
    message(FATAL_ERROR "No mpicc.${flavour} found: install lib${flavour}-dev or give ${flavour}:/path/to/mpicc")
  endif()
endforeach()
if(NOT CONCILIO_ALL_MPI_NAMES)
  message(FATAL_ERROR "No MPI found: install libopenmpi-dev or libmpich-dev, or set CONCILIO_MPIS")
endif()
set(CONCILIO_MPI_NAMES ${CONCILIO_ALL_MPI_NAMES})
if(CONCILIO_LIGHT_MPIS)
  list(REMOVE_ITEM CONCILIO_MPI_NAMES ${CONCILIO_LIGHT_MPIS})
endif()

# These files define macros, each for itself, so they are never compiled together with others.
set_source_files_properties(
  src/bind/shims.cpp src/bind/fortran/fortran_datarep.cpp src/bind/fortran/fortran_errhandler.cpp
  src/bind/lifetime/finalize.cpp src/bind/lifetime/sessions.cpp src/bind/lifetime/threads.cpp
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# Adds the folders that know MPI, once for each MPI.
function(concilio_add_folders mpi)
  foreach(folder mpi exec mpiio bind)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
    if(NOT mpi STREQUAL "smpi")
      list(FILTER sources EXCLUDE REGEX "/simulated_")
    endif()
    add_library(concilio_${folder}_${mpi} STATIC ${sources})
    target_link_libraries(
      concilio_${folder}_${mpi} PUBLIC concilio_base concilio_counter concilio_pattern concilio_plan concilio_store
                                       concilio_use_${mpi} nlohmann_json::nlohmann_json)
    target_compile_definitions(concilio_${folder}_${mpi} PRIVATE CONCILIO_MPI="${mpi}")
    if(mpi IN_LIST CONCILIO_LIGHT_MPIS)
      target_compile_options(concilio_${folder}_${mpi} PRIVATE ${concilio_unoptimised})
      target_precompile_headers(concilio_${folder}_${mpi} REUSE_FROM ${concilio_unoptimised_precompiled})
    endif()
  endforeach()
endfunction()

# Adds them, and the library that is preloaded.
function(concilio_add_preload_library mpi)
  concilio_add_folders(${mpi})
  add_library(concilio-${mpi} SHARED ${PROJECT_SOURCE_DIR}/src/bind/preload.cpp)
  target_link_libraries(
    concilio-${mpi}
    PRIVATE -Wl,--whole-archive concilio_bind_${mpi} -Wl,--no-whole-archive concilio_mpiio_${mpi} concilio_exec_${mpi}
            concilio_mpi_${mpi} concilio_plan concilio_pattern concilio_store concilio_counter concilio_base rt pthread
            dl)
  set_target_properties(concilio-${mpi} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/concilio)
  target_link_options(concilio-${mpi} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/bind/exports.map
                      -Wl,-z,defs)
  # The library has a C++ standard library of its own, whatever the program's is. But it uses the process's libgcc,
  # since one libgcc alone must unwind a stack when an exception of the program, or the end of a thread, passes through.
  # Of its own, it keeps only what it uses; the rest would need a newer C library (arc4random, of glibc 2.36).
  if(NOT CONCILIO_SANITIZE)
    target_link_options(concilio-${mpi} PRIVATE -static-libstdc++ -Wl,--gc-sections)
  endif()
  install(TARGETS concilio-${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/concilio)
endfunction()
