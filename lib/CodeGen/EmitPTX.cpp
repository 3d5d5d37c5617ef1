//===- EmitPTX.cpp - Kernels of a device to PTX ---------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "WideShifts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "qcc/Artifact/ABI.h"
#include "qcc/Base/KernelLimits.h"
#include "qcc/CodeGen/CodeGen.h"
#include "qcc/Target/Target.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace qcc;

/// The launch of each kernel, by name.
static llvm::StringMap<ProgramLaunch> launchesOf(const Program &program) {
  llvm::StringMap<ProgramLaunch> launches;
  for (const ProgramEntry &entry : program.entries)
    for (const ProgramStep &step : entry.steps)
      if (step.launch)
        launches[step.launch->kernel] = *step.launch;
  return launches;
}

/// The functions of the modules of kernels, in one module.
static mlir::OwningOpRef<mlir::ModuleOp> collectKernels(mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> kernels =
      mlir::ModuleOp::create(module.getLoc());
  for (auto room : module.getOps<mlir::ModuleOp>())
    for (mlir::Operation &op : *room.getBody())
      kernels->push_back(op.clone());
  return kernels;
}

static void annotateKernel(llvm::Function &function,
                           const ProgramLaunch &launch) {
  function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  function.addFnAttr("nvvm.reqntid", std::to_string(launch.block));
  // One block on a multiprocessor is enough: ptxas spills registers to have
  // more blocks if it is not told.
  function.addFnAttr("nvvm.minctasm", "1");
  for (llvm::Argument &argument : function.args())
    if (argument.hasByValAttr())
      // A tensor map stays where parameters are, and is not copied.
      argument.addAttr(
          llvm::Attribute::get(function.getContext(), "nvvm.grid_constant"));
    else if (argument.getType()->isPointerTy())
      argument.addAttr(llvm::Attribute::getWithAlignment(
          function.getContext(), llvm::Align(QCC_DEVICE_ALIGNMENT)));
}

static bool isMatrixMultiplication(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with("llvm.nvvm.mma.");
}

/// Keeps ptxas from unrolling loops of matrix multiplications, which it does
/// until registers spill. What is worth unrolling is unrolled before.
static void keepMatrixLoops(llvm::Function &function) {
  llvm::DominatorTree tree(function);
  llvm::LoopInfo loops(tree);
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (llvm::any_of(loop->blocks(), [](const llvm::BasicBlock *block) {
          return llvm::any_of(*block, isMatrixMultiplication);
        }))
      loop->setLoopAlreadyUnrolled();
}

/// Bytes of parameters of the kernel that has the most.
static int64_t parameterBytesOf(const llvm::Module &module) {
  int64_t most = 0;
  for (const llvm::Function &function : module) {
    int64_t bytes = 0;
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      for (const llvm::Argument &argument : function.args())
        bytes += module.getDataLayout().getTypeAllocSize(
            argument.hasByValAttr() ? argument.getParamByValType()
                                    : argument.getType());
    most = std::max(most, bytes);
  }
  return most;
}

/// Names a later version of PTX where kernels have more parameters than the
/// version of the chip has room for. Later versions have all of earlier ones.
static void raiseVersion(std::string &text, int64_t parameterBytes) {
  constexpr llvm::StringLiteral kDirective = ".version ";
  size_t begin = text.find(kDirective.str());
  assert(begin != std::string::npos && "PTX names its version");
  begin += kDirective.size();
  size_t end = text.find('\n', begin);
  auto [major, minor] =
      llvm::StringRef(text).slice(begin, end).trim().split('.');
  int version = 0, digit = 0;
  bool isBad = major.getAsInteger(10, version) || minor.getAsInteger(10, digit);
  assert(!isBad && "PTX has a version of two numbers");
  (void)isBad;
  version = 10 * version + digit;
  if (parameterBytes > mostParameterBytes(version))
    text.replace(begin, end - begin,
                 std::to_string(kManyParametersVersion / 10) + "." +
                     std::to_string(kManyParametersVersion % 10));
}

/// What kernels need after LLVM's optimizer.
static llvm::Expected<Part::Bytes>
finishKernels(llvm::Module &module, llvm::TargetMachine &, WorkLimits *) {
  splitWideShiftGuards(module);
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      keepMatrixLoops(function);
  return writePart(module);
}

llvm::Expected<std::string> qcc::emitPTX(const Variant &variant,
                                         const CodeGenOptions &options) {
  const Target &target = *variant.target;
  auto machine = target.createTargetMachine(options.effort);
  if (!machine)
    return machine.takeError();
  mlir::ModuleOp program = variant.module;
  mlir::MLIRContext &mlirContext = *program.getContext();
  mlir::registerBuiltinDialectTranslation(mlirContext);
  mlir::registerLLVMDialectTranslation(mlirContext);
  mlir::registerNVVMDialectTranslation(mlirContext);
  mlir::OwningOpRef<mlir::ModuleOp> kernels = collectKernels(program);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      mlir::translateModuleToLLVMIR(*kernels, context, "qcc");
  if (!module)
    return llvm::createStringError(
        "the kernels could not be translated to LLVM IR");
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  llvm::StringMap<ProgramLaunch> launches = launchesOf(Program::of(program));
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("no-builtins");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    target.annotate(function);
    auto launch = launches.find(function.getName());
    if (launch != launches.end())
      annotateKernel(function, launch->second);
    else
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(*module, &stream))
    return llvm::createStringError("invalid LLVM IR: %s", message.c_str());
  std::vector<std::string> names = namesOfFunctions(*module);
  std::vector<Part> parts = splitIntoParts(std::move(module), target);
  if (llvm::Error error = finishParts(parts, options, finishKernels))
    return std::move(error);
  auto optimized = joinParts(parts, names, context);
  if (!optimized)
    return optimized.takeError();
  auto text =
      emitCode(**optimized, **machine, FileKind::Assembly, options.limits);
  if (!text)
    return text.takeError();
  std::string ptx(text->begin(), text->end());
  raiseVersion(ptx, parameterBytesOf(**optimized));
  return ptx;
}
