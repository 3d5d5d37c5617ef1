//===- Warpgroups.cpp - Four warps that multiply together -----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Warpgroups.h"

#include "Machine/Cta.h"

#include <algorithm>

namespace qcc::emu {

Warpgroups::Warpgroups(Cta &cta)
    : cta_(cta), groups_(cta.launch().warpsPerCta / warpsOfGroup) {
  for (Group &group : groups_)
    group.registers = cta.launch().registersAtStart();
}

Warpgroups::Group &Warpgroups::groupOf(const Warp &warp) {
  return groups_[warp.index() / warpsOfGroup];
}
const Warpgroups::Group &Warpgroups::groupOf(const Warp &warp) const {
  return groups_[warp.index() / warpsOfGroup];
}

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

bool Warpgroups::meet(Warp &warp, const Instruction &inst) {
  if (warp.index() / warpsOfGroup >= static_cast<int>(groups_.size())) {
    if (Report *report = warp.report(ReportKind::AsyncMisuse, inst, -1))
      report->message = "four warps execute it together; the CTA has " +
                        std::to_string(cta_.launch().warpsPerCta) +
                        ", and warp " + std::to_string(warp.index()) +
                        " has no whole warpgroup";
    return false;
  }
  Group &group = groupOf(warp);
  group.places[warp.index() % warpsOfGroup] = &inst;
  bool isLast = std::all_of(group.places.begin(), group.places.end(),
                            [&](const Instruction *at) { return at == &inst; });
  if (!isLast) {
    warp.waitInWarpgroup();
    return false;
  }
  return true;
}

/// The warps that have met go on.
void Warpgroups::release(Group &group, const Instruction &inst) {
  size_t first = static_cast<size_t>(&group - groups_.data()) * warpsOfGroup;
  for (size_t i = 0; i < warpsOfGroup; ++i)
    if (group.places[i] == &inst) {
      group.places[i] = nullptr;
      cta_.warps()[first + i]->leaveWarpgroup();
    }
}

std::string Warpgroups::describe(const Warp &warp) const {
  const Group &group = groupOf(warp);
  if (group.wanted > 0)
    return std::to_string(group.wanted) +
           " registers for each thread; the pool of the CTA has " +
           std::to_string(pool_) + " beyond its " +
           std::to_string(group.registers);
  const Instruction *inst = group.places[warp.index() % warpsOfGroup];
  std::string missing;
  int first = warp.index() / warpsOfGroup * warpsOfGroup;
  for (int i = 0; i < warpsOfGroup; ++i)
    if (group.places[i] != inst)
      missing += (missing.empty() ? "" : ", ") + std::to_string(first + i);
  return "warps " + missing + " of its warpgroup";
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// What a product takes from one warp, all four must have alike.
static bool doWarpsAgree(const Warpgroups::Product &product) {
  const Instruction &inst = *product.inst;
  constexpr int firstGroup = 2, lastGroup = 4; // A, B and scale-d.
  for (int group = firstGroup; group <= lastGroup; ++group) {
    const Operand &operand = inst.op(group);
    if (inst.count(group) != 1 || operand.kind != OperandKind::Register)
      continue;
    size_t bytes = operand.type == ScalarType::Pred ? 4 : 8;
    for (const Frame *frame : product.frames)
      if (memcmp(frame->bytes() + operand.slot,
                 product.frames[0]->bytes() + operand.slot, bytes) != 0)
        return false;
  }
  return true;
}

void Warpgroups::issue(Warp &warp, Product product) {
  Group &group = groupOf(warp);
  const Instruction &inst = *product.inst;
  product.number = ++group.issued;
  product.groups = group.committed;
  int first = warp.index() / warpsOfGroup * warpsOfGroup;
  std::array<Warp *, warpsOfGroup> warps;
  for (int i = 0; i < warpsOfGroup; ++i) {
    warps[i] = cta_.warps()[first + i].get();
    product.frames[i] = warps[i]->frameOfWarpgroup();
    warps[i]->takeRegisters(inst, *product.frames[i], product.number);
  }
  if (!doWarpsAgree(product))
    if (Report *report = warp.report(ReportKind::AsyncMisuse, inst, -1))
      report->message = "the warps of a warpgroup have different descriptors, "
                        "or another scale-d";
  product.isRefused = !cta_.memory().beginProduct(warps.data(), product);
  group.products.push_back(product);
  ++underWay_;
  warp.noteOwnChange();
  constexpr uint32_t chances = 4;
  if (cta_.launch().options.seed != 0 && cta_.random().below(chances) == 0)
    executeUpTo(group, group.products.size());
  release(group, inst);
}

void Warpgroups::commit(Warp &warp) {
  if (warp.index() / warpsOfGroup < static_cast<int>(groups_.size()))
    ++groupOf(warp).committed[warp.index() % warpsOfGroup];
}

void Warpgroups::wait(Warp &warp, uint32_t allowed) {
  if (warp.index() / warpsOfGroup >= static_cast<int>(groups_.size()))
    return;
  Group &group = groupOf(warp);
  int own = warp.index() % warpsOfGroup;
  size_t count = 0;
  for (const Product &product : group.products)
    count += product.groups[own] + allowed < group.committed[own];
  executeUpTo(group, count);
  for (size_t i = 0; i < count; ++i) {
    Product &product = group.products[i];
    product.waited |= 1u << own;
    warp.returnRegisters(product.number);
    warp.clock().learn(
        asyncAgent(cta_.number(),
                   static_cast<uint32_t>(warp.index() / warpsOfGroup)),
        product.number);
    if (!product.isReleased && !product.isRefused)
      cta_.memory().endProduct(warp, product);
    product.isReleased = true;
  }
  constexpr uint32_t all = (1u << warpsOfGroup) - 1;
  while (!group.products.empty() && group.products.front().waited == all)
    group.products.pop_front();
}

void Warpgroups::executeUpTo(Group &group, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!group.products[i].isExecuted)
      execute(group, group.products[i]);
}

void Warpgroups::advance() {
  constexpr uint32_t turns = 8;
  if (cta_.launch().options.seed == 0 || cta_.random().below(turns) != 0)
    return;
  for (Group &group : groups_) {
    size_t products = group.products.size();
    executeUpTo(group,
                cta_.random().below(static_cast<uint32_t>(products) + 1));
  }
}

void Warpgroups::endFrame(const Frame *frame) {
  for (Group &group : groups_)
    for (size_t i = group.products.size(); i-- > 0;) {
      const auto &frames = group.products[i].frames;
      if (std::find(frames.begin(), frames.end(), frame) != frames.end()) {
        executeUpTo(group, i + 1);
        break;
      }
    }
}

const Warpgroups::Product *Warpgroups::reading(uint64_t offset,
                                               int size) const {
  for (const Group &group : groups_)
    for (const Product &product : group.products) {
      if (product.isReleased || product.isRefused)
        continue;
      bool reads = false;
      auto look = [&](uint64_t begin, int bytes) {
        reads |= offset < begin + bytes && begin < offset + size;
      };
      forPieces(product, look);
      if (reads)
        return &product;
    }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The bits that change the sign of the floats of a word.
static uint32_t signBits(ScalarType type) {
  switch (bitsOf(type)) {
  case 8:
    return 0x80808080;
  case 16:
    return 0x80008000;
  default:
    return 0x80000000;
  }
}

/// A warp computes 16 rows, as mma does eight columns after the other: a
/// fragment has the words 4 t and 16 + 4 t of a row of 32 bytes, whatever the
/// elements are.
void Warpgroups::execute(Group &, Product &product) {
  product.isExecuted = true;
  --underWay_;
  const Instruction &inst = *product.inst;
  constexpr int rowsOfWarp = 16, columnsOfPart = 8, wordsOfA = 4, wordsOfB = 2;
  const CtaMemory &memory = cta_.memory();
  auto load = [&](const MatrixDescriptor &matrix, int row, int piece,
                  int thread, uint32_t sign) {
    uint32_t word = 0;
    if (product.isRefused)
      return word;
    if (matrix.isTransposed()) {
      constexpr int depthOfPiece = 8;
      for (int i = 0; i < 2; ++i) {
        uint16_t element;
        int k = depthOfPiece * piece + 2 * thread + i;
        memcpy(&element, memory.shared(matrix.placeOfElement(row, k)), 2);
        word |= uint32_t(element) << (16 * i);
      }
    } else {
      memcpy(&word, memory.shared(matrix.place(row, piece)) + 4 * thread, 4);
    }
    return word ^ sign;
  };
  uint32_t signOfA = product.negatesA ? signBits(product.kind.a) : 0;
  uint32_t signOfB = product.negatesB ? signBits(product.kind.b) : 0;
  const int registers = arith::mmaRegisters(product.kind).d;
  static constexpr uint32_t zeros[32] = {};
  uint32_t a[warpsOfGroup][wordsOfA][32];
  for (int warp = 0; warp < warpsOfGroup; ++warp)
    for (int i = 0; i < wordsOfA; ++i)
      for (int lane = 0; lane < 32; ++lane)
        if (product.hasDescriptorOfA)
          a[warp][i][lane] =
              load(product.a, rowsOfWarp * warp + lane / 4 + i % 2 * 8, i / 2,
                   lane % 4, signOfA);
        else
          memcpy(&a[warp][i][lane],
                 product.frames[warp]->bytes() + inst.op(2, i).slot + 4 * lane,
                 4);
  for (int first = 0; first < product.columns; first += columnsOfPart) {
    uint32_t b[wordsOfB][32];
    for (int i = 0; i < wordsOfB; ++i)
      for (int lane = 0; lane < 32; ++lane)
        b[i][lane] = load(product.b, first + lane / 4, i, lane % 4, signOfB);
    for (int warp = 0; warp < warpsOfGroup; ++warp) {
      uint32_t *d[wordsOfA];
      const uint32_t *c[wordsOfA];
      for (int i = 0; i < registers; ++i) {
        const Operand &operand =
            inst.op(0, first / columnsOfPart * registers + i);
        d[i] = reinterpret_cast<uint32_t *>(product.frames[warp]->bytes() +
                                            operand.slot);
        c[i] = product.accumulates ? d[i] : zeros;
      }
      const uint32_t *rowsOfA[] = {a[warp][0], a[warp][1], a[warp][2],
                                   a[warp][3]};
      const uint32_t *columnsOfB[] = {b[0], b[1]};
      arith::mma(product.kind, d, rowsOfA, columnsOfB, c);
    }
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void Warpgroups::setRegisters(Warp &warp, const Instruction &inst,
                              int registers) {
  Group &group = groupOf(warp);
  bool takes = inst.has(Mod::inc);
  if (takes ? registers < group.registers : registers > group.registers) {
    if (Report *report = warp.report(ReportKind::AsyncMisuse, inst, -1))
      report->message =
          std::string(takes ? "setmaxnreg.inc" : "setmaxnreg.dec") + " to " +
          std::to_string(registers) + " registers, while a thread has " +
          std::to_string(group.registers);
    release(group, inst);
    return;
  }
  if (takes) {
    group.wanted = registers;
    // It waits like the other three, if it has to.
    warp.waitInWarpgroup();
  } else {
    pool_ += group.registers - registers;
    group.registers = registers;
    release(group, inst);
  }
  giveRegisters();
}

void Warpgroups::giveRegisters() {
  for (Group &group : groups_) {
    int more = group.wanted - group.registers;
    if (group.wanted == 0 || more > pool_)
      continue;
    pool_ -= more;
    group.registers = group.wanted;
    group.wanted = 0;
    release(group, *group.places[0]);
  }
}

} // namespace qcc::emu
