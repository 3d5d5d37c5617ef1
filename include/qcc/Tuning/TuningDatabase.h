//===- TuningDatabase.h - Configs that were measured ------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `qcc tune` has found: for a shape, a kernel and a target (KernelKey.h)
// the config that ran fastest. A file is JSON:
//
//   {
//     "format": "qcc-tuning",
//     "version": 1,
//     "entries": [
//       {
//         "target": "native avx2,... l1=32768 l2=1048576",
//         "shape": "?x2048x512",
//         "kernel": "5f0c5ad1b52a9a54",
//         "config": "#x86.config<vector_tiles, ..., source = tuned>",
//         "about": "i8 * i8 -> i8",
//         "measured": {"shape": "10240x2048x512", "threads": 1,
//                      "seconds": 0.0457, "model_seconds": 0.0462}
//       }
//     ]
//   }
//
// "about" and "measured" are for people. Configs are as programs have them, so
// that one can be copied into a program to pin it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TUNING_TUNINGDATABASE_H
#define QCC_TUNING_TUNINGDATABASE_H

#include "qcc/Base/Status.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace qcc {

/// The key of a tuned config.
struct TuningKey {
  std::string target, shape, kernel;

  bool operator<(const TuningKey &other) const;
};

struct TuningEntry {
  std::string config; ///< The text of a lowering config.
  std::string about;
  /// How it was measured: the sizes, seconds of a run, and those of the
  /// config that the model chose.
  std::string measuredShape;
  int64_t threads = 0;
  double seconds = 0, modelSeconds = 0;
};

class TuningDatabase {
public:
  /// Corrupt, if the text is no database of this version. Entries that are
  /// damaged are left out, and named by `problems`.
  static rt::Result<TuningDatabase> parse(std::string_view text);
  /// Parses the text of a file; messages begin with the name of the file.
  static rt::Result<TuningDatabase> read(const std::string &path);

  /// The text of the database. Databases with equal entries have equal texts,
  /// in whichever order the entries came.
  std::string print() const;
  /// Writes the text to a file, whole or not at all.
  rt::Status write(const std::string &path) const;

  const TuningEntry *find(const TuningKey &key) const;
  /// The targets that have an entry for this shape and kernel.
  std::vector<std::string> targetsOf(std::string_view shape,
                                     std::string_view kernel) const;
  /// Sets the entry of a key; returns whether the key had one.
  bool set(TuningKey key, TuningEntry entry);
  size_t size() const { return entries.size(); }

  /// "entry 3 has no text 'config'; it is ignored"
  std::vector<std::string> problems;

private:
  std::map<TuningKey, TuningEntry> entries;
};

/// A database to compile with. One that is damaged is empty, since what was
/// tuned is never needed: `warnings` say so.
struct LoadedTuning {
  std::shared_ptr<const TuningDatabase> database;
  std::vector<std::string> warnings;
};

/// Fails only where the file cannot be read.
rt::Result<LoadedTuning> loadTuning(const std::string &path);

} // namespace qcc

#endif // QCC_TUNING_TUNINGDATABASE_H
