/*===- exports-more.c - An artifact with two symbols -----------------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "note.h"

__attribute__((visibility("default"))) int qcc_artifact = 1;
__attribute__((visibility("default"))) int qcc_other = 2;
