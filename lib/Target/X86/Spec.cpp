//===- Spec.cpp - The tables of x86 processors ----------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/X86/Spec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace qcc::x86;

/// A tile takes a register of AMX, as do one of the left operand and one of the
/// right. A word of the left operand takes a register, the product of vpmaddwd
/// too; sums of pairs take two words of the left operand, two of the right one
/// instead of one, and two sums; vpmaddubsw takes a vector of ones. With
/// AVX-512 the 256-bit form of VNNI has another encoding and no use but to be
/// pinned.
static const Atom kX86Atoms[] = {
    {"amx-int8",
     {"amx-int8"},
     16,
     4,
     8,
     2,
     64,
     "the target has no AMX",
     AtomForm::Tiles},
    {"avx512vnni",
     {"avx512vnni"},
     16,
     4,
     32,
     1,
     4,
     "the target has no AVX-512 VNNI"},
    {"avx512bw-bytes",
     {"avx512bw"},
     16,
     4,
     32,
     3,
     4,
     "the target has no AVX-512 BW",
     AtomForm::Bytes},
    {"avx512bw-pairs",
     {"avx512bw"},
     16,
     2,
     32,
     4,
     4,
     "the target has no AVX-512 BW",
     AtomForm::Pairs},
    {"avx512bw", {"avx512bw"}, 16, 2, 32, 2, 2, "the target has no AVX-512 BW"},
    {"avxvnni",
     {"avxvnni", "avx512vnni"},
     8,
     4,
     16,
     1,
     4,
     "the target has no AVX-VNNI"},
    {"avx2-bytes",
     {"avx2"},
     8,
     4,
     16,
     3,
     4,
     "the target has no AVX2",
     AtomForm::Bytes},
    {"avx2-pairs",
     {"avx2"},
     8,
     2,
     16,
     4,
     4,
     "the target has no AVX2",
     AtomForm::Pairs},
    {"avx2", {"avx2"}, 8, 2, 16, 2, 2, "the target has no AVX2"},
    {"avx512-f32",
     {"avx512f"},
     16,
     1,
     32,
     1,
     1,
     "the target has no AVX-512",
     AtomForm::Floats},
    {"avx2-f32",
     {"fma"},
     8,
     1,
     16,
     1,
     1,
     "the target has no FMA",
     AtomForm::Floats},
};

/// The features of x86-64-v3. Exact fma and f16 conversions need this level.
static constexpr llvm::StringLiteral kBaseline[] = {
    "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt"};

/// The times of AMD's processors, which are the only ones with SSE4a. They
/// start half as many multiplications, and other instructions beside them.
static constexpr CoreTimes kAmdTimes = {1, 2, 2.5, 4.2, 0.13, 0.05};

/// The times of processors with AMX, fitted to docs/benchmarks/amx.md.
static constexpr CoreTimes kAmxTimes = {1, 2.5, 7.4, 14, 0.65, 0.7};

/// Features that generated code profits from; others are left out so that an
/// artifact asks for no more than it uses.
static constexpr llvm::StringLiteral kUsed[] = {
    "amx-int8", "amx-tile", "avx",        "avx2",     "avx512bw",   "avx512cd",
    "avx512dq", "avx512f",  "avx512vbmi", "avx512vl", "avx512vnni", "avxvnni",
    "bmi",      "bmi2",     "cmov",       "crc32",    "cx16",       "cx8",
    "f16c",     "fma",      "fxsr",       "lzcnt",    "mmx",        "movbe",
    "popcnt",   "sahf",     "sse",        "sse2",     "sse3",       "sse4.1",
    "sse4.2",   "ssse3",    "x87",        "xsave"};

/// Features of kUsed that every x86-64 processor has, or that no code depends
/// on.
static constexpr llvm::StringLiteral kUniversal[] = {
    "cmov", "crc32", "cx16", "cx8", "fxsr", "mmx",
    "sahf", "sse",   "sse2", "x87", "xsave"};

llvm::ArrayRef<Atom> qcc::x86::allAtoms() { return kX86Atoms; }

static const Atom *findAtomIn(llvm::ArrayRef<Atom> atoms,
                              llvm::StringRef name) {
  const Atom *found =
      llvm::find_if(atoms, [&](const Atom &atom) { return atom.name == name; });
  return found == atoms.end() ? nullptr : found;
}

const Atom *qcc::x86::findAtom(llvm::StringRef name) {
  return findAtomIn(kX86Atoms, name);
}

const Atom *Spec::findAtom(llvm::StringRef name) const {
  return findAtomIn(atoms, name);
}

static llvm::Expected<Spec> makeSpec(llvm::StringRef name, llvm::StringRef cpu,
                                     llvm::ArrayRef<std::string> features) {
  Spec spec;
  spec.name = name.str();
  spec.cpu = cpu.str();
  spec.emulatesAMX = name.ends_with(kEmulatedAMX);
  for (const std::string &feature : features)
    if (llvm::is_contained(kUsed, feature))
      spec.features.insert(feature);
  llvm::SmallVector<llvm::StringRef> missing;
  for (llvm::StringRef feature : kBaseline)
    if (!spec.has(feature))
      missing.push_back(feature);
  if (!missing.empty())
    return llvm::createStringError(
        "target '%s' lacks %s: qcc needs at least x86-64-v3 (AVX2, FMA, F16C)",
        spec.name.c_str(), llvm::join(missing, ", ").c_str());
  // AVX-512 code uses the byte and the 256-bit forms throughout.
  bool avx512 = spec.has("avx512f") && spec.has("avx512bw") &&
                spec.has("avx512vl") && spec.has("avx512dq");
  bool hasVNNI = avx512 && spec.has("avx512vnni");
  for (llvm::StringRef feature : kUsed)
    if ((!avx512 && feature.starts_with("avx512")) ||
        ((!hasVNNI || spec.emulatesAMX) && feature.starts_with("amx")))
      spec.features.erase(feature);
  if (spec.emulatesAMX && !hasVNNI)
    return llvm::createStringError(
        "target '%s' lacks avx512vnni, which kernels with AMX use as well; "
        "emulate AMX on cascadelake or a newer processor",
        spec.name.c_str());
  // AVX-512 VNNI includes the instructions of AVX-VNNI.
  if (hasVNNI)
    spec.features.erase("avxvnni");
  spec.vectorBits = avx512 ? 512 : 256;
  if (llvm::is_contained(features, std::string("sse4a")))
    spec.times = kAmdTimes;
  // Most processors without AVX-512 have an L2 cache of this size. A block of
  // rows takes a quarter of it, which is half of the cache of a processor with
  // half as much.
  if (!avx512)
    spec.l2Bytes = 512 << 10;
  // All processors with AMX have an L2 cache of this size.
  if (spec.has("amx-int8") || spec.emulatesAMX) {
    spec.l2Bytes = 2 << 20;
    spec.times = kAmxTimes;
  }
  for (const Atom &atom : kX86Atoms)
    if ((atom.hasTiles() && spec.emulatesAMX) ||
        llvm::any_of(atom.features, [&](llvm::StringRef feature) {
          return spec.has(feature);
        }))
      spec.atoms.push_back(atom);
  assert(!spec.atoms.empty() && spec.l1Bytes < spec.l2Bytes &&
         "the baseline has an atom, and caches grow outwards");
  return spec;
}

std::vector<std::string> Spec::knownCPUs() {
  llvm::SmallVector<llvm::StringRef> known;
  llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  std::vector<std::string> names;
  for (llvm::StringRef name : known) {
    llvm::Expected<Spec> target = forCPU(name);
    if (target)
      names.push_back(name.str());
    else
      llvm::consumeError(target.takeError());
  }
  return names;
}

/// The names that were probably meant, "znver4" or "znver2, znver3"; empty
/// where none is near.
static std::string nearestCPUs(llvm::StringRef cpu) {
  std::vector<std::string> known = Spec::knownCPUs();
  known.push_back("native");
  std::vector<std::string> best;
  unsigned bestDistance = std::max<unsigned>(2, cpu.size() / 3);
  for (const std::string &name : known) {
    unsigned distance = cpu.edit_distance_insensitive(name);
    if (distance > bestDistance || distance >= name.size())
      continue;
    if (distance < bestDistance)
      best.clear();
    best.push_back(name);
    bestDistance = distance;
  }
  constexpr size_t kMost = 5;
  best.resize(std::min(best.size(), kMost));
  return llvm::join(best, ", ");
}

/// The name of LLVM for one that people use: "znver4" for "zen4".
static std::string nameOfLLVM(llvm::StringRef name) {
  llvm::StringRef generation = name;
  unsigned number;
  if (!generation.consume_front_insensitive("zen") ||
      generation.take_while(llvm::isDigit).getAsInteger(10, number))
    return name.str();
  return ("znver" + generation).str();
}

llvm::Expected<Spec> Spec::forCPU(llvm::StringRef given) {
  std::string name = nameOfLLVM(given);
  llvm::SmallVector<llvm::StringRef> known;
  llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  llvm::StringRef cpu = name;
  cpu.consume_back(kEmulatedAMX);
  if (!llvm::is_contained(known, cpu)) {
    std::string meant = nearestCPUs(cpu);
    given.consume_back(kEmulatedAMX);
    return llvm::createStringError(
        "unknown processor '" + given +
        (meant.empty()
             ? "'; use native, x86-64-v3, skylake-avx512, cascadelake, "
               "sapphirerapids or another 64-bit processor name of LLVM"
             : "'; do you mean " + meant + "?"));
  }
  llvm::SmallVector<llvm::StringRef> features;
  llvm::X86::getFeaturesForCPU(cpu, features);
  // The list leaves out features that others in the list imply.
  llvm::StringMap<bool> implied;
  for (llvm::StringRef feature : features)
    llvm::X86::updateImpliedFeatures(feature, true, implied);
  llvm::SmallVector<std::string> all;
  for (llvm::StringRef feature : features)
    all.push_back(feature.str());
  for (llvm::StringRef feature : kBaseline)
    if (implied.lookup(feature))
      all.push_back(feature.str());
  return makeSpec(name, cpu, all);
}

llvm::Expected<Spec> Spec::forFeatures(llvm::StringRef name,
                                       llvm::ArrayRef<std::string> features) {
  bool avx512 = llvm::is_contained(features, std::string("avx512f"));
  llvm::SmallVector<std::string> all(features);
  for (llvm::StringRef feature : kUniversal)
    all.push_back(feature.str());
  for (llvm::StringRef feature : {"sse3", "ssse3", "sse4.1", "sse4.2", "avx"})
    all.push_back(feature.str());
  return makeSpec(name, avx512 ? "x86-64-v4" : "x86-64-v3", all);
}

static llvm::SmallVector<llvm::StringRef>
sortedFeatures(const llvm::StringSet<> &features) {
  llvm::SmallVector<llvm::StringRef> sorted(features.keys());
  llvm::sort(sorted);
  return sorted;
}

std::string Spec::featureString(bool permutesBytes) const {
  std::string result;
  for (llvm::StringRef feature : sortedFeatures(features))
    if (permutesBytes || feature != kPermutesBytes)
      result += (result.empty() ? "+" : ",+") + feature.str();
  return result + ",-prefer-256-bit";
}

std::string Spec::requiredFeatures() const {
  llvm::SmallVector<llvm::StringRef> needed;
  for (llvm::StringRef feature : sortedFeatures(features))
    if (!llvm::is_contained(kUniversal, feature))
      needed.push_back(feature);
  return llvm::join(needed, ",");
}
