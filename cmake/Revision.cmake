# Writes the commit of the sources as a text in C: cmake -DSOURCE=folder -DOUTPUT=file -P Revision.cmake.
# The file changes only where the commit does, so that nothing is compiled again otherwise.

set(revision "")
find_package(Git QUIET)
if(Git_FOUND AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse HEAD
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failure ERROR_QUIET)
  if(NOT failure)
    execute_process(COMMAND ${GIT_EXECUTABLE} --no-optional-locks diff --quiet HEAD
      WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE has_changes ERROR_QUIET)
    set(revision ${commit})
    if(has_changes)
      string(APPEND revision "+")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "\"${revision}\"\n")
