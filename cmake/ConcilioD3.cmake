# D3 draws the pictures of a report's page, which has its text and its licence. concilio_d3 is that text: of the modules that
# tools/page/charts.js takes, each after those that it takes itself, or of the one file that has all of D3.
set(CONCILIO_D3 "" CACHE STRING "D3's d3.min.js, if its modules are not where Debian's packages have them")
set(concilio_d3_files ${CONCILIO_D3})
if(NOT CONCILIO_D3)
  foreach(module IN ITEMS array collection color dispatch ease format interpolate selection time timer time-format
                          scale axis drag transition brush)
    unset(file)
    find_file(file d3-${module}.min.js PATHS /usr/share/nodejs /usr/share/javascript
              PATH_SUFFIXES d3-${module}/dist d3-${module} NO_CACHE)
    if(file)
      list(APPEND concilio_d3_files ${file})
    endif()
  endforeach()
endif()
file(READ ${PROJECT_SOURCE_DIR}/LICENSE.D3 concilio_d3_licence)
set(concilio_d3 "")
foreach(file IN LISTS concilio_d3_files)
  file(READ ${file} text)
  string(APPEND concilio_d3 "${text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endforeach()
# Modules that are missing, much older ones, and files that are something else lack some of these.
foreach(name create scaleLinear axisBottom brushX ticks range precisionFixed)
  if(NOT concilio_d3 MATCHES "[a-z]\\.${name}=")
    message(
      FATAL_ERROR
        "There is no d3.${name} of D3 5.16 or later, which draws the pictures of a report's page. Debian has D3 as "
        "node-d3-axis, node-d3-brush and node-d3-scale. Elsewhere set CONCILIO_D3 to the path of a d3.min.js.")
  endif()
endforeach()
