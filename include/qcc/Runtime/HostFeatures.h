//===- HostFeatures.h - Features of the host's CPU --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPU features under LLVM's names, found by CPUID and XGETBV (a feature whose
// registers the operating system does not save is not there), never by model
// name. The set is a value: a test makes one of its own.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_HOSTFEATURES_H
#define QCC_RUNTIME_HOSTFEATURES_H

#include "qcc/Base/Status.h"

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

  /// A host with exactly these features, in any order.
  explicit HostFeatures(std::vector<std::string> names);

  /// Asks the CPU.
  static HostFeatures detect();

  /// The running host, of which all code asks what it can run: the features
  /// that detect() found once, without those that the environment variable
  /// QCC_HIDE_FEATURES names, such as "amx-int8,avx512f". The variable lets a
  /// test run as on a host that lacks something.
  static const HostFeatures &host();
  /// Fails if QCC_HIDE_FEATURES has a name that is no feature. host() then has
  /// all features.
  static const Status &hostStatus();

  /// Without the features of a comma-separated list and those that are built
  /// on them: avx2 takes all of AVX-VNNI and AVX-512 along, avx512f all of
  /// AVX-512, amx-tile all of AMX. Fails for a name that detect() never gives.
  Result<HostFeatures> without(std::string_view commaList) const;

  bool has(std::string_view name) const;

  /// Sorted.
  const std::vector<std::string> &names() const { return names_; }

  /// The features of a comma-separated list that this host lacks, in the order
  /// of the list.
  std::vector<std::string> missing(std::string_view requiredCommaList) const;

private:
  std::vector<std::string> names_;
};

/// Asks Linux for the use of AMX tiles by this process and all its threads, the
/// first time that it is called; later calls repeat the answer.
Status requestAmxPermission();

/// The model and the caches of the host, for information and cost models. Sizes
/// are in bytes, and 0 where they are unknown.
struct HostInfo {
  std::string brand;
  int64_t l1d = 0;
  int64_t l2 = 0;
  int64_t l3 = 0;
  int cpus = 1; ///< See availableCpus().
};
HostInfo hostInfo();

/// The number of CPUs that this process may run on, or fewer where its control
/// groups (a container) give it less time than that.
int availableCpus();

} // namespace qcc::rt

#endif // QCC_RUNTIME_HOSTFEATURES_H
