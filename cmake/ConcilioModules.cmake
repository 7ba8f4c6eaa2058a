# Libraries that programs of plain MPI use, as pkg-config knows them.
find_package(PkgConfig QUIET)

# concilio_find_module(MODULE): sets CONCILIO_MODULE_FOUND, and makes what concilio_link_module() needs in this folder.
function(concilio_find_module module)
  if(PkgConfig_FOUND)
    pkg_check_modules(CONCILIO_${module} QUIET IMPORTED_TARGET ${module})
  endif()
  set(CONCILIO_${module}_FOUND "${CONCILIO_${module}_FOUND}" PARENT_SCOPE)
endfunction()

# concilio_link_module(TARGET MODULE): links the target with a module that was found.
function(concilio_link_module target module)
  target_link_libraries(${target} PRIVATE PkgConfig::CONCILIO_${module})
  # The folder in which Debian has netCDF's headers for MPI, which its .pc file does not name.
  pkg_get_variable(prefix ${module} prefix)
  target_include_directories(${target} SYSTEM PRIVATE ${prefix}/include)
endfunction()
