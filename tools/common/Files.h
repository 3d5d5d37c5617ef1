//===- Files.h - The files that a command reads and writes ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command that would write over a file that it reads, or write one file
// twice, is refused before it does anything. Files are compared by what they
// are and not by their names, so links are followed.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_FILES_H
#define QCC_TOOLS_COMMON_FILES_H

#include "qcc/Base/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace qcc::tools {

class CommandFiles {
public:
  /// `reader` completes "..., which FILE is": "the program", "read by --input".
  /// An empty path is no file.
  void reads(const std::string &path, const std::string &reader);
  /// `writer` is an option and its value, "--output=y.npy".
  void writes(const std::string &path, const std::string &writer);

  /// Refuses two uses of one file of which one writes it. Of the standard input
  /// and output, which "-" names, refuses two uses of either.
  rt::Status check() const;
  /// Whether an output is the standard output.
  bool writesStandardOutput() const;
  /// Refuses a file that is written besides those named above.
  rt::Status checkWrite(const std::string &path,
                        const std::string &writer) const;

private:
  struct Use {
    std::string path, by;
    std::string identity; ///< empty where writing cannot destroy anything
  };
  static Use makeUse(const std::string &path, const std::string &by);
  static rt::Status checkStream(const std::vector<Use> &uses,
                                const std::string &message);
  rt::Status checkWrite(const Use &written, size_t otherWrites) const;

  std::vector<Use> reads_, writes_;
};

/// Writes a file at once or not at all; "-" is the standard output. Refuses to
/// print bytes that are no text to a terminal.
rt::Status writeOutput(const std::string &path, std::string_view bytes);
/// The most that is read of a pipe, in bytes.
constexpr size_t kStreamLimit = size_t(1) << 30;
/// Reads an open file, pipe or terminal to its end, up to `limit` bytes. `what`
/// names it in messages.
rt::Result<std::string> readStream(int descriptor, const std::string &what,
                                   size_t limit = kStreamLimit);

/// If `path` is "-", makes it a path from which the standard input is read as a
/// file, at any offset and any number of times. Copies a pipe to memory. Other
/// paths stay as they are.
rt::Status resolveStandardInput(std::string &path);

/// Makes a write to a closed pipe, and one beyond the limit of the size of
/// files (ulimit -f), fail instead of ending the process.
void ignoreWriteSignals();

/// Writes out what was printed, which may go nowhere: to a full disk, to a
/// closed pipe.
rt::Status flushStandardOutput();
rt::Status standardOutputFailed(const std::string &reason);
/// The same, where `outs` of LLVM was printed to as well.
template <typename Stream> rt::Status flushStandardOutput(Stream &outs) {
  outs.flush();
  rt::Status status = flushStandardOutput();
  if (status.isOk() && outs.has_error())
    status = standardOutputFailed(outs.error().message());
  // LLVM would report it once more at the end of the process.
  outs.clear_error();
  return status;
}

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_FILES_H
