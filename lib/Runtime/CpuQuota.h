//===- CpuQuota.h - The share of CPUs that a container has ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Containers limit the time of all threads of a control group, not the CPUs
// that they may run on. Threads beyond the limit run at first, and then all of
// them stand still until the next period: a run with a thread for each CPU of
// the machine waits for that many times.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_CPUQUOTA_H
#define QCC_LIB_RUNTIME_CPUQUOTA_H

#include <string>

namespace qcc::rt {

/// How many CPUs can be busy all the time within the limits of this process's
/// control groups, rounded up; INT_MAX without a limit. `root` stands before
/// the paths that are read, for tests.
int cpuQuota(const std::string &root = "");

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_CPUQUOTA_H
