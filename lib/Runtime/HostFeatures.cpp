//===- HostFeatures.cpp - Features of the host's CPU ----------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The features are a table of CPUID bits: a new one is a new line.
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/HostFeatures.h"

#include "CpuQuota.h"

#include <algorithm>
#include <cerrno>
#include <cpuid.h>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qcc::rt {
namespace {

enum Register { EAX, EBX, ECX, EDX };

/// Register state that the operating system must save for a feature to exist:
/// bits of XCR0.
enum State : uint64_t { None = 0, Ymm = 0x6, Zmm = 0xe6, Tile = 0x60000 };

struct FeatureBit {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  int bit;
  State state;
};

const FeatureBit featureBits[] = {
    {"x87", 1, 0, EDX, 0, None},
    {"cx8", 1, 0, EDX, 8, None},
    {"cmov", 1, 0, EDX, 15, None},
    {"mmx", 1, 0, EDX, 23, None},
    {"fxsr", 1, 0, EDX, 24, None},
    {"sse", 1, 0, EDX, 25, None},
    {"sse2", 1, 0, EDX, 26, None},
    {"sse3", 1, 0, ECX, 0, None},
    {"pclmul", 1, 0, ECX, 1, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"fma", 1, 0, ECX, 12, Ymm},
    {"cx16", 1, 0, ECX, 13, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"crc32", 1, 0, ECX, 20, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"aes", 1, 0, ECX, 25, None},
    {"xsave", 1, 0, ECX, 27, None},
    {"avx", 1, 0, ECX, 28, Ymm},
    {"f16c", 1, 0, ECX, 29, Ymm},
    {"rdrnd", 1, 0, ECX, 30, None},
    {"fsgsbase", 7, 0, EBX, 0, None},
    {"bmi", 7, 0, EBX, 3, None},
    {"avx2", 7, 0, EBX, 5, Ymm},
    {"bmi2", 7, 0, EBX, 8, None},
    {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},
    {"rdseed", 7, 0, EBX, 18, None},
    {"adx", 7, 0, EBX, 19, None},
    {"avx512ifma", 7, 0, EBX, 21, Zmm},
    {"clflushopt", 7, 0, EBX, 23, None},
    {"clwb", 7, 0, EBX, 24, None},
    {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"sha", 7, 0, EBX, 29, None},
    {"avx512bw", 7, 0, EBX, 30, Zmm},
    {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},
    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"gfni", 7, 0, ECX, 8, None},
    {"vaes", 7, 0, ECX, 9, Ymm},
    {"vpclmulqdq", 7, 0, ECX, 10, Ymm},
    {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"avx512bitalg", 7, 0, ECX, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Zmm},
    {"rdpid", 7, 0, ECX, 22, None},
    {"movdiri", 7, 0, ECX, 27, None},
    {"movdir64b", 7, 0, ECX, 28, None},
    {"avx512vp2intersect", 7, 0, EDX, 8, Zmm},
    {"amx-bf16", 7, 0, EDX, 22, Tile},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},
    {"amx-tile", 7, 0, EDX, 24, Tile},
    {"amx-int8", 7, 0, EDX, 25, Tile},
    {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
    {"amx-fp16", 7, 1, EAX, 21, Tile},
    {"avxifma", 7, 1, EAX, 23, Ymm},
    {"avxvnniint8", 7, 1, EDX, 4, Ymm},
    {"avxneconvert", 7, 1, EDX, 5, Ymm},
    {"amx-complex", 7, 1, EDX, 8, Tile},
    {"avxvnniint16", 7, 1, EDX, 10, Ymm},
    {"xsaveopt", 0xd, 1, EAX, 0, None},
    {"xsavec", 0xd, 1, EAX, 1, None},
    {"xsaves", 0xd, 1, EAX, 3, None},
    {"sahf", 0x80000001, 0, ECX, 0, None},
    {"lzcnt", 0x80000001, 0, ECX, 5, None},
    {"sse4a", 0x80000001, 0, ECX, 6, None},
    {"prfchw", 0x80000001, 0, ECX, 8, None},
    {"64bit", 0x80000001, 0, EDX, 29, None},
};

struct Registers {
  uint32_t values[4] = {0, 0, 0, 0};
};

/// All zero where the CPU has no such leaf.
Registers cpuid(uint32_t leaf, uint32_t subleaf) {
  Registers r;
  uint32_t *v = r.values;
  if (!__get_cpuid_count(leaf, subleaf, &v[EAX], &v[EBX], &v[ECX], &v[EDX]))
    return Registers();
  return r;
}

uint64_t enabledState() {
  constexpr uint32_t osxsave = 1u << 27;
  if (!(cpuid(1, 0).values[ECX] & osxsave))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t(high) << 32) | low;
}

/// Cache sizes by the deterministic cache parameters: leaf 4 (Intel) or
/// 0x8000001d (AMD), which share their layout.
void readCaches(uint32_t leaf, HostInfo &info) {
  constexpr int maxCaches = 16;
  for (int i = 0; i < maxCaches; ++i) {
    Registers r = cpuid(leaf, i);
    uint32_t type = r.values[EAX] & 31;
    if (type == 0)
      return;
    constexpr uint32_t instructionCache = 2;
    if (type == instructionCache)
      continue;
    uint32_t b = r.values[EBX];
    int64_t ways = (b >> 22) + 1, partitions = ((b >> 12) & 1023) + 1;
    int64_t line = (b & 4095) + 1, sets = int64_t(r.values[ECX]) + 1;
    int64_t size = ways * partitions * line * sets;
    switch ((r.values[EAX] >> 5) & 7) {
    case 1:
      info.l1d = size;
      break;
    case 2:
      info.l2 = size;
      break;
    case 3:
      info.l3 = size;
      break;
    }
  }
}

} // namespace

std::vector<std::string> splitFeatures(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    while (!name.empty() && (name.front() == ' ' || name.front() == '+'))
      name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ')
      name.remove_suffix(1);
    if (!name.empty())
      names.emplace_back(name);
  }
  return names;
}

HostFeatures::HostFeatures(std::vector<std::string> names)
    : names_(std::move(names)) {
  std::sort(names_.begin(), names_.end());
}

HostFeatures HostFeatures::detect() {
  std::vector<std::string> names;
  uint64_t enabled = enabledState();
  for (const FeatureBit &f : featureBits) {
    bool present = (cpuid(f.leaf, f.subleaf).values[f.reg] >> f.bit) & 1;
    if (present && (enabled & f.state) == f.state)
      names.push_back(f.name);
  }
  return HostFeatures(std::move(names));
}

namespace {
struct Host {
  HostFeatures features = HostFeatures::detect();
  Status status;

  Host() {
    const char *hidden = getenv("QCC_HIDE_FEATURES");
    if (!hidden)
      return;
    Result<HostFeatures> rest = features.without(hidden);
    if (rest.isOk())
      features = *std::move(rest);
    else
      status = rest.status().withPrefix("QCC_HIDE_FEATURES: ");
  }
};
} // namespace

static const Host &theHost() {
  static const Host host;
  return host;
}

const HostFeatures &HostFeatures::host() { return theHost().features; }

const Status &HostFeatures::hostStatus() { return theHost().status; }

/// Whether `feature` needs `base`.
static bool isBuiltOn(std::string_view feature, std::string_view base) {
  auto startsWith = [&](std::string_view prefix) {
    return feature.substr(0, prefix.size()) == prefix;
  };
  if (base == "avx2" && startsWith("avxvnni"))
    return true;
  if (base == "avx2" || base == "avx512f")
    return startsWith("avx512");
  return base == "amx-tile" && startsWith("amx-");
}

Result<HostFeatures> HostFeatures::without(std::string_view commaList) const {
  std::vector<std::string> hidden = splitFeatures(commaList);
  for (const std::string &name : hidden) {
    auto isNamed = [&](const FeatureBit &f) { return f.name == name; };
    if (std::any_of(std::begin(featureBits), std::end(featureBits), isNamed))
      continue;
    std::string known;
    for (const FeatureBit &f : featureBits)
      known += (known.empty() ? "" : ", ") + std::string(f.name);
    return invalidArgument("'" + name + "' is no feature; known are " + known);
  }
  std::vector<std::string> rest;
  for (const std::string &feature : names_) {
    auto hides = [&](const std::string &name) {
      return feature == name || isBuiltOn(feature, name);
    };
    if (std::none_of(hidden.begin(), hidden.end(), hides))
      rest.push_back(feature);
  }
  return HostFeatures(std::move(rest));
}

bool HostFeatures::has(std::string_view name) const {
  return std::binary_search(names_.begin(), names_.end(), name);
}

std::vector<std::string>
HostFeatures::missing(std::string_view requiredCommaList) const {
  std::vector<std::string> result;
  for (std::string &name : splitFeatures(requiredCommaList))
    if (!has(name))
      result.push_back(std::move(name));
  return result;
}

static Status askForTiles() {
  constexpr long reqXcompPerm = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr long tileData = 18;         // XFEATURE_XTILEDATA
  if (!HostFeatures::host().has("amx-tile"))
    return unsupported("this CPU or its operating system has no AMX; compile "
                       "for a target without amx-tile");
  if (syscall(SYS_arch_prctl, reqXcompPerm, tileData) != 0)
    return unsupported(std::string("the operating system refused the use of "
                                   "AMX tiles (") +
                       strerror(errno) +
                       "); use Linux 5.16 or later, or compile for a target "
                       "without amx-tile");
  return Status::ok();
}

Status requestAmxPermission() {
  static const Status answer = askForTiles();
  return answer;
}

HostInfo hostInfo() {
  HostInfo info;
  char brand[49] = {};
  for (uint32_t i = 0; i < 3; ++i) {
    Registers r = cpuid(0x80000002 + i, 0);
    memcpy(brand + 16 * i, r.values, 16);
  }
  info.brand = brand;
  info.brand.erase(0, info.brand.find_first_not_of(' '));

  readCaches(4, info);
  if (info.l1d == 0)
    readCaches(0x8000001d, info);
  auto orSysconf = [](int64_t &size, int name) {
    if (size == 0)
      size = std::max<int64_t>(0, sysconf(name));
  };
  orSysconf(info.l1d, _SC_LEVEL1_DCACHE_SIZE);
  orSysconf(info.l2, _SC_LEVEL2_CACHE_SIZE);
  orSysconf(info.l3, _SC_LEVEL3_CACHE_SIZE);
  info.cpus = availableCpus();
  return info;
}

int availableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cpus = sched_getaffinity(0, sizeof(set), &set) == 0
                 ? CPU_COUNT(&set)
                 : int(sysconf(_SC_NPROCESSORS_ONLN));
  return std::max(1, std::min(cpus, cpuQuota()));
}

} // namespace qcc::rt
