//===- VariantChoice.h - Which variant of an artifact to run ----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The best is the one whose instructions multiply the most int8 at once, then
// the one that asks for the most features, then the first. The order in which
// the variants were compiled says nothing otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_VARIANTCHOICE_H
#define QCC_LIB_RUNTIME_VARIANTCHOICE_H

#include "qcc/Runtime/Module.h"

#include <climits>

namespace qcc::rt {

/// An architecture such as "sm_80".
struct Architecture {
  int number = INT_MAX; ///< 80; more than any device has for other texts.
  /// "sm_90a": devices of later architectures do not run it.
  bool isExact = false;
};
Architecture architectureOf(std::string_view features);

/// Says of each variant what this host lacks for it.
std::vector<VariantInfo> describeVariants(const std::vector<Variant> &variants,
                                          const ModuleOptions &options);

struct VariantChoice {
  size_t index = 0;
  /// Not ok: the host cannot run it, but the options want to look at it.
  Status refusal;
};

/// Whether blocks of a device have the shared memory that a variant, which has
/// been read, takes, and its driver makes tensor maps if the variant has some;
/// notes in `info` if not. What depends on shapes is checked when it is
/// launched.
bool compareResources(const Device &device, const Variant &variant,
                      VariantInfo &info);

/// The best variant that the host can run, or the one that the options name.
/// Asks the operating system for AMX tiles if that one needs them; where it
/// refuses, that is noted in `infos` and the next best is taken.
Result<VariantChoice> chooseVariant(std::vector<VariantInfo> &infos,
                                    const ModuleOptions &options);

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_VARIANTCHOICE_H
