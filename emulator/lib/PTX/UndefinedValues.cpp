//===- UndefinedValues.cpp - Where registers may be undefined -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward analysis over the blocks: a register is written at a point if every
// path to the point writes it without a guard. What is read without being
// written is unset; what is computed from it, in whatever order, may be
// undefined as well. So may what is computed from shuffles, from loads of
// memory that only a kernel writes, and from carries.
//
//===----------------------------------------------------------------------===//

#include "PTX/UndefinedValues.h"

#include "PTX/BlockGraph.h"
#include "PTX/InstructionTable.h"

#include <algorithm>

namespace qcc::emu {
namespace {

class Analysis {
public:
  explicit Analysis(Function &function)
      : function_(function), graph_(function), places_(numPlaces(function)),
        words_((places_ + 63) / 64), isUnset_(places_), isTracked_(places_) {}

  void run() {
    findUnset();
    for (size_t place = 0; place < places_; ++place)
      isTracked_[place] = isUnset_[place];
    for (const Instruction &inst : function_.code)
      if (mayMakeUndefined(inst))
        forRegisterOperands(inst, [&](const Operand &operand) {
          if (operand.isWritten)
            isTracked_[placeOf(operand.slot)] = true;
        });
    spread();
    for (Instruction &inst : function_.code)
      if (touchesTracked(inst))
        inst.valueUse = useOf(inst);
  }

private:
  using Bits = std::vector<uint64_t>;

  /// Whether results may be undefined though all operands are defined: what a
  /// shuffle makes up, what memory that nothing has written gives, and what
  /// comes of a carry that nothing has set.
  static bool mayMakeUndefined(const Instruction &inst) {
    std::string_view mnemonic = inst.row->mnemonic;
    bool mayBeUnwritten = inst.space == StateSpace::Shared ||
                          inst.space == StateSpace::Local ||
                          inst.space == StateSpace::Generic;
    return mnemonic == "shfl" || mnemonic == "ldmatrix" ||
           (mnemonic == "ld" && mayBeUnwritten) || mnemonic == "addc" ||
           mnemonic == "subc" || mnemonic == "madc";
  }

  //===------------------------------------------------------------------===//
  // Registers that nothing has written
  //===------------------------------------------------------------------===//

  static void add(Bits &bits, uint32_t place) {
    bits[place / 64] |= uint64_t(1) << (place % 64);
  }
  static bool has(const Bits &bits, uint32_t place) {
    return bits[place / 64] >> (place % 64) & 1;
  }

  /// What is written behind an instruction, of what is before it.
  static void step(const Instruction &inst, Bits &written) {
    if (!inst.hasGuard)
      forRegisterOperands(inst, [&](const Operand &operand) {
        if (operand.isWritten)
          add(written, placeOf(operand.slot));
      });
  }

  void findUnset() {
    // A text made to need more has all of its registers followed.
    constexpr size_t maxWords = size_t(1) << 24;
    if (words_ * graph_.numBlocks() > maxWords) {
      isUnset_.assign(places_, true);
      for (auto [slot, name] : function_.registerNames)
        function_.unset.push_back({placeOf(slot), name, 0});
      return;
    }
    // Everything is written where no path leads.
    std::vector<Bits> before(graph_.numBlocks() + 1,
                             Bits(words_, ~uint64_t(0)));
    Bits atEntry(words_);
    add(atEntry, placeOf(function_.localBaseSlot));
    for (const SpecialUse &special : function_.specials)
      add(atEntry, placeOf(special.slot));
    before[0] = atEntry;
    std::vector<int> work = {0};
    std::vector<bool> isReached(graph_.numBlocks() + 1);
    while (!work.empty()) {
      int block = work.back();
      work.pop_back();
      isReached[block] = true;
      if (block == graph_.numBlocks())
        continue;
      Bits written = before[block];
      for (uint32_t pc = graph_.begin(block); pc < graph_.end(block); ++pc)
        step(function_.code[pc], written);
      for (int successor : graph_.successors()[block]) {
        bool changes = !isReached[successor];
        for (size_t i = 0; i < words_; ++i) {
          uint64_t both = before[successor][i] & written[i];
          changes |= both != before[successor][i];
          before[successor][i] = both;
        }
        if (changes)
          work.push_back(successor);
      }
    }
    for (int block = 0; block < graph_.numBlocks(); ++block) {
      if (!isReached[block])
        continue;
      Bits written = before[block];
      for (uint32_t pc = graph_.begin(block); pc < graph_.end(block); ++pc) {
        const Instruction &inst = function_.code[pc];
        if (inst.hasGuard && !has(written, placeOf(inst.guardSlot)))
          noteUnset(inst.guardSlot, pc);
        forRegisterOperands(inst, [&](const Operand &operand) {
          if (!operand.isWritten && !has(written, placeOf(operand.slot)))
            noteUnset(operand.slot, pc);
        });
        step(inst, written);
      }
    }
  }

  void noteUnset(uint32_t slot, uint32_t pc) {
    if (isUnset_[placeOf(slot)])
      return;
    isUnset_[placeOf(slot)] = true;
    const auto &names = function_.registerNames;
    auto it = std::lower_bound(
        names.begin(), names.end(), slot,
        [](const auto &entry, uint32_t slot) { return entry.first < slot; });
    bool isNamed = it != names.end() && it->first == slot;
    function_.unset.push_back(
        {placeOf(slot), isNamed ? it->second : std::string_view(), pc});
  }

  //===------------------------------------------------------------------===//
  // What may depend on them
  //===------------------------------------------------------------------===//

  bool readsTracked(const Instruction &inst) const {
    bool reads = inst.hasGuard && isTracked_[placeOf(inst.guardSlot)];
    forRegisterOperands(inst, [&](const Operand &operand) {
      reads |= !operand.isWritten && isTracked_[placeOf(operand.slot)];
    });
    return reads;
  }

  bool touchesTracked(const Instruction &inst) const {
    bool touches = readsTracked(inst);
    forRegisterOperands(inst, [&](const Operand &operand) {
      touches |= isTracked_[placeOf(operand.slot)];
    });
    return touches;
  }

  void spread() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction &inst : function_.code) {
        ValueUse use = useOf(inst);
        if (use == ValueUse::Observes || use == ValueUse::Stores ||
            !readsTracked(inst))
          continue;
        forRegisterOperands(inst, [&](const Operand &operand) {
          if (!operand.isWritten || isTracked_[placeOf(operand.slot)])
            return;
          isTracked_[placeOf(operand.slot)] = true;
          changed = true;
        });
      }
    }
  }

  static ValueUse useOf(const Instruction &inst) {
    std::string_view mnemonic = inst.row->mnemonic;
    if (mnemonic == "shfl")
      return ValueUse::Shuffles;
    if (mnemonic == "selp")
      return ValueUse::Chooses;
    if (mnemonic == "prmt" || mnemonic == "bfi" ||
        (mnemonic == "mov" && inst.count(1) > 1) ||
        (mnemonic == "cvt" && inst.numGroups > 2))
      return ValueUse::Assembles;
    if ((mnemonic == "and" || mnemonic == "or") &&
        inst.types[0] == ScalarType::Pred)
      return ValueUse::Decides;
    if (mnemonic == "st")
      return ValueUse::Stores;
    if (inst.has(Mod::mma_async))
      return ValueUse::Updates;
    if (mnemonic == "mma")
      return ValueUse::Multiplies;
    switch (inst.cost) {
    case CostClass::Matrix:
    case CostClass::Shared:
    case CostClass::Global:
    case CostClass::Local:
    case CostClass::Constant:
    case CostClass::AsyncCopy:
    case CostClass::Atomic:
    case CostClass::Shuffle:
    case CostClass::Barrier:
    case CostClass::Fence:
    case CostClass::Branch:
      return ValueUse::Observes;
    default:
      return ValueUse::Computes;
    }
  }

  Function &function_;
  BlockGraph graph_;
  size_t places_, words_;
  std::vector<bool> isUnset_, isTracked_;
};

} // namespace

void findUndefinedValues(Function &function) {
  if (!function.code.empty())
    Analysis(function).run();
}

} // namespace qcc::emu
