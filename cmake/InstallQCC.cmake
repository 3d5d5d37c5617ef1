# `cmake --install`: two components, `runtime` (libqcc_runtime, qcc-run, all headers) and `compiler` (libqcc, qcc).
# What is installed can be moved: nothing of it names the build or the place it was installed to.

include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/qcc)
set(generated ${CMAKE_BINARY_DIR}/package)

install(DIRECTORY include/qcc-c/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/qcc-c COMPONENT runtime
  FILES_MATCHING PATTERN "*.h")
file(GLOB cxx_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/qcc/*.hpp)
install(FILES ${cxx_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/qcc COMPONENT runtime)

# qcc_install(COMPONENT library tool [paths...]): the two and the file of find_package. A library finds others of qcc
# beside itself; libraries of others are found in `paths`.
function(qcc_install component library tool)
  set(rpath $ORIGIN ${ARGN})
  set_target_properties(${library} PROPERTIES INSTALL_RPATH "${rpath}")
  install(TARGETS ${library} EXPORT qcc-${component}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  install(EXPORT qcc-${component} NAMESPACE qcc:: FILE qcc-${component}.cmake
    DESTINATION ${package} COMPONENT ${component})
  if(TARGET ${tool})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "${ARGN}")
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
  endif()
endfunction()

qcc_install(runtime QCCRuntimeCAPI qcc-run)
if(QCC_BUILD_COMPILER)
  qcc_install(compiler QCCCompilerCAPI qcc ${LLVM_LIBRARY_DIR})
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
