//===- HostFeatures.h - What this CPU can run -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPU features under LLVM's names, found by CPUID and XGETBV (a feature whose
// registers the operating system does not save is not there), never by model
// name. The set is a value: tests hand over another one.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_HOSTFEATURES_H
#define QCC_RUNTIME_HOSTFEATURES_H

#include "qcc/Runtime/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::rt {

/// Splits "avx2,+fma, f16c" into names; empty ones are dropped.
std::vector<std::string> splitFeatures(std::string_view commaList);

class HostFeatures {
public:
  HostFeatures() = default;

  /// A made-up host with exactly these features.
  static HostFeatures fromList(std::string_view commaList);

  /// Asks the CPU. host() does so once.
  static HostFeatures detect();
  static const HostFeatures &host();

  bool has(std::string_view name) const;

  /// Sorted.
  const std::vector<std::string> &names() const { return names_; }

  /// Those of a comma-separated list that this host lacks, in its order.
  std::vector<std::string> missing(std::string_view requiredCommaList) const;

private:
  std::vector<std::string> names_;
};

/// Those of a comma-separated list that the running host lacks.
std::vector<std::string> missingFeatures(std::string_view requiredCommaList);

/// Asks Linux for the use of AMX tiles by this process and all its threads, the
/// first time that it is called; later calls repeat the answer.
Status requestAmxPermission();

/// For information and cost models; 0 where unknown. Sizes in bytes.
struct HostInfo {
  std::string brand;
  int64_t l1d = 0;
  int64_t l2 = 0;
  int64_t l3 = 0;
  int cpus = 1; ///< Those that this process may run on.
};
HostInfo hostInfo();

/// The number of CPUs that this process may run on.
int availableCpus();

} // namespace qcc::rt

#endif // QCC_RUNTIME_HOSTFEATURES_H
