//===- SharedWeights.cpp - Equal weights of modules are one ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedWeights.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace qcc::rt {
namespace {

struct Lent {
  WeightKey key;
  std::weak_ptr<const char> bytes;
};

/// Of the process. It is never destroyed: modules may live until its end.
struct Table {
  std::mutex mutex;
  std::vector<Lent> lent;
};

Table &table() {
  static Table *table = [] {
    auto *made = new Table();
    // No thread is within it while a child is made.
    pthread_atfork([] { qcc::rt::table().mutex.lock(); },
                   [] { qcc::rt::table().mutex.unlock(); },
                   [] { qcc::rt::table().mutex.unlock(); });
    return made;
  }();
  return *table;
}

} // namespace

SharedBytes findSharedWeights(const WeightKey &key, const char *data,
                              FunctionRef<void(const char *, size_t)> read) {
  if (key.content == 0)
    return nullptr;
  std::vector<SharedBytes> candidates;
  {
    std::lock_guard<std::mutex> lock(table().mutex);
    for (const Lent &one : table().lent)
      if (one.key == key)
        if (SharedBytes bytes = one.bytes.lock())
          candidates.push_back(std::move(bytes));
  }
  // In parts, so that no more than one is in memory twice.
  constexpr size_t partSize = size_t(1) << 22;
  for (const SharedBytes &bytes : candidates) {
    size_t at = 0;
    bool isEqual = true;
    for (; isEqual && at < key.size; at += partSize) {
      size_t count = std::min(partSize, key.size - at);
      isEqual = memcmp(bytes.get() + at, data + at, count) == 0;
      read(data + at, count);
    }
    if (isEqual)
      return bytes;
  }
  return nullptr;
}

void lendWeights(const WeightKey &key, const SharedBytes &bytes) {
  if (key.content == 0)
    return;
  std::lock_guard<std::mutex> lock(table().mutex);
  std::vector<Lent> &lent = table().lent;
  lent.erase(
      std::remove_if(lent.begin(), lent.end(),
                     [](const Lent &one) { return one.bytes.expired(); }),
      lent.end());
  lent.push_back({key, bytes});
}

} // namespace qcc::rt
