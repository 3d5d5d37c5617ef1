//===- OldStart.cpp - The start of programs with an older glibc -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before glibc 2.34, a program itself brought the function that calls its
// constructors, and handed it to __libc_start_main. The start files of a newer
// glibc hand over none. The function here takes the place of
// __libc_start_main, and calls glibc's own with such a function.
//
//===----------------------------------------------------------------------===//

using Main = int(int, char **, char **);
using Initializer = void(int, char **, char **);

extern "C" {
__attribute__((
    visibility("hidden"))) extern Initializer *const __init_array_start[];
__attribute__((
    visibility("hidden"))) extern Initializer *const __init_array_end[];

int startInGlibc(Main *main, int argc, char **argv, Initializer *initialize,
                 void (*finalize)(), void (*finalizeLoader)(), void *stack);
__asm__(".symver startInGlibc, __libc_start_main@GLIBC_2.2.5");

static void callConstructors(int argc, char **argv, char **environment) {
  for (Initializer *const *constructor = __init_array_start;
       constructor != __init_array_end; ++constructor)
    (*constructor)(argc, argv, environment);
}

__attribute__((visibility("hidden"))) int
__libc_start_main(Main *main, int argc, char **argv, Initializer *,
                  void (*finalize)(), void (*finalizeLoader)(), void *stack) {
  return startInGlibc(main, argc, argv, callConstructors, finalize,
                      finalizeLoader, stack);
}
}
