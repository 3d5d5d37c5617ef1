//===- X86Target.cpp - The x86 target -------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Target/X86/X86Target.h"
#include "Strategies/X86Strategy.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/AMX/Transforms.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "qcc/Target/X86/Passes.h"
#include "qcc/Transforms/Passes.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::x86;

X86Target::X86Target(Spec given) : Target(given.name), spec(std::move(given)) {
#define QCC_X86_STRATEGY(name) strategies.push_back(make##name(spec));
#include "Strategies.def"
}

std::string X86Target::requiredFeatures() const {
  return spec.requiredFeatures();
}

std::string X86Target::refuseMeasuring() const {
  if (!spec.emulatesAMX)
    return "";
  return "target '" + spec.name +
         "' emulates AMX, so that its times mean nothing; tune for '" +
         spec.cpu + "' on a host with AMX";
}

std::string X86Target::tuningName() const {
  return spec.name + " " + spec.requiredFeatures() +
         " l1=" + std::to_string(spec.l1Bytes) +
         " l2=" + std::to_string(spec.l2Bytes);
}

/// Atoms of bytes multiply only some weights exactly. Where the target has such
/// atoms, they come before those of words.
bool X86Target::needsRhsRange() const {
  auto first = llvm::find_if(spec.atoms,
                             [](const Atom &atom) { return !atom.hasTiles(); });
  return first != spec.atoms.end() && first->form == AtomForm::Bytes;
}

bool X86Target::prefersUnsignedLhs() const {
  return llvm::any_of(spec.atoms, [](const Atom &atom) {
    return atom.lhsShift(/*isUnsigned=*/false) != 0;
  });
}

/// Strategy depthwise computes such contractions, and it alone.
bool X86Target::readsLhsAsItLies(kernel::ContractOp op, RankedTensorType type,
                                 ArrayRef<int64_t> padding) const {
  kernel::ContractOp::Roles roles = *op.getRoles();
  return roles.isDepthwise && roles.columnsOfGroup == 1 &&
         op.getLhsPrologue().empty() &&
         (padding.empty() || x86::isFastUnpadded(op, type, padding));
}

/// Multiplications of vectors that a core starts in a second: two in a cycle at
/// 3.5 GHz. A target does not say which clock a machine has.
constexpr double kVectorsPerSecond = 7e9;

/// Fitted to profiles of networks on Zen 3, one thread (docs/Rationale/
/// Explain.md has the errors).
std::optional<ThreadSpeed> X86Target::threadSpeed() const {
  // Atoms of bytes multiply only some weights exactly.
  const Atom *best = llvm::find_if(spec.atoms, [](const Atom &atom) {
    return !atom.hasFloats() && atom.form != AtomForm::Bytes;
  });
  assert(best != spec.atoms.end() && "the baseline has an atom of words");
  return ThreadSpeed{/*costs=*/kVectorsPerSecond,
                     /*leastByteCost=*/peakTime(*best),
                     /*vectorOperations=*/kVectorsPerSecond * 0.6,
                     /*vectorBits=*/spec.vectorBits,
                     /*tensorBytes=*/40e9,
                     /*weightBytes=*/14e9,
                     /*packedBytes=*/12e9,
                     /*stepSeconds=*/2e-7};
}

/// Fitted to times of qnn.requantize, whose operations are counted, by itself,
/// after a convolution and before an addition (Zen 4).
std::optional<double> X86Target::lookupCost(LookupPlace place) const {
  double cost = spec.has(kPermutesBytes) ? 7 : spec.vectorBits == 512 ? 20 : 27;
  if (place == LookupPlace::Operations)
    return 4 * cost;
  // 16 registers do not hold the rows of a table besides a tile, which has 16
  // columns.
  bool isTight = place == LookupPlace::Epilogue && spec.vectorBits < 512;
  return isTight ? 96 : cost;
}

/// vcvtneps2bf16, the instruction of AVX512-BF16 and AVX-NE-CONVERT, takes
/// denormals for zeros and makes zeros of results that are denormals, so that
/// bf16 conversions are done on integers.
bool X86Target::convertsBF16() const { return false; }

// scf, vector, memref, arith, math, cf, amx, llvm intrinsics
void X86Target::buildTargetStage(OpPassManager &pm) const {
  // What is equal by now is lowered once.
  ShareStepsOptions sharing;
  sharing.literals = false;
  pm.addPass(createShareSteps(sharing));
  pm.addNestedPass<func::FuncOp>(x86::createConvertKernelToX86(*this));
  if (spec.emulatesAMX)
    pm.addPass(createRewriteAMXToVector());
  LowerLinalgToVectorLoopsOptions options;
  options.vectorBits = spec.vectorBits;
  options.hasBF16Instructions = convertsBF16();
  pm.addNestedPass<func::FuncOp>(createLowerLinalgToVectorLoops(options));
  LowerLookupsOptions lookups;
  lookups.vectorBits = spec.vectorBits;
  lookups.hasVBMI = spec.has(kPermutesBytes);
  pm.addPass(createLowerLookups(lookups));
  pm.addNestedPass<func::FuncOp>(createDistributeSteps());
  pm.addPass(createAssignScratch());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addNestedPass<func::FuncOp>(createRoundByConversion());
  pm.addPass(createShareSteps());
  addVerifyStage(pm, "target",
                 {"amx", "vector", "memref", "arith", "math", "cf", "llvm"});
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

llvm::Expected<TargetRef>
qcc::x86::parseTarget(StringRef name, ArrayRef<std::string> hostFeatures) {
  StringRef cpu = name;
  cpu.consume_back(kEmulatedAMX);
  llvm::Expected<Spec> spec = cpu == "native"
                                  ? Spec::forFeatures(name, hostFeatures)
                                  : Spec::forCPU(name);
  if (!spec)
    return spec.takeError();
  return std::make_shared<X86Target>(std::move(*spec));
}

namespace {
struct X86TargetNames : TargetDialectInterface {
  using TargetDialectInterface::TargetDialectInterface;
  llvm::Expected<TargetRef> find(StringRef name) const override {
    SmallVector<std::string> features;
    for (const auto &[feature, isThere] : llvm::sys::getHostCPUFeatures())
      if (isThere)
        features.push_back(feature.str());
    return parseTarget(name, features);
  }
};
} // namespace

void qcc::x86::registerTarget(DialectRegistry &registry) {
  registry.insert<X86Dialect, amx::AMXDialect>();
  registerConvertAMXToLLVMInterface(registry);
  registry.addExtension(+[](MLIRContext *, X86Dialect *dialect) {
    dialect->addInterfaces<X86TargetNames>();
  });
  registry.addExtension(+[](MLIRContext *context, kernel::KernelDialect *) {
    context->getOrLoadDialect<X86Dialect>();
  });
}
