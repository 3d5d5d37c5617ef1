//===- Structured.cpp - Ops of linalg by their letters --------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Structured.h.
//
//===----------------------------------------------------------------------===//

#include "Structured.h"
#include <algorithm>
#include <cctype>

namespace qcc::fuzz {

static char windowLoop(char letter) {
  return static_cast<char>(toupper(static_cast<unsigned char>(letter)));
}

Dims Structured::operandDims(size_t operand) const {
  Dims dims;
  for (char letter : operands[operand]) {
    auto window = windows.find(letter);
    if (window == windows.end())
      dims.push_back(sizes.at(letter));
    else
      dims.push_back(operand == 0 ? window->second.input
                                  : window->second.kernel);
  }
  return dims;
}

Dims Structured::resultDims() const {
  Dims dims;
  for (char letter : result)
    dims.push_back(sizes.at(letter));
  return dims;
}

std::string loopsOf(const Structured &op) {
  std::string loops = op.result;
  for (const std::string &letters : op.operands)
    for (char letter : letters) {
      char loop = op.windows.count(letter) ? windowLoop(letter) : letter;
      if (loops.find(loop) == std::string::npos)
        loops += loop;
    }
  return loops;
}

int64_t Structured::steps(const Builder &builder) const {
  Dims dims;
  for (const auto &[letter, size] : sizes)
    dims.push_back(size);
  for (const auto &[letter, window] : windows)
    dims.push_back(window.kernel);
  return builder.elements(dims);
}

/// "d0, d1 * 2 + d4 * 3, d6"
static std::string mapOf(const Structured &op, const std::string &letters,
                         bool isInput, bool isWindow,
                         const std::string &loops) {
  auto loop = [&](char letter) {
    return "d" + std::to_string(loops.find(letter));
  };
  auto times = [](const std::string &index, int64_t factor) {
    return factor == 1 ? index : index + " * " + std::to_string(factor);
  };
  std::string text;
  for (char letter : letters) {
    std::string index = loop(letter);
    auto window = op.windows.find(letter);
    if (window != op.windows.end() && isInput)
      index = times(index, window->second.stride) + " + " +
              times(loop(windowLoop(letter)), window->second.dilation);
    else if (window != op.windows.end() && isWindow)
      index = loop(windowLoop(letter));
    text += (text.empty() ? "" : ", ") + index;
  }
  return text;
}

ValueId addStructured(Builder &b, const Structured &op,
                      const std::vector<ValueId> &operands, ValueId init,
                      Body body, bool byName) {
  std::string loops = loopsOf(op);
  if (!byName && b.random.chance(25)) {
    std::vector<char> letters(loops.begin(), loops.end());
    b.random.shuffle(letters);
    loops.assign(letters.begin(), letters.end());
  }
  std::vector<std::string> maps, iterators;
  for (size_t i = 0; i < op.operands.size(); ++i)
    maps.push_back(mapOf(op, op.operands[i], i == 0, i == 1, loops));
  maps.push_back(mapOf(op, op.result, false, false, loops));
  for (char loop : loops)
    iterators.push_back(op.result.find(loop) == std::string::npos ? "reduction"
                                                                  : "parallel");
  Type type = b.typeOf(init);
  if (!byName)
    return b.generic(operands, init, type, maps, iterators, std::move(body));
  OpText text;
  std::string names, types;
  for (ValueId operand : operands) {
    std::string name = text.use(operand);
    names += (names.empty() ? "" : ", ") + name;
    types += (types.empty() ? "$t" : ", $t") + name.substr(1);
  }
  text.text = "linalg." + op.name + op.attributes + " ins(" + names + " : " +
              types + ")";
  text.text += " outs(" + text.typed(init) + ") -> $r0";
  ValueId value = b.op("linalg." + op.name, std::move(text), type);
  Node &node = b.graph.nodes.back();
  node.maps = std::move(maps);
  node.iterators = std::move(iterators);
  node.body = std::move(body);
  return value;
}

Body contractionBody(const std::vector<Element> &operands, Element result,
                     bool isUnsignedLeft, bool isUnsignedRight) {
  Body body;
  body.arguments = operands;
  body.arguments.push_back(result);
  int accumulator = static_cast<int>(operands.size());
  auto factor = [&](int operand, bool isUnsigned) {
    int value = operand;
    if (operands[operand] != result)
      value = addToBody(body,
                        isFloat(result) ? "arith.extf"
                        : isUnsigned    ? "arith.extui"
                                        : "arith.extsi",
                        {value}, result);
    if (operands.size() == 4)
      value = addToBody(body, "arith.subi", {value, operand + 2}, result);
    return value;
  };
  int left = factor(0, isUnsignedLeft), right = factor(1, isUnsignedRight);
  int product = addToBody(body, isFloat(result) ? "arith.mulf" : "arith.muli",
                          {left, right}, result);
  body.yields = {addToBody(body, isFloat(result) ? "arith.addf" : "arith.addi",
                           {accumulator, product}, result)};
  return body;
}

} // namespace qcc::fuzz
