# Thin wrappers over the LLVM and MLIR CMake functions.

add_compile_options(-Wall -Wextra -Wno-unused-parameter -fvisibility=hidden -fvisibility-inlines-hidden)
if(QCC_SANITIZE)
  set(QCC_SANITIZERS -fsanitize=${QCC_SANITIZE})
  if(QCC_SANITIZE STREQUAL "address")
    # `vptr` and `function` need the type information of libMLIR, which is built without it.
    list(APPEND QCC_SANITIZERS -fsanitize=undefined -fno-sanitize=vptr,function -fno-sanitize-recover=undefined)
  endif()
  add_compile_options(${QCC_SANITIZERS} -fno-omit-frame-pointer)
  add_link_options(${QCC_SANITIZERS})
else()
  # What a bug in the code cannot be used for: test/CAPI/hardening.test looks for each in what was built. Tables of
  # addresses are bound when a file is loaded, and read-only from then on. Sanitizers have checks of their own.
  add_compile_options(-fstack-protector-strong -fstack-clash-protection -fcf-protection=full
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

# A library that knows neither LLVM nor MLIR.
function(qcc_add_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
endfunction()

# qcc_add_api_library(NAME sources... OUTPUT_NAME name ALIAS name [EXPORTS files...] [LINK_LIBS libraries...])
# A shared library of the C API: exports what include/qcc-c declares, under a versioned name, and nothing else: its
# Exports.map, or EXPORTS, has a node for each minor version, QCC_API_MINOR_VERSION, that added functions. It stays
# in memory once it is loaded: threads wait in it, deleters of results lie in it, and LLVM keeps state.
function(qcc_add_api_library name)
  cmake_parse_arguments(ARG "" "OUTPUT_NAME;ALIAS" "EXPORTS;LINK_LIBS" ${ARGN})
  set(exports ${ARG_EXPORTS})
  if(NOT exports)
    set(exports ${CMAKE_CURRENT_SOURCE_DIR}/Exports.map)
  endif()
  add_library(${name} SHARED ${ARG_UNPARSED_ARGUMENTS})
  add_library(qcc::${ARG_ALIAS} ALIAS ${name})
  # The number of the file's name is that of the interface, QCC_API_VERSION.
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME ${ARG_OUTPUT_NAME} EXPORT_NAME ${ARG_ALIAS} VERSION ${PROJECT_VERSION} SOVERSION 1
    LINK_DEPENDS "${exports}")
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  list(TRANSFORM exports PREPEND -Wl,--version-script=)
  target_link_options(${name} PRIVATE ${exports} -Wl,--gc-sections -Wl,-z,nodelete)
  if(NOT QCC_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()

# What every MLIR target shares: flags, include paths and one precompiled header.
# LLVM's headers are slow to parse; with the shared header a file compiles in a fraction of the time.
macro(qcc_setup_mlir)
  set(LLVM_LINK_LLVM_DYLIB ON)
  set(MLIR_LINK_MLIR_DYLIB ON)
  add_library(qcc_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
  target_compile_options(qcc_pch PRIVATE -fno-exceptions)
  target_precompile_headers(qcc_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Lets ccache reuse objects that were compiled against the precompiled header.
    target_compile_options(qcc_pch PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  qcc_add_llvm()
endmacro()

# qcc_llvm: LLVM and MLIR for whoever links them. They are shared libraries, except for a target that has the property
# QCC_STATIC_LLVM: it gets the archives, of which the linker takes what is used.
function(qcc_add_llvm)
  # The archives are not what CMake's targets of these names would link, which bring the shared libraries along.
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  find_library(QCC_ZSTD_ARCHIVE libzstd.a REQUIRED)
  set(static $<BOOL:$<TARGET_PROPERTY:QCC_STATIC_LLVM>>)
  add_library(qcc_llvm INTERFACE)
  target_link_libraries(qcc_llvm INTERFACE "$<IF:${static},${archives},MLIR;LLVM>" ZLIB::ZLIB
    $<IF:${static},${QCC_ZSTD_ARCHIVE},zstd::libzstd_shared>)
  set_target_properties(lldCommon PROPERTIES INTERFACE_LINK_LIBRARIES qcc_llvm)
  set_target_properties(lldELF PROPERTIES INTERFACE_LINK_LIBRARIES "lldCommon;qcc_llvm")
endfunction()

function(qcc_mlir_target name)
  target_compile_options(${name} PRIVATE -fno-exceptions)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  target_precompile_headers(${name} REUSE_FROM qcc_pch)
endfunction()

# qcc_add_library(NAME sources... [DEPENDS tablegen targets...] [LINK_LIBS libraries...])
function(qcc_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  qcc_mlir_target(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} qcc_llvm)
endfunction()

# qcc_add_tool(NAME sources... [LINK_LIBS libraries...])
function(qcc_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  qcc_mlir_target(${name})
  # -fPIC, not -fPIE, as the precompiled header was built.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} qcc_llvm)
endfunction()

# qcc_add_dialect(FILE dialect): FILE.td -> Dialect, Types, Attrs, Enums and Ops.
function(qcc_add_dialect file dialect target)
  set(LLVM_TARGET_DEFINITIONS ${file}.td)
  mlir_tablegen(${file}Dialect.h.inc -gen-dialect-decls -dialect=${dialect})
  mlir_tablegen(${file}Dialect.cpp.inc -gen-dialect-defs -dialect=${dialect})
  mlir_tablegen(${file}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${dialect})
  mlir_tablegen(${file}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${dialect})
  mlir_tablegen(${file}.h.inc -gen-op-decls)
  mlir_tablegen(${file}.cpp.inc -gen-op-defs)
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY QCC_TABLEGEN_TARGETS ${target})
endfunction()

# qcc_add_passes(prefix target): Passes.td -> Passes.h.inc
function(qcc_add_passes name target)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${name})
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY QCC_TABLEGEN_TARGETS ${target})
endfunction()
