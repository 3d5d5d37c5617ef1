//===- Text.h - Words, numbers and columns of reports -----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_TEXT_H
#define QCC_TOOLS_COMMON_TEXT_H

#include <string>
#include <string_view>
#include <vector>

namespace qcc::tools {

/// As printf.
[[gnu::format(printf, 1, 2)]] std::string format(const char *text, ...);

/// "a, b, c"
std::string join(const std::vector<std::string> &items,
                 std::string_view separator = ", ");

/// "1 step", "2 steps"
std::string counted(int64_t count, const char *noun);

/// "2.00 us", "13.250 ms", "1.500 s", in the unit that suits `like`.
std::string duration(double seconds, double like);
inline std::string duration(double seconds) {
  return duration(seconds, seconds);
}

/// "512 bytes", "2.5 KiB"
std::string byteSize(int64_t bytes);

/// The candidate that was probably meant, by the number of letters that
/// differ; empty if none is near.
std::string nearest(std::string_view name,
                    const std::vector<std::string> &candidates);

/// Breaks a text at blanks, so that no line is wider than `columns` where its
/// words allow that. The first line has `indent` columns before it already;
/// the others begin with as many blanks.
std::string wrap(std::string_view text, size_t columns, size_t indent);

/// A line of two columns: `head` behind two blanks, and from column 25 on
/// `text`, wrapped at the width of the output.
std::string twoColumns(const std::string &head, std::string_view text);

/// COLUMNS of the environment, or the width of the terminal that the standard
/// output is, or 100.
unsigned outputColumns();

/// Lines of at most `width` characters; words are broken where they are longer.
std::vector<std::string> wrapped(std::string_view text, size_t width);

/// Columns of text, each as wide as its widest cell where there is room.
class Table {
public:
  /// One letter per column: 'l' or 'r' for how it is aligned; 'w' is aligned as
  /// 'l', and long cells take several lines where the table is too wide.
  explicit Table(std::string alignment) : alignment_(std::move(alignment)) {}

  void add(std::vector<std::string> cells);
  /// A text below the row that was added last, over all columns.
  void addNote(std::string text) { rows_.push_back({{}, std::move(text)}); }

  /// Lines that begin with `indent` and end without blanks, of at most `width`
  /// characters; 0: as wide as need be.
  std::string print(std::string_view indent = "", size_t width = 0) const;

private:
  /// Cells, or a note.
  struct Row {
    std::vector<std::string> cells;
    std::string note;
  };
  std::vector<size_t> columnWidths(size_t available) const;
  void printCells(const Row &row, const std::vector<size_t> &widths,
                  std::string_view indent, std::string &text) const;

  std::string alignment_;
  std::vector<Row> rows_;
};

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_TEXT_H
