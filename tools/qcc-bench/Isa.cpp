//===- Isa.cpp - Instruction sets to measure ------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Isa.h"
#include "qcc/Target/X86/X86Target.h"
#include "llvm/ADT/STLExtras.h"

using namespace qcc;
using namespace qcc::bench;

/// The best first.
static const Isa kIsas[] = {
    {"amx-int8", IsaKind::Amx, "amx-int8,amx-tile,avx512bw,avx512vnni", "",
     true},
    {"avx512-vnni", IsaKind::Avx512Vnni,
     "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni", "amx", true},
    {"avx-vnni", IsaKind::AvxVnni, "avx2,avxvnni", "amx,avx512", true},
    {"avx512", IsaKind::Avx512, "avx512f,avx512bw,avx512dq,avx512vl",
     "amx,avx512vnni,avxvnni", false},
    {"avx2", IsaKind::Avx2, "avx2,fma", "amx,avx512,avxvnni", false},
};

const Isa *bench::findIsa(llvm::StringRef name, const rt::HostFeatures &host) {
  for (const Isa &isa : kIsas)
    if (name == "best" ? host.missing(isa.needs.str()).empty()
                       : name == isa.name)
      return &isa;
  // A host without any of them has the last one's features to miss.
  return name == "best" ? &kIsas[std::size(kIsas) - 1] : nullptr;
}

std::string bench::isaNames() {
  std::string names;
  for (const Isa &isa : kIsas)
    names += (names.empty() ? "" : ", ") + isa.name.str();
  return names;
}

llvm::Expected<TargetRef> Isa::target(const rt::HostFeatures &host) const {
  std::vector<std::string> features;
  std::vector<std::string> above = rt::splitFeatures(excludes.str());
  for (const std::string &feature : host.names())
    if (llvm::none_of(above, [&](llvm::StringRef prefix) {
          return llvm::StringRef(feature).starts_with(prefix);
        }))
      features.push_back(feature);
  llvm::Expected<x86::Spec> spec = x86::Spec::forFeatures(name, features);
  if (!spec)
    return spec.takeError();
  return std::make_shared<x86::X86Target>(std::move(*spec));
}
