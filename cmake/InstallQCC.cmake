# `cmake --install`: two components, `runtime` (libqcc_runtime, shared and as an archive, qcc-run) and `compiler` (libqcc, qcc), each with the
# headers of its library.
# What is installed can be moved: nothing of it names the build or the place it was installed to.

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
  install(TARGETS qcc-isolated-compiler RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
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
