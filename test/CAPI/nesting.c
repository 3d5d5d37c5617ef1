/*===- nesting.c - Programs that are nested deeper than any stack ---------===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* They are refused, and the next program compiles. What a crash would leave  *|
|* is tested with the guard, test/Unit/CAPI.                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

// RUN: %capi/nesting
// REQUIRES: compiler, x86-64-v3

#include "qcc-c/Compiler.h"

#include "Check.h"

int main(void) {
  enum { depth = 4 << 20 };
  static const char begin[] = "module attributes {a = ";
  static const char program[] =
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  return %x : tensor<4xf32>\n"
      "}\n";
  char *text = malloc(sizeof(begin) + depth);
  memcpy(text, begin, sizeof(begin));
  memset(text + sizeof(begin) - 1, '[', depth);
  for (int round = 0; round < 2; ++round) {
    qccArtifact artifact = NULL;
    CHECK_FAILS(
        qccCompileText(text, sizeof(begin) - 1 + depth, NULL, &artifact),
        QCC_STATUS_INVALID_PROGRAM, "brackets are nested more than 256 deep");
    CHECK(artifact == NULL);
    CHECK_OK(qccCompileText(program, sizeof(program) - 1, NULL, &artifact));
    qccArtifactDestroy(artifact);
  }
  free(text);
  return finishTest();
}
