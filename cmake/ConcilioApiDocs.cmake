# The target api_docs makes pages of the interfaces in BUILD/api: Doxygen reads the headers' comments (docs/api).
find_program(CONCILIO_DOXYGEN doxygen)
if(CONCILIO_DOXYGEN)
  add_custom_target(
    api_docs COMMAND ${CMAKE_COMMAND} -E env CONCILIO_API_DIR=${PROJECT_BINARY_DIR}/api ${CONCILIO_DOXYGEN}
                     docs/api/Doxyfile COMMAND ${CMAKE_COMMAND} -E echo
                                               "The first page is ${PROJECT_BINARY_DIR}/api/html/index.html"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
else()
  add_custom_target(
    api_docs COMMAND ${CMAKE_COMMAND} -E echo "The target api_docs needs doxygen; run cmake again when it is installed."
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
