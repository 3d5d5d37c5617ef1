//===- InstructionTable.cpp - The instructions that there are -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionTable.h"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace qcc::emu {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static constexpr std::string_view spellings[] = {
    "",
#define MODIFIER(NAME, SPELLING) SPELLING,
#include "Modifiers.def"
};

int columnsNamed(std::string_view spelling) {
  constexpr std::string_view begin = "m64n";
  if (spelling.substr(0, begin.size()) != begin)
    return 0;
  int columns = 0;
  const char *end = spelling.data() + spelling.size();
  auto [rest, error] =
      std::from_chars(spelling.data() + begin.size(), end, columns);
  return error == std::errc() && rest != end && *rest == 'k' ? columns : 0;
}

Mod modifierNamed(std::string_view spelling) {
  if (columnsNamed(spelling) > 0) {
    std::string_view k = spelling.substr(spelling.rfind('k'));
    return k == "k8"    ? Mod::m64nNk8
           : k == "k16" ? Mod::m64nNk16
           : k == "k32" ? Mod::m64nNk32
                        : Mod::None;
  }
  static const auto *words = [] {
    auto *map = new std::unordered_map<std::string_view, Mod>();
    for (size_t i = 1; i < std::size(spellings); ++i)
      map->emplace(spellings[i], Mod(i));
    return map;
  }();
  auto it = words->find(spelling);
  return it == words->end() ? Mod::None : it->second;
}

std::string_view spelling(Mod mod) {
  return spellings[static_cast<size_t>(mod)];
}

// Types open the list of words, in the order of ScalarType.
static_assert(int(Mod::pred) == int(ScalarType::Pred));
static_assert(int(Mod::s4) == int(ScalarType::S4));

ScalarType typeOf(Mod mod) {
  return mod <= Mod::s4 ? static_cast<ScalarType>(mod) : ScalarType::None;
}

//===----------------------------------------------------------------------===//
// Since when there is what, as ptxas 13.0 says it
//===----------------------------------------------------------------------===//

static Since sinceOfWord(Mod mod) {
  switch (mod) {
  case Mod::bf16:
  case Mod::bf16x2:
  case Mod::tf32:
  case Mod::relu:
  case Mod::NaN:
    return {80, 70};
  case Mod::xorsign:
    return {86, 72};
  case Mod::e4m3x2:
  case Mod::e5m2x2:
    return {89, 81};
  case Mod::e4m3:
  case Mod::e5m2:
    return {89, 84};
  case Mod::u16x2:
  case Mod::s16x2:
    return {90, 80};
  case Mod::cluster:
    return {90, 78};
  case Mod::shared_cta:
    return {0, 78};
  case Mod::shared_cluster:
    return {90, 78};
  case Mod::param_entry:
  case Mod::param_func:
    return {0, 83};
  case Mod::v8:
    return {100, 88};
  case Mod::L1_evict_normal:
  case Mod::L1_evict_unchanged:
  case Mod::L1_evict_first:
  case Mod::L1_evict_last:
  case Mod::L1_no_allocate:
    return {0, 74};
  case Mod::L2_64B:
  case Mod::L2_128B:
    return {75, 74};
  case Mod::L2_256B:
  case Mod::L2_cache_hint:
  case Mod::L2_evict_first:
  case Mod::L2_evict_last:
  case Mod::L2_evict_normal:
    return {80, 74};
  default:
    return {};
  }
}

static Since sinceOfMBarrier(const Instruction &inst) {
  Since since;
  bool isCount = inst.has(Mod::expect_tx) || inst.has(Mod::complete_tx);
  bool arrives = inst.has(Mod::arrive) || inst.has(Mod::arrive_drop);
  if (inst.has(Mod::relaxed))
    since.join({90, isCount && !arrives ? 80 : 86});
  if (inst.has(Mod::acquire) || inst.has(Mod::release) ||
      inst.has(Mod::shared_cluster))
    since.join({80, 80});
  if (arrives && !inst.hasOperand(0))
    since.join({80, 71}); // The sink.
  return since;
}

/// Of words that mean something else elsewhere.
static Since sinceOfCombination(const Instruction &inst) {
  std::string_view mnemonic = inst.row->mnemonic;
  if ((mnemonic == "bar" || mnemonic == "barrier") && inst.has(Mod::cta))
    return {0, 78};
  if ((mnemonic == "cvta" || mnemonic == "isspacep") && inst.has(Mod::param))
    return {0, 77};
  if (mnemonic == "cp" && inst.has(Mod::complete_tx_bytes) &&
      inst.has(Mod::shared_cta))
    return {90, 86};
  if (mnemonic == "wgmma" && inst.types[1] != inst.types[2] &&
      inst.types[0] == ScalarType::S32)
    return {90, 84}; // Mixed signs.
  if (mnemonic == "mbarrier")
    return sinceOfMBarrier(inst);
  bool hasOrder = inst.has(Mod::acquire) || inst.has(Mod::release) ||
                  inst.has(Mod::relaxed);
  if (mnemonic == "barrier" && inst.has(Mod::cluster) && hasOrder)
    return {90, 80};
  ScalarType to = inst.types[0], from = inst.types[1];
  if (mnemonic != "cvt" || (to != ScalarType::BF16 && from != ScalarType::BF16))
    return {};
  if (from == ScalarType::F32)
    return {80, 70};
  return to == ScalarType::F32 ? Since{80, 71} : Since{90, 78};
}

Since sinceOf(const Instruction &inst) {
  Since since = inst.row->since;
  for (Mod mod : inst.modifiers)
    since.join(sinceOfWord(mod));
  since.join(sinceOfCombination(inst));
  return since;
}

int versionOfTarget(int sm) {
  struct Row {
    int sm, ptx;
  };
  static constexpr Row rows[] = {{70, 60},  {72, 61},  {75, 63},  {80, 70},
                                 {86, 71},  {87, 74},  {89, 78},  {90, 78},
                                 {100, 86}, {101, 86}, {103, 88}, {110, 90},
                                 {120, 87}, {121, 88}};
  for (const Row &row : rows)
    if (row.sm == sm)
      return row.ptx;
  return 0;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// What @name stands for.
static std::string_view wordSet(std::string_view name) {
  struct Set {
    std::string_view name, words;
  };
  static constexpr Set sets[] = {
      {"b", "b16|b32|b64"},
      {"u", "u16|u32|u64"},
      {"s", "s16|s32|s64"},
      {"int", "u16|u32|u64|s16|s32|s64"},
      {"int32", "u32|s32"},
      {"half", "f16|f16x2|bf16|bf16x2"},
      {"memory", "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64|"
                 "f16|bf16"},
      {"round", "rn|rz|rm|rp"},
      {"compare", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|"
                  "nan"},
      {"bool", "and|or|xor"},
      {"scope", "cta|cluster|gpu|sys"},
      {"shared", "shared|shared::cta"},
      {"L1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|"
             "L1::evict_last|L1::no_allocate"},
      {"L2", "L2::evict_first|L2::evict_last|L2::evict_normal"},
      {"prefetch", "L2::64B|L2::128B|L2::256B"},
      {"policy", "L2::evict_first|L2::evict_last|L2::evict_normal|"
                 "L2::evict_unchanged"},
  };
  for (const Set &set : sets)
    if (set.name == name)
      return set.words;
  assert(false && "a row names a set of words that there is not");
  return "";
}

/// Calls take(piece) for the pieces of `text` between `separator`s.
template <typename Take>
static void split(std::string_view text, char separator, Take take) {
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    if (end > 0)
      take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

static bool consume(std::string_view &text, char c) {
  if (text.empty() || text.front() != c)
    return false;
  text.remove_prefix(1);
  return true;
}

static ModifierSlot modifierSlot(std::string_view text) {
  ModifierSlot slot;
  slot.optional = consume(text, '?');
  split(text, '|', [&](std::string_view piece) {
    auto add = [&](std::string_view word) {
      Mod mod = modifierNamed(word);
      assert(mod != Mod::None && "a row uses a word that Modifiers.def lacks");
      slot.words.push_back(mod);
    };
    if (piece.front() == '@')
      split(wordSet(piece.substr(1)), '|', add);
    else
      add(piece);
  });
  return slot;
}

static OperandSlot operandSlot(std::string_view text) {
  OperandSlot slot;
  slot.optional = consume(text, '?');
  slot.isUpdated = consume(text, '+');
  slot.destination = consume(text, '=') || slot.isUpdated;
  slot.maySink = slot.destination && consume(text, '_');
  if (slot.isUpdated)
    text.remove_prefix(1);
  slot.orDescriptor = text.back() == '^';
  if (slot.orDescriptor)
    text.remove_suffix(1);
  slot.vector = consume(text, 'v');
  if (text.size() > 2 && text[1] == '*') {
    slot.count = text[0] - '0';
    text.remove_prefix(2);
  }
  if (consume(text, '!'))
    slot.kind = OperandSlot::Predicate;
  if (text.back() == '|') {
    slot.withPredicate = true;
    text.remove_suffix(1);
  }
  if (text.back() == '+') {
    slot.mayBeWider = true;
    text.remove_suffix(1);
  }
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '3')
    slot.typeIndex = text[0] - '0';
  else if (text == "#")
    slot.kind = OperandSlot::Number;
  else if (text == "mov") {
    slot.kind = OperandSlot::Mov;
    slot.typeIndex = 0;
  } else if (text == "label")
    slot.kind = OperandSlot::Label;
  else if (text == "labels")
    slot.kind = OperandSlot::Labels;
  else if (text == "call")
    slot.kind = OperandSlot::Call;
  else if (text.front() == '[') {
    slot.kind = OperandSlot::Address;
    if (text == "[tensor]")
      slot.kind = OperandSlot::Tensor;
    else if (text == "[shared]")
      slot.space = StateSpace::Shared;
    else if (text == "[global]")
      slot.space = StateSpace::Global;
  } else {
    slot.type = typeOf(modifierNamed(text));
    assert(slot.type != ScalarType::None && "a row has an unknown operand");
  }
  return slot;
}

bool ModifierSlot::allows(Mod word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

InstructionTable::InstructionTable(const std::vector<RowList> &lists,
                                   Execute watch)
    : watch_(watch) {
  for (const RowList &list : lists)
    for (size_t i = 0; i < list.size; ++i) {
      const InstructionRow &row = list.rows[i];
      InstructionPattern pattern = {&row, {}, {}};
      split(row.modifiers, ' ', [&](std::string_view piece) {
        pattern.modifiers.push_back(modifierSlot(piece));
      });
      split(row.operands, ' ', [&](std::string_view piece) {
        pattern.operands.push_back(operandSlot(piece));
      });
      assert(pattern.modifiers.size() <= size_t(maxModifiers));
      for (const OperandSlot &slot : pattern.operands) {
        pattern.minOperands += !slot.optional;
        ++pattern.maxOperands;
        pattern.isCall |= slot.kind == OperandSlot::Call;
      }
      rows_[row.mnemonic].push_back(std::move(pattern));
    }
}

const std::vector<InstructionPattern> *
InstructionTable::find(std::string_view mnemonic) const {
  auto it = rows_.find(mnemonic);
  return it == rows_.end() ? nullptr : &it->second;
}

std::string_view InstructionTable::whyUnsupported(std::string_view mnemonic) {
  struct Reason {
    std::string_view mnemonic, reason;
  };
  static constexpr std::string_view hopper =
      "is not emulated, unlike most instructions of sm_90";
  static constexpr std::string_view texture =
      "needs textures or surfaces, which the emulator does not have";
  static constexpr Reason reasons[] = {
      {"tensormap", hopper},
      {"multimem", hopper},
      {"clusterlaunchcontrol", hopper},
      {"st.async", hopper},
      {"red.async", hopper},
      {"cp.reduce", hopper},
      {"fence.proxy.tensormap::generic", hopper},
      {"fence.proxy.async::generic", hopper},
      {"tcgen05", "needs the tensor cores of sm_100, which the emulator does "
                  "not have"},
      {"wmma", "is not emulated; use mma.sync and ldmatrix"},
      {"tex", texture},
      {"tld4", texture},
      {"txq", texture},
      {"suld", texture},
      {"sust", texture},
      {"sured", texture},
      {"suq", texture},
      {"alloca", "is not emulated: memory of dynamic size on the stack"},
      {"stacksave", "is not emulated: memory of dynamic size on the stack"},
      {"stackrestore", "is not emulated: memory of dynamic size on the stack"},
  };
  for (const Reason &reason : reasons)
    if (reason.mnemonic == mnemonic)
      return reason.reason;
  return "";
}

} // namespace qcc::emu
