//===- Lexer.h - Words of PTX text ------------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_PTX_LEXER_H
#define QCC_LIB_EMULATOR_PTX_LEXER_H

#include "qcc/Base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::emu {

struct Token {
  enum Kind : uint8_t {
    End,
    Name,    ///< "add", "%r1", "$L__BB0_1", "_"
    Dotted,  ///< ".u32", ".L2::128B"; text() has no dot.
    Integer, ///< Any base; value.
    Single,  ///< 0f3F800000; value has the bits.
    Double,  ///< 0d..., 1.5; value has the bits of a double.
    String,  ///< text() has no quotes.
    Mark     ///< One character; "<<" and ">>" are two.
  };

  Kind kind = End;
  char mark = 0;
  uint32_t line = 1, column = 1;
  uint32_t begin = 0, end = 0; ///< Offsets in the text.
  std::string_view text;
  uint64_t value = 0;

  bool is(char c) const { return kind == Mark && mark == c; }
  bool isDotted(std::string_view word) const {
    return kind == Dotted && text == word;
  }
  bool isName(std::string_view word) const {
    return kind == Name && text == word;
  }
};

/// "name:line:column: message", and the line of the text in question.
rt::Status errorAt(std::string_view name, std::string_view text,
                   const Token &token, const std::string &message);

/// All words; the last one is End. Comments and blanks are left out.
rt::Result<std::vector<Token>> tokenize(std::string_view name,
                                        std::string_view text);

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_PTX_LEXER_H
