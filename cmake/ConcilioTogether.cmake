# Compilations spend most of their time on headers. CMake's unity builds compile several sources together, which takes
# about half of the time for those that know MPI. But when one source changes, those compiled together with it are
# compiled again too, so this is for builds from nothing, as ./check makes them. Builds for development compile every
# source by itself, which also shows that it includes what it uses; ./check --long makes such a build.
option(CONCILIO_TOGETHER "Compile several sources together: faster from nothing" OFF)

# concilio_compile_together(FOLDER) sets this for the targets in and below a folder.
function(concilio_compile_together folder)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    concilio_compile_together(${below})
  endforeach()
  # Sources of src give their helpers different names, as clang-tidy checks forty of them together too (scripts/tidy.sh);
  # those of programs need not.
  set(batch 12)
  file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${folder})
  if(place STREQUAL "" OR place MATCHES "^src(/|$)")
    set(batch 40)
  endif()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(said ${target} UNITY_BUILD)
    if(type MATCHES "EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY" AND said STREQUAL "said-NOTFOUND")
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
    endif()
  endforeach()
endfunction()
