//===- main.cpp - The program qcc -----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

extern "C" int qccMain(int argc, char **argv);

int main(int argc, char **argv) { return qccMain(argc, argv); }
