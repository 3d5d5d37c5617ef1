/*===- needs-library.c - An artifact that is not on its own ----------------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "note.h"
#include <stdlib.h>

__attribute__((visibility("default"))) char *qcc_artifact(void);

char *qcc_artifact(void) { return getenv("HOME"); }
