//===- NearestName.cpp - Names that users may have meant ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Frontend/MLIR/NearestName.h"
#include <algorithm>

using namespace llvm;

std::optional<StringRef> qcc::nearestOf(StringRef name,
                                        ArrayRef<StringRef> names) {
  std::optional<StringRef> nearest;
  unsigned least = std::max<size_t>(2, name.size() / 3) + 1;
  for (StringRef candidate : names) {
    unsigned distance = name.edit_distance(candidate, true, least);
    // Every name is as near to a short one as the short one is long.
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
