/*===- needs-symbol.c - An artifact with an undefined symbol ---------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "note.h"

__attribute__((visibility("default"))) extern int qcc_other;
__attribute__((visibility("default"))) int *qcc_artifact = &qcc_other;
