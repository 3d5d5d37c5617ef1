# `cmake --install`: two components, `runtime` (libqcc_runtime, shared and as an archive, qcc-run) and `compiler` (libqcc,
# qcc, qcc-lsp-server), each with the headers of its library and the man pages of its tools.
# What is installed can be moved: nothing of it names the build or the place it was installed to.
# The target `uninstall` removes what the last `cmake --install` of each component wrote.

include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/qcc)
set(generated ${CMAKE_BINARY_DIR}/package)

# qcc_install_headers(component files...): below include/, where they are below the source's include/.
function(qcc_install_headers component)
  foreach(header ${ARGN})
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES include/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT ${component})
  endforeach()
endfunction()

qcc_install_headers(runtime
  qcc-c/DLPack.h qcc-c/Runtime.h qcc-c/Status.h qcc/error.hpp qcc/runtime.hpp qcc/tensor.hpp)
if(QCC_BUILD_COMPILER)
  qcc_install_headers(compiler qcc-c/Compiler.h qcc/compiler.hpp qcc/qcc.hpp)
endif()

# qcc_install(COMPONENT library tool [ARCHIVE archive] [PATHS paths...]): these and the file of find_package. A library
# finds others of qcc beside itself; libraries of others are found in `paths`.
function(qcc_install component library tool)
  cmake_parse_arguments(ARG "" "ARCHIVE" "PATHS" ${ARGN})
  set(rpath $ORIGIN ${ARG_PATHS})
  set_target_properties(${library} PROPERTIES INSTALL_RPATH "${rpath}")
  install(TARGETS ${library} ${ARG_ARCHIVE} EXPORT qcc-${component}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  install(EXPORT qcc-${component} NAMESPACE qcc:: FILE qcc-${component}.cmake
    DESTINATION ${package} COMPONENT ${component})
  if(TARGET ${tool})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "${ARG_PATHS}")
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
  endif()
endfunction()

qcc_install(runtime QCCRuntimeCAPI qcc-run ARCHIVE QCCRuntimeStatic)
if(QCC_BUILD_COMPILER)
  qcc_install(compiler QCCCompilerCAPI qcc PATHS ${LLVM_LIBRARY_DIR})
  set_target_properties(qcc-lsp-server PROPERTIES INSTALL_RPATH ${LLVM_LIBRARY_DIR})
  install(TARGETS qcc-isolated-compiler qcc-lsp-server
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
endif()

configure_package_config_file(cmake/qccConfig.cmake.in ${generated}/qccConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${generated}/qccConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/qccConfig.cmake ${generated}/qccConfigVersion.cmake
  DESTINATION ${package} COMPONENT runtime)

file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
configure_file(cmake/qcc-runtime.pc.in ${generated}/qcc-runtime.pc @ONLY)
configure_file(cmake/qcc.pc.in ${generated}/qcc.pc @ONLY)
install(FILES ${generated}/qcc-runtime.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT runtime)
if(QCC_BUILD_COMPILER)
  install(FILES ${generated}/qcc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT compiler)
endif()

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# What tools say of themselves: man pages, from --help, and the completion of command lines in shells.
# qcc_install_output(component tool FILE file DESTINATION folder COMMAND command...)
function(qcc_install_output component tool)
  cmake_parse_arguments(ARG "" "FILE;DESTINATION" "COMMAND" ${ARGN})
  set(file ${generated}/${ARG_DESTINATION}/${ARG_FILE})
  add_custom_command(OUTPUT ${file} COMMAND ${ARG_COMMAND} ${file} DEPENDS ${tool} cmake/man-page.py)
  set_property(GLOBAL APPEND PROPERTY QCC_TOOL_OUTPUTS ${file})
  install(FILES ${file} DESTINATION ${ARG_DESTINATION} COMPONENT ${component})
endfunction()

function(qcc_install_man_page component tool)
  qcc_install_output(${component} ${tool} FILE ${tool}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/man-page.py $<TARGET_FILE:${tool}> ${PROJECT_VERSION})
endfunction()

function(qcc_install_completion shell file folder)
  qcc_install_output(compiler qcc FILE ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder}
    COMMAND $<TARGET_FILE:qcc> completion ${shell} >)
endfunction()

if(Python3_FOUND)
  qcc_install_man_page(runtime qcc-run)
endif()
if(QCC_BUILD_COMPILER)
  qcc_install_man_page(compiler qcc)
  qcc_install_man_page(compiler qcc-lsp-server)
  qcc_install_completion(bash qcc bash-completion/completions)
  qcc_install_completion(zsh _qcc zsh/site-functions)
  qcc_install_completion(fish qcc.fish fish/vendor_completions.d)
endif()
get_property(outputs GLOBAL PROPERTY QCC_TOOL_OUTPUTS)
add_custom_target(qcc-tool-outputs ALL DEPENDS ${outputs})

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${CMAKE_SOURCE_DIR}/cmake/Uninstall.cmake
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
