# Most of the time of a compilation goes to headers. Every source of the library is compiled by itself once: this shows
# that it includes what it uses, and its helpers may have any name. Where sources are compiled again, for the second MPI
# and the third or for sanitizers, several may be compiled together (CMake's unity builds), and so may programs and tests.
# That takes less than half of the time from nothing; but a source that is changed takes its neighbours with it, so this
# is for builds from nothing, as ./check makes them.
option(CONCILIO_TOGETHER "Compile several sources together where that loses no check: faster from nothing" OFF)

# concilio_compile_together(FOLDER): for the targets in and below a folder.
function(concilio_compile_together folder)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    concilio_compile_together(${below})
  endforeach()
  set(again ${CONCILIO_ALL_MPI_NAMES})
  list(POP_FRONT again)
  file(RELATIVE_PATH below_root ${PROJECT_SOURCE_DIR} ${folder})
  string(REGEX MATCH "^(bench|tests|tools)" no_library "${below_root}")
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    string(REGEX MATCH "[^-_]+$" last_word ${target})  # the MPI's name, of what there is for each
    get_target_property(said ${target} UNITY_BUILD)
    if(type MATCHES "EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY" AND said STREQUAL "said-NOTFOUND" AND
       (CONCILIO_SANITIZE OR no_library OR last_word IN_LIST again))
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    endif()
  endforeach()
endfunction()
