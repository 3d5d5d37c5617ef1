//===- Text.cpp - Words, numbers and columns of reports -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Text.h"

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace qcc::tools {

std::string format(const char *text, ...) {
  va_list args, again;
  va_start(args, text);
  va_copy(again, args);
  int length = vsnprintf(nullptr, 0, text, args);
  va_end(args);
  std::string result(length > 0 ? length : 0, '\0');
  vsnprintf(result.data(), result.size() + 1, text, again);
  va_end(again);
  return result;
}

std::string join(const std::vector<std::string> &items,
                 std::string_view separator) {
  std::string text;
  for (const std::string &item : items) {
    if (&item != &items.front())
      text += separator;
    text += item;
  }
  return text;
}

std::string counted(int64_t count, const char *noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string duration(double seconds, double like) {
  if (like < 1e-3)
    return format("%.2f us", seconds * 1e6);
  if (like < 1)
    return format("%.3f ms", seconds * 1e3);
  return format("%.3f s", seconds);
}

std::string byteSize(int64_t bytes) {
  constexpr const char *units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return counted(bytes, "byte");
  double size = double(bytes);
  const char *unit = "";
  for (const char *next : units) {
    if (size < 1024)
      break;
    size /= 1024;
    unit = next;
  }
  return format("%.1f %s", size, unit);
}

/// The number of letters to insert, delete or replace.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view name,
                    const std::vector<std::string> &candidates) {
  std::string best;
  size_t bestDistance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string &candidate : candidates) {
    size_t distance = editDistance(name, candidate);
    // What shares no letter in its place is nothing that was meant.
    if (distance < bestDistance && distance < candidate.size()) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// The number of characters of a UTF-8 text.
static size_t width(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (c & 0xc0) != 0x80; });
}

std::string wrap(std::string_view text, size_t columns, size_t indent) {
  std::string result;
  size_t column = indent;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > indent && column + 1 + width(word) > columns) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += " ";
      ++column;
    }
    result += word;
    column += width(word);
  }
  return result;
}

std::string twoColumns(const std::string &head, std::string_view text) {
  constexpr size_t column = 25;
  std::string line = "  " + head;
  line.resize(std::max(line.size() + 1, column), ' ');
  return line + wrap(text, outputColumns(), line.size()) + "\n";
}

unsigned outputColumns() {
  constexpr unsigned least = 40, usual = 100;
  winsize size{};
  const char *given = getenv("COLUMNS");
  int columns = given ? atoi(given) : 0;
  if (columns <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    columns = size.ws_col;
  return columns > 0 ? std::max<unsigned>(least, columns) : usual;
}

/// The number of bytes of the first `count` characters.
static size_t bytesOf(std::string_view text, size_t count) {
  size_t bytes = 0;
  while (bytes < text.size() && ((text[bytes] & 0xc0) == 0x80 || count-- > 0))
    ++bytes;
  return bytes;
}

std::vector<std::string> wrapped(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  while (true) {
    size_t end = bytesOf(text, width);
    if (end == text.size())
      break;
    // The blank after a word that just fits is a place to break as well.
    size_t blank = text.rfind(' ', end);
    bool hasBlank = blank != std::string_view::npos && blank > 0;
    if (hasBlank)
      end = blank;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + hasBlank);
  }
  lines.emplace_back(text);
  return lines;
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(alignment_.size());
  rows_.push_back({std::move(cells), ""});
}

/// The widths of the columns: the widest that can be wrapped become narrower
/// until all fit, but not too narrow to read.
std::vector<size_t> Table::columnWidths(size_t available) const {
  constexpr size_t least = 12;
  std::vector<size_t> widths(alignment_.size());
  for (const Row &row : rows_)
    for (size_t i = 0; i < row.cells.size(); ++i)
      widths[i] = std::max(widths[i], width(row.cells[i]));
  auto total = [&] {
    size_t sum = 0, used = 0;
    for (size_t width : widths) {
      sum += width;
      used += width != 0;
    }
    return sum + 2 * (used - (used > 0));
  };
  // Columns of kind "w", whose cells may wrap, are narrowed before the others.
  for (std::string_view kinds : {"w", "lr"})
    while (available != 0 && total() > available) {
      size_t widest = widths.size();
      for (size_t i = 0; i < widths.size(); ++i)
        if (kinds.find(alignment_[i]) != kinds.npos && widths[i] > least &&
            (widest == widths.size() || widths[i] > widths[widest]))
          widest = i;
      if (widest == widths.size())
        break;
      --widths[widest];
    }
  return widths;
}

void Table::printCells(const Row &row, const std::vector<size_t> &widths,
                       std::string_view indent, std::string &text) const {
  std::vector<std::vector<std::string>> cells;
  size_t lines = 1;
  for (size_t i = 0; i < widths.size(); ++i) {
    cells.push_back(wrapped(row.cells[i], std::max<size_t>(widths[i], 1)));
    lines = std::max(lines, cells.back().size());
  }
  for (size_t number = 0; number < lines; ++number) {
    std::string line(indent);
    for (size_t i = 0; i < widths.size(); ++i) {
      if (i != 0 && widths[i] != 0)
        line += "  ";
      std::string cell = number < cells[i].size() ? cells[i][number] : "";
      std::string blanks(widths[i] - width(cell), ' ');
      line += alignment_[i] == 'r' ? blanks + cell : cell + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
}

std::string Table::print(std::string_view indent, size_t width) const {
  size_t available = width > indent.size() ? width - indent.size() : 0;
  std::vector<size_t> widths = columnWidths(available);
  std::string text;
  for (const Row &row : rows_) {
    if (!row.cells.empty()) {
      printCells(row, widths, indent, text);
      continue;
    }
    std::string_view deeper = "    ";
    size_t room = available > 2 * deeper.size() ? available - deeper.size()
                                                : std::string::npos;
    for (const std::string &line : wrapped(row.note, room))
      text += std::string(indent) + std::string(deeper) + line + '\n';
  }
  return text;
}

} // namespace qcc::tools
