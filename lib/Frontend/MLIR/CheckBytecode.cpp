//===- CheckBytecode.cpp - Bytecode that MLIR's reader survives -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader of bytecode allocates as many elements as a file claims to have,
// and does not end where an attribute or a type contains itself. Whatever is
// counted takes a byte at least: a count that is larger than the rest of its
// section is refused before the reader sees it. Attributes and types are
// encoded by their dialects, so that only how often they are read is limited.
//
//===----------------------------------------------------------------------===//

#include "ImportSteps.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/Encoding.h"
#include "mlir/IR/AsmState.h"
#include "qcc/Support/InputLimits.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

using namespace mlir;
using namespace qcc;
namespace Section = mlir::bytecode::Section;
namespace OpEncodingMask = mlir::bytecode::OpEncodingMask;

namespace {
/// Goes through the sections that count elements. After the first damage
/// nothing is left to read: every number is 0.
class BytecodeCheck {
public:
  explicit BytecodeCheck(StringRef bytes) : bytes(bytes), rest(bytes) {}

  /// The position of the first damage, if there is any.
  std::optional<size_t> run();

private:
  void fail();
  uint8_t readByte();
  uint64_t readNumber();
  /// Checks that this many elements, of a byte at least, may follow.
  uint64_t limit(uint64_t count);
  uint64_t readCount() { return limit(readNumber()); }
  void skipNumbers(uint64_t count);
  void readString();

  void checkSection();
  void checkContent(unsigned section);
  void checkEntries(uint64_t count);
  void checkBlock(unsigned depth);
  void checkUseLists(uint64_t values);
  void checkOp(unsigned depth);
  void checkRegion(unsigned depth);

  StringRef bytes;
  StringRef rest;
  std::optional<size_t> damage;
  uint64_t version = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

void BytecodeCheck::fail() {
  if (!damage)
    damage = rest.data() - bytes.data();
  rest = {};
}

uint8_t BytecodeCheck::readByte() {
  if (rest.empty()) {
    fail();
    return 0;
  }
  uint8_t byte = rest.front();
  rest = rest.drop_front();
  return byte;
}

/// The zeros at the low end of the first byte say how many bytes follow.
uint64_t BytecodeCheck::readNumber() {
  uint8_t first = readByte();
  unsigned more = llvm::countr_zero(first);
  uint64_t number = first;
  if (first == 0) // All 8 bytes that follow belong to the number.
    number = 0;
  for (unsigned i = 0; i < more; ++i)
    number |= static_cast<uint64_t>(readByte())
              << (8 * (first == 0 ? i : i + 1));
  if (damage)
    return 0;
  return first == 0 ? number : number >> (more + 1);
}

uint64_t BytecodeCheck::limit(uint64_t count) {
  if (count <= rest.size())
    return count;
  fail();
  return 0;
}

void BytecodeCheck::skipNumbers(uint64_t count) {
  for (uint64_t i = 0; i < count && !damage; ++i)
    readNumber();
}

void BytecodeCheck::readString() {
  while (readByte() != 0) {
  }
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

std::optional<size_t> BytecodeCheck::run() {
  for (unsigned i = 0; i < 4; ++i) // "ML\xefR"
    readByte();
  version = readNumber();
  if (version > bytecode::kVersion)
    return std::nullopt; // Which the reader reports.
  readString();
  while (!rest.empty())
    checkSection();
  return damage;
}

void BytecodeCheck::checkSection() {
  uint8_t id = readByte();
  uint64_t length = readNumber();
  if (id & 0x80) { // Aligned.
    uint64_t alignment = readNumber();
    if (!llvm::isPowerOf2_64(alignment))
      return fail();
    while (!rest.empty() &&
           reinterpret_cast<uintptr_t>(rest.data()) % alignment != 0)
      readByte();
  }
  limit(length);
  if (damage)
    return;
  StringRef after = rest.drop_front(length);
  rest = rest.take_front(length);
  if (!rest.empty())
    checkContent(id & 0x7f);
  rest = damage ? StringRef() : after;
}

void BytecodeCheck::checkContent(unsigned section) {
  switch (section) {
  case Section::kString:
  case Section::kDialect:
  case Section::kProperties:
    readCount();
    return;
  case Section::kAttrTypeOffset: {
    uint64_t attributes = readCount(), types = readCount();
    checkEntries(attributes);
    checkEntries(types);
    return;
  }
  case Section::kIR:
    checkBlock(/*depth=*/0);
    return;
  default:
    return;
  }
}

/// Groups of entries by dialect, which have to be as many as were announced.
void BytecodeCheck::checkEntries(uint64_t count) {
  while (count != 0 && !damage) {
    readNumber(); // The dialect.
    uint64_t group = readCount();
    if (group > count)
      return fail();
    skipNumbers(group);
    count -= group;
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void BytecodeCheck::checkUseLists(uint64_t values) {
  uint64_t lists = values > 1 ? readCount() : 1;
  for (uint64_t i = 0; i < lists && !damage; ++i) {
    if (values > 1)
      readNumber();
    skipNumbers(limit(readNumber() >> 1));
  }
}

void BytecodeCheck::checkBlock(unsigned depth) {
  uint64_t header = readNumber();
  uint64_t operations = limit(header >> 1);
  if (header & 1) {
    uint64_t arguments = readCount();
    for (uint64_t i = 0; i < arguments && !damage; ++i) {
      uint64_t type = readNumber();
      if (version < bytecode::kElideUnknownBlockArgLocation || (type & 1))
        readNumber(); // The location.
    }
    if (version >= bytecode::kUseListOrdering && readByte() != 0)
      checkUseLists(arguments);
  }
  for (uint64_t i = 0; i < operations && !damage; ++i)
    checkOp(depth);
}

void BytecodeCheck::checkOp(unsigned depth) {
  readNumber(); // The name.
  uint8_t mask = readByte();
  readNumber(); // The location.
  if (mask & OpEncodingMask::kHasAttrs)
    readNumber();
  if (mask & OpEncodingMask::kHasProperties)
    readNumber();
  uint64_t results = mask & OpEncodingMask::kHasResults ? readCount() : 0;
  skipNumbers(results);
  if (mask & OpEncodingMask::kHasOperands)
    skipNumbers(readCount());
  if (mask & OpEncodingMask::kHasSuccessors)
    skipNumbers(readCount());
  if (version >= bytecode::kUseListOrdering &&
      (mask & OpEncodingMask::kHasUseListOrders))
    checkUseLists(results);
  if (!(mask & OpEncodingMask::kHasInlineRegions))
    return;
  uint64_t header = readNumber();
  uint64_t regions = limit(header >> 1);
  if (regions == 0)
    return;
  if (depth > 2 * limits::kNesting) // Fewer are reported by verifyDepth.
    return fail();
  StringRef after = rest;
  bool isSection = (header & 1) && version >= bytecode::kLazyLoading;
  if (isSection) {
    readByte();
    uint64_t length = limit(readNumber());
    after = rest.drop_front(length);
    rest = rest.take_front(length);
  }
  for (uint64_t i = 0; i < regions && !damage; ++i)
    checkRegion(depth + 1);
  if (isSection && !damage)
    rest = after;
}

void BytecodeCheck::checkRegion(unsigned depth) {
  uint64_t blocks = readCount();
  if (blocks == 0)
    return;
  if (readNumber() > bytes.size()) // The values of all blocks.
    return fail();
  for (uint64_t i = 0; i < blocks && !damage; ++i)
    checkBlock(depth);
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

LogicalResult qcc::checkBytecode(const llvm::MemoryBuffer &buffer,
                                 MLIRContext *context) {
  std::optional<size_t> damage = BytecodeCheck(buffer.getBuffer()).run();
  if (!damage)
    return success();
  return emitError(
             FileLineColLoc::get(context, buffer.getBufferIdentifier(), 0, 0))
         << "the bytecode is damaged at byte " << *damage
         << "; write the file again";
}

void qcc::limitReads(ParserConfig &config) {
  auto reads = std::make_shared<unsigned>(0);
  auto count = [reads](DialectBytecodeReader &reader) -> LogicalResult {
    if (*reads == limits::kBytecodeReads)
      return failure();
    if (++*reads < limits::kBytecodeReads)
      return success(); // Having read nothing, which leaves it to the dialect.
    reader.emitError()
        << "the bytecode is damaged: attributes or types contain "
           "themselves; write the file again";
    return failure();
  };
  BytecodeReaderConfig &callbacks = config.getBytecodeReaderConfig();
  callbacks.attachAttributeCallback(
      [count](DialectBytecodeReader &reader, StringRef, Attribute &) {
        return count(reader);
      });
  callbacks.attachTypeCallback([count](DialectBytecodeReader &reader, StringRef,
                                       Type &) { return count(reader); });
}
