//===- CountersText.cpp - Counters for people and programs ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Emulator/Counters.h"

#include "qcc/Support/Json.h"

#include <cstdarg>
#include <cstdio>

namespace qcc::emu {

const char *costClassName(CostClass cost) {
  switch (cost) {
  case CostClass::Free:
    return "free";
  case CostClass::Integer:
    return "integer";
  case CostClass::Wide:
    return "wide";
  case CostClass::Multiply:
    return "multiply";
  case CostClass::Float:
    return "float";
  case CostClass::FloatPair:
    return "float_pair";
  case CostClass::Double:
    return "double";
  case CostClass::Convert:
    return "convert";
  case CostClass::Special:
    return "special";
  case CostClass::Divide:
    return "divide";
  case CostClass::Move:
    return "move";
  case CostClass::Matrix:
    return "matrix";
  case CostClass::Shared:
    return "shared";
  case CostClass::Global:
    return "global";
  case CostClass::Local:
    return "local";
  case CostClass::Constant:
    return "constant";
  case CostClass::AsyncCopy:
    return "async-copy";
  case CostClass::Atomic:
    return "atomic";
  case CostClass::Shuffle:
    return "shuffle";
  case CostClass::Barrier:
    return "barrier";
  case CostClass::Fence:
    return "fence";
  case CostClass::Branch:
    return "branch";
  }
  return "unknown";
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

__attribute__((format(printf, 2, 3))) static void
append(std::string &text, const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  text += line;
}

static long long number(int64_t value) { return value; }

static void appendGlobal(std::string &text, const char *name,
                         const GlobalCounters &counters) {
  if (counters.requests == 0)
    return;
  append(text,
         "  %-14s %lld requests, %.2f sectors each, %.1f %% of their bytes "
         "used\n",
         name, number(counters.requests), counters.sectorsPerRequest(),
         100 * counters.usefulShare());
}

static void appendInstructions(std::string &text, const Counters &counters) {
  append(text, "\n%7s %12s %6s %5s %7s %7s %6s  %s\n", "line", "executions",
         "lanes", "loop", "degree", "sectors", "used", "instruction");
  for (const InstructionCounters &row : counters.instructions) {
    if (row.executions == 0)
      continue;
    append(text, "%7d %12lld %6.1f ", row.line, number(row.executions),
           double(row.lanes) / double(row.executions));
    if (row.loop >= 0)
      append(text, "%5d ", row.loop);
    else
      append(text, "%5s ", "");
    if (row.shared.requests)
      append(text, "%7d ", row.shared.maxDegree);
    else
      append(text, "%7s ", "");
    if (row.global.requests)
      append(text, "%7.2f %5.1f%%  ", row.global.sectorsPerRequest(),
             100 * row.global.usefulShare());
    else
      append(text, "%7s %6s  ", "", "");
    text += row.text + "\n";
  }
}

std::string formatCounters(const Counters &counters) {
  std::string text = counters.kernel + "\n";
  append(text, "  %-14s %lld of %d threads (%d warps)\n", "CTAs",
         number(counters.ctas), counters.threadsPerCta, counters.warpsPerCta);
  append(text, "  %-14s %lld bytes static, %lld dynamic\n", "shared memory",
         number(counters.staticShared), number(counters.dynamicShared));
  append(text, "  %-14s %d of 32 bits live at once\n", "registers",
         counters.registers);
  append(text, "  %-14s %lld by warps, %.1f lanes each\n", "instructions",
         number(counters.executions),
         counters.executions
             ? double(counters.lanes) / double(counters.executions)
             : 0.0);
  append(text, "  %-14s %lld\n", "barriers", number(counters.barriers));
  if (counters.matrix.instructions)
    append(text, "  %-14s %lld, %lld int8 and %lld half MACs\n", "mma",
           number(counters.matrix.instructions),
           number(counters.matrix.int8Macs), number(counters.matrix.halfMacs));
  if (counters.shared.requests)
    append(text,
           "  %-14s %lld requests, %lld wavefronts (%lld without conflicts), "
           "degree at most %d\n",
           "shared", number(counters.shared.requests),
           number(counters.shared.wavefronts),
           number(counters.shared.idealWavefronts), counters.shared.maxDegree);
  appendGlobal(text, "global loads", counters.globalLoads);
  appendGlobal(text, "global stores", counters.globalStores);
  if (counters.globalAtomics)
    append(text, "  %-14s %lld, %lld lanes on one address\n", "atomics",
           number(counters.globalAtomics), number(counters.hottestAtomic));
  append(text, "  %-14s %lld bytes loaded, %lld stored\n", "different",
         number(counters.loadedBytes), number(counters.storedBytes));
  text += "  by class      ";
  for (int i = 0; i < numCostClasses; ++i)
    if (counters.byClass[i])
      append(text, " %s %lld", costClassName(CostClass(i)),
             number(counters.byClass[i]));
  text += "\n";
  for (size_t i = 0; i < counters.loops.size(); ++i) {
    const LoopCounters &loop = counters.loops[i];
    append(text, "  loop %-9zu lines %d to %d, %lld executions, %lld mma%s\n",
           i, loop.firstLine, loop.lastLine, number(loop.executions),
           number(loop.mmas),
           int(i) == counters.hottestLoop ? ", the hottest" : "");
  }
  if (counters.instructionsPerMma > 0)
    append(text, "  %-14s %.2f instructions for each mma\n", "hottest loop",
           counters.instructionsPerMma);
  if (counters.outputElements > 0)
    append(text, "  %-14s %.2f thread instructions for each of %lld outputs\n",
           "after it", counters.instructionsPerOutput,
           number(counters.outputElements));
  appendInstructions(text, counters);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json toJson(const SharedCounters &counters) {
  Json json = Json::dictionary();
  json.add("requests", Json::of(counters.requests));
  json.add("wavefronts", Json::of(counters.wavefronts));
  json.add("ideal_wavefronts", Json::of(counters.idealWavefronts));
  json.add("max_degree", Json::of(int64_t(counters.maxDegree)));
  json.add("bytes", Json::of(counters.bytes));
  return json;
}

static Json toJson(const GlobalCounters &counters) {
  Json json = Json::dictionary();
  json.add("requests", Json::of(counters.requests));
  json.add("sectors", Json::of(counters.sectors));
  json.add("useful_bytes", Json::of(counters.usefulBytes));
  json.add("sectors_per_request", Json::of(counters.sectorsPerRequest()));
  json.add("useful_share", Json::of(counters.usefulShare()));
  return json;
}

static Json toJson(const InstructionCounters &row) {
  Json json = Json::dictionary();
  json.add("line", Json::of(int64_t(row.line)));
  json.add("text", Json::of(row.text));
  json.add("class", Json::of(costClassName(row.cost)));
  json.add("loop", Json::of(int64_t(row.loop)));
  json.add("executions", Json::of(row.executions));
  json.add("lanes", Json::of(row.lanes));
  if (row.shared.requests)
    json.add("shared", toJson(row.shared));
  if (row.global.requests)
    json.add("global", toJson(row.global));
  return json;
}

Json countersJson(const Counters &counters) {
  Json json = Json::dictionary();
  json.add("kernel", Json::of(counters.kernel));
  json.add("ctas", Json::of(counters.ctas));
  json.add("threads_per_cta", Json::of(int64_t(counters.threadsPerCta)));
  json.add("warps_per_cta", Json::of(int64_t(counters.warpsPerCta)));
  json.add("static_shared", Json::of(counters.staticShared));
  json.add("dynamic_shared", Json::of(counters.dynamicShared));
  json.add("registers", Json::of(int64_t(counters.registers)));
  json.add("executions", Json::of(counters.executions));
  json.add("lanes", Json::of(counters.lanes));
  Json classes = Json::dictionary();
  for (int i = 0; i < numCostClasses; ++i)
    if (counters.byClass[i])
      classes.add(costClassName(CostClass(i)), Json::of(counters.byClass[i]));
  json.add("by_class", std::move(classes));
  Json matrix = Json::dictionary();
  matrix.add("instructions", Json::of(counters.matrix.instructions));
  matrix.add("int8_macs", Json::of(counters.matrix.int8Macs));
  matrix.add("half_macs", Json::of(counters.matrix.halfMacs));
  if (counters.matrix.warpgroupInt8Macs > 0)
    matrix.add("wgmma_int8_macs", Json::of(counters.matrix.warpgroupInt8Macs));
  if (counters.matrix.warpgroupHalfMacs > 0)
    matrix.add("wgmma_half_macs", Json::of(counters.matrix.warpgroupHalfMacs));
  json.add("matrix", std::move(matrix));
  json.add("barriers", Json::of(counters.barriers));
  json.add("shared", toJson(counters.shared));
  json.add("global_loads", toJson(counters.globalLoads));
  json.add("global_stores", toJson(counters.globalStores));
  json.add("global_atomics", Json::of(counters.globalAtomics));
  json.add("atomic_sectors", Json::of(counters.atomicTraffic.sectors));
  json.add("hottest_atomic", Json::of(counters.hottestAtomic));
  json.add("loaded_bytes", Json::of(counters.loadedBytes));
  json.add("stored_bytes", Json::of(counters.storedBytes));
  json.add("hottest_loop", Json::of(int64_t(counters.hottestLoop)));
  json.add("instructions_per_mma", Json::of(counters.instructionsPerMma));
  json.add("output_elements", Json::of(counters.outputElements));
  json.add("instructions_per_output", Json::of(counters.instructionsPerOutput));
  Json loops = Json::list();
  for (const LoopCounters &loop : counters.loops) {
    Json entry = Json::dictionary();
    entry.add("first_line", Json::of(int64_t(loop.firstLine)));
    entry.add("last_line", Json::of(int64_t(loop.lastLine)));
    entry.add("parent", Json::of(int64_t(loop.parent)));
    entry.add("depth", Json::of(int64_t(loop.depth)));
    entry.add("executions", Json::of(loop.executions));
    entry.add("mmas", Json::of(loop.mmas));
    loops.add(std::move(entry));
  }
  json.add("loops", std::move(loops));
  Json instructions = Json::list();
  for (const InstructionCounters &row : counters.instructions)
    instructions.add(toJson(row));
  json.add("instructions", std::move(instructions));
  return json;
}

} // namespace qcc::emu
