//===- Json.h - Reading and writing JSON ------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For headers of safetensors files and for reports: strict, bounded in depth,
// without LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_SUPPORT_JSON_H
#define QCC_SUPPORT_JSON_H

#include "qcc/Base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qcc {

struct Json {
  enum Kind { Null, Bool, Integer, Number, String, Array, Object };

  Kind kind = Null;
  bool boolean = false;
  int64_t integer = 0; ///< Integer: a number without fraction that fits.
  double number = 0;   ///< Number, and Integer as well.
  std::string string;
  std::vector<Json> array;
  /// The members of an object, in the order of the text; names are unique.
  std::vector<std::pair<std::string, Json>> object;

  /// The member of a name; null if this is no object or has no such member.
  const Json *find(std::string_view name) const;

  static rt::Result<Json> parse(std::string_view text);

  static Json of(bool value);
  static Json of(int64_t value);
  /// JSON has no numbers that are not finite: they become null.
  static Json of(double value);
  static Json of(std::string_view text);
  static Json of(const char *text) { return of(std::string_view(text)); }
  static Json list();
  static Json dictionary();

  /// Adds to an array, or to an object that has no such member yet.
  Json &add(Json value);
  Json &add(std::string name, Json value);

  /// With an end of line. Members and elements stand on lines of their own,
  /// but arrays of plain values on one. Bytes that are no UTF-8 become U+FFFD.
  std::string print() const;
};

} // namespace qcc

#endif // QCC_SUPPORT_JSON_H
