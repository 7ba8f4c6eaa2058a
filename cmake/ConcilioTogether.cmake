# Compilations spend most of their time on headers. Every source of the library is compiled by itself once. This shows
# that it includes what it uses, and lets its helpers have any names. Where sources are compiled again, for further MPIs
# or for sanitizers, several of them may be compiled together (CMake's unity builds), and so may those of programs and
# tests. This takes less than half of the time of a build from nothing. But when one source changes, those compiled
# together with it are compiled again too, so this is for builds from nothing, as ./check makes them.
option(CONCILIO_TOGETHER "Compile several sources together where that loses no check: faster from nothing" OFF)

# concilio_compile_together(FOLDER) sets this for the targets in and below a folder.
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
    string(REGEX MATCH "[^-_]+$" last_word ${target}) # the MPI's name, in targets that exist for each MPI
    get_target_property(said ${target} UNITY_BUILD)
    if(type MATCHES "EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY" AND said STREQUAL "said-NOTFOUND"
       AND (CONCILIO_SANITIZE OR no_library OR last_word IN_LIST again))
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    endif()
  endforeach()
endfunction()
