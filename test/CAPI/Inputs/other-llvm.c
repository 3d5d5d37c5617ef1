/*===- other-llvm.c - A library with an LLVM of its own -------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* It exports functions that every LLVM and MLIR has. They do something else  *|
|* than those of the compiler's libraries: they end the process.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stdio.h>
#include <stdlib.h>

#define OTHER(name, symbol)                                                    \
  void name(void) __asm__(symbol);                                             \
  __attribute__((visibility("default"))) void name(void) {                     \
    fprintf(stderr, "other-llvm: " symbol " was called\n");                    \
    abort();                                                                   \
  }

OTHER(getPassRegistry, "_ZN4llvm12PassRegistry15getPassRegistryEv")
OTHER(makeContext, "_ZN4mlir11MLIRContextC1ENS0_9ThreadingE")
OTHER(makeContextOfRegistry,
      "_ZN4mlir11MLIRContextC1ERKNS_15DialectRegistryENS0_9ThreadingE")
OTHER(eraseOperation, "_ZN4mlir9Operation5eraseEv")
OTHER(runPasses, "_ZN4mlir11PassManager3runEPNS_9OperationE")
