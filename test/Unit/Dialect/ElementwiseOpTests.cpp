//===- ElementwiseOpTests.cpp - Elementwise qnn ops are complete ----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that an op of qnn::ElementwiseOpInterface has to have, for each
// such op that is registered (docs/Rationale/QNN.md). A new op needs an example
// below.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Conversion/Passes.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "qcc/Frontend/MLIR/AcceptedOps.h"
#include "qcc/Frontend/MLIR/Import.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Reference/Interpreter.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace qcc;

//===----------------------------------------------------------------------===//
// Examples
//===----------------------------------------------------------------------===//

#define I8 "tensor<4x37xi8>"
#define U8 "tensor<4x37xui8>"
#define F32 "tensor<4x37xf32>"
#define ONE "tensor<f32>"
#define ROWS "tensor<4x1xf32>"
#define COLUMNS "tensor<37xf32>"
#define ZERO "tensor<i32>"
#define TYPED "tensor<4x37x!quant.uniform<u8<1:250>:f32, 0.004:128>>"

namespace {
/// An op whose operands are random constants.
struct Example {
  std::string op;
  std::vector<std::string> operands; ///< types; "" for one that is absent
  std::string attributes, result;
};
} // namespace

static const std::vector<Example> kExamples = {
    {"qnn.quantize", {F32, ROWS, "tensor<4x1xi8>"}, "", I8},
    {"qnn.quantize", {"tensor<4x37xf16>", COLUMNS, ""}, "", U8},
    {"qnn.quantize", {F32, "", ""}, "zero_point_before_rounding", TYPED},
    {"qnn.quantize",
     {"tensor<bf16>", "", ""},
     "",
     "tensor<!quant.uniform<i8:f32, 0.01:-3>>"},
    {"qnn.dequantize", {I8, "tensor<4xf32>", ZERO}, "axis = 0 : i64", F32},
    {"qnn.dequantize", {TYPED, "", ""}, "", "tensor<4x37xbf16>"},
    {"qnn.dequantize", {"tensor<4x37xi32>", ONE, ""}, "", F32},
    {"qnn.requantize", {I8, ROWS, ZERO, COLUMNS, "tensor<37xui8>"}, "", U8},
    {"qnn.requantize", {TYPED, "", "", ONE, ""}, "", I8},
    {"qnn.add", {I8, U8, ROWS, ZERO, ONE, "", ROWS, ZERO}, "", I8},
    {"qnn.add", {TYPED, TYPED, "", "", "", "", "", ""}, "", TYPED},
    {"qnn.add",
     {I8, "tensor<1x37xui8>", ROWS, ZERO, "tensor<1x1xf32>", "tensor<1x1xi32>",
      ROWS, ZERO},
     "",
     I8},
    {"qnn.mul", {I8, U8, ROWS, "", ONE, ZERO, ONE, "tensor<4x1xui8>"}, "", U8},
    {"qnn.mul", {TYPED, TYPED, "", "", "", "", "", ""}, "", TYPED},
    {"qnn.mul",
     {"tensor<4x1xi8>", "tensor<1x37xui8>", ROWS, "", "tensor<1x1xf32>", ZERO,
      ONE, ""},
     "",
     U8},
    {"qnn.clamp", {I8, ROWS, ZERO}, "min = -0.1 : f32, max = 0.2 : f32", I8},
    {"qnn.clamp", {TYPED, "", ""}, "max = 0.1 : f32", TYPED},
    {"qnn.lookup", {I8, "tensor<256xf32>"}, "", F32},
    {"qnn.lookup", {TYPED, "tensor<256xui8>"}, "", TYPED},
};

/// @main, which returns the op's result. Its constants have names of their own,
/// which other programs of the context do not know.
static std::string programOf(const Example &example, bool hasSegments) {
  static unsigned count = 0;
  std::string constants, names, types, segments;
  std::string weight = "p" + std::to_string(count++) + "_v";
  for (auto [i, type] : llvm::enumerate(example.operands)) {
    segments += segments.empty() ? "" : ", ";
    segments += type.empty() ? "0" : "1";
    if (type.empty())
      continue;
    std::string name = weight + std::to_string(i);
    constants += "  %" + name + " = arith.constant dense_resource<" + name +
                 "> : " + type + "\n";
    names += (names.empty() ? "%" : ", %") + name;
    types += (types.empty() ? "" : ", ") + type;
  }
  std::string properties = example.attributes;
  if (hasSegments)
    properties += (properties.empty() ? "" : ", ") +
                  ("operandSegmentSizes = array<i32: " + segments + ">");
  if (!properties.empty())
    properties = " <{" + properties + "}>";
  return "func.func @main() -> " + example.result + " {\n" + constants +
         "  %r = \"" + example.op + "\"(" + names + ")" + properties + " : (" +
         types + ") -> " + example.result +
         "\n  return %r : " + example.result + "\n}\n";
}

//===----------------------------------------------------------------------===//
// What is done with them
//===----------------------------------------------------------------------===//

namespace {
class ElementwiseOps : public ::testing::Test {
protected:
  ElementwiseOps() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  bool isElementwise(RegisteredOperationName name) const {
    return name.hasInterface<qnn::ElementwiseOpInterface>();
  }
  SmallVector<RegisteredOperationName> elementwiseOps() {
    SmallVector<RegisteredOperationName> names;
    for (RegisteredOperationName name : context.getRegisteredOperations())
      if (isElementwise(name))
        names.push_back(name);
    return names;
  }

  /// The example as a program, with random data behind its constants, which
  /// have to be valid scales and zero points where they are such.
  OwningOpRef<ModuleOp> import(const Example &example) {
    auto name = RegisteredOperationName::lookup(example.op, &context);
    std::string program = programOf(
        example, name && name->hasTrait<OpTrait::AttrSizedOperandSegments>());
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(program, "example.mlir"),
        llvm::SMLoc());
    ImportOptions options;
    options.weights = cantFail(WeightsSource::parse("random:7"));
    return importMLIR(sources, &context, options);
  }

  static qnn::ElementwiseOpInterface opOf(ModuleOp module) {
    qnn::ElementwiseOpInterface found;
    module.walk([&](qnn::ElementwiseOpInterface op) { found = op; });
    return found;
  }

  /// The bytes of the result of @main by the reference interpreter.
  static std::string run(ModuleOp module) {
    SmallVector<reference::TensorValue> results;
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (llvm::Error error = reference::Interpreter(1).run(main, {}, results)) {
      ADD_FAILURE() << llvm::toString(std::move(error));
      return "";
    }
    return std::string(reinterpret_cast<char *>(results[0].bytes.get()),
                       results[0].byteSize());
  }

  /// The program after a pass that has to remove the op.
  OwningOpRef<ModuleOp> transform(ModuleOp module,
                                  function_ref<void(PassManager &)> add) {
    OwningOpRef<ModuleOp> after = module.clone();
    PassManager pm(&context);
    add(pm);
    EXPECT_TRUE(succeeded(pm.run(*after)));
    EXPECT_FALSE(opOf(*after)) << "the op is still there";
    return after;
  }

  /// What the verifier says of the op once `spoil` has changed it.
  std::string refusal(const Example &example,
                      function_ref<void(qnn::ElementwiseOpInterface)> spoil) {
    OwningOpRef<ModuleOp> module = import(example);
    if (!module)
      return "";
    qnn::ElementwiseOpInterface op = opOf(*module);
    spoil(op);
    std::string text;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { text += diagnostic.str(); });
    EXPECT_TRUE(failed(verify(op, /*verifyRecursively=*/false)));
    return text;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};
} // namespace

static void expectFound(StringRef text, StringRef expected) {
  EXPECT_TRUE(text.contains(expected))
      << "'" << expected.str() << "' is not in: " << text.str();
}

// Contractions and ops on images compute an element from several of an operand.
TEST_F(ElementwiseOps, AllButTheseAreElementwise) {
  SmallVector<StringRef> others;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "qnn" && !isElementwise(name))
      others.push_back(name.stripDialect());
  llvm::sort(others);
  EXPECT_EQ(others, (SmallVector<StringRef>{"avg_pool2d", "conv2d",
                                            "conv_transpose2d", "linear",
                                            "matmul", "max_pool2d", "resize"}));
}

TEST_F(ElementwiseOps, HaveExamples) {
  EXPECT_GE(elementwiseOps().size(), 7u);
  for (RegisteredOperationName name : elementwiseOps())
    EXPECT_TRUE(llvm::any_of(kExamples,
                             [&](const Example &example) {
                               return example.op == name.getStringRef();
                             }))
        << "write an example of " << name.getStringRef().str()
        << " in this file";
}

TEST_F(ElementwiseOps, AreAcceptedAndListed) {
  std::vector<AcceptedOp> listed = acceptedOps(context);
  for (RegisteredOperationName name : elementwiseOps()) {
    EXPECT_TRUE(acceptanceOf(name).isAccepted);
    EXPECT_TRUE(llvm::any_of(listed, [&](const AcceptedOp &op) {
      return op.dialect + "." + op.name == name.getStringRef();
    })) << name.getStringRef().str();
  }
}

TEST_F(ElementwiseOps, AreDefinedInNumerics) {
  auto file = llvm::MemoryBuffer::getFile(QCC_SOURCE_DIR "/docs/Numerics.md");
  ASSERT_TRUE(static_cast<bool>(file));
  for (RegisteredOperationName name : elementwiseOps()) {
    std::string op = name.stripDialect().str();
    // `op`, or the title of a rule: "**N5 op".
    llvm::Regex defined("`" + op + "`|\\*\\*N[0-9]+ " + op + "[.,]");
    EXPECT_TRUE(defined.match((*file)->getBuffer())) << op;
  }
}

TEST_F(ElementwiseOps, ParametersAreKnownAsSuch) {
  for (const Example &example : kExamples) {
    SCOPED_TRACE(example.op);
    OwningOpRef<ModuleOp> module = import(example);
    ASSERT_TRUE(module);
    SmallVector<Value> known;
    for (const qnn::QuantTensor &tensor : opOf(*module).getTensors()) {
      known.append({tensor.value, tensor.scale, tensor.zeroPoint});
      if (!tensor.isQuantized())
        continue;
      // Of random data, only what is known to be a scale is from this range.
      qnn::QuantParams params = tensor.getParams();
      for (float scale : params.scales)
        EXPECT_TRUE(!tensor.scale || (scale >= 0.001f && scale <= 0.01f));
    }
    // Other operands may be anything but parameters.
    for (Value operand : opOf(*module)->getOperands())
      EXPECT_TRUE(llvm::is_contained(known, operand) ||
                  example.op == "qnn.lookup");
  }
}

TEST_F(ElementwiseOps, ShapesAreVerified) {
  for (const Example &example : kExamples) {
    SCOPED_TRACE(example.op);
    std::string text = refusal(example, [](qnn::ElementwiseOpInterface op) {
      Value first = op.getTensors().front().value;
      first.setType(cast<RankedTensorType>(first.getType()).clone({4, 36}));
    });
    EXPECT_TRUE(StringRef(text).contains("must have the same shape") ||
                StringRef(text).contains("have same type"))
        << text;
  }
}

TEST_F(ElementwiseOps, ParametersAreVerified) {
  for (const Example &example : kExamples)
    for (size_t i = 0; i < 3; ++i) {
      SCOPED_TRACE(example.op);
      OwningOpRef<ModuleOp> module = import(example);
      ASSERT_TRUE(module);
      SmallVector<qnn::QuantTensor> tensors = opOf(*module).getTensors();
      // Tensors of one type are spoiled together.
      if (i >= tensors.size() || !tensors[i].isQuantized() ||
          example.op == "qnn.clamp")
        continue;
      expectFound(
          refusal(example,
                  [&](qnn::ElementwiseOpInterface op) {
                    qnn::QuantTensor tensor = op.getTensors()[i];
                    Builder b(op.getContext());
                    if (tensor.scale)
                      return tensor.scale.setType(
                          RankedTensorType::get({4, 3}, b.getF32Type()));
                    auto element = quant::UniformQuantizedPerAxisType::get(
                        quant::QuantizationFlags::Signed, b.getI8Type(),
                        b.getF32Type(), {0.5}, {0}, 7, -128, 127);
                    tensor.value.setType(tensor.getType().clone(Type(element)));
                  }),
          tensors[i].name);
    }
}

TEST_F(ElementwiseOps, AxisIsVerified) {
  for (const Example &example : kExamples) {
    if (example.attributes.find("axis") == std::string::npos)
      continue;
    expectFound(refusal(example,
                        [](qnn::ElementwiseOpInterface op) {
                          ASSERT_TRUE(op.getChannelAxis());
                          op->setAttr(
                              "axis",
                              Builder(op.getContext()).getI64IntegerAttr(2));
                        }),
                "axis 2 is not a dimension of");
  }
}

// The formulas of the reference and of the lowering, and folding, which
// evaluates the latter.
TEST_F(ElementwiseOps, AreEvaluatedLoweredAndFolded) {
  for (const Example &example : kExamples) {
    SCOPED_TRACE(example.op);
    OwningOpRef<ModuleOp> module = import(example);
    ASSERT_TRUE(module);
    std::string expected = run(*module);
    EXPECT_FALSE(expected.empty());
    OwningOpRef<ModuleOp> lowered = transform(*module, [](PassManager &pm) {
      pm.addPass(createConvertQNNToLinalg());
    });
    EXPECT_EQ(run(*lowered), expected) << "lowered";
    OwningOpRef<ModuleOp> folded = transform(*module, [](PassManager &pm) {
      pm.addNestedPass<func::FuncOp>(createQNNFoldConstants());
    });
    EXPECT_EQ(run(*folded), expected) << "folded";
  }
}
