//===- BuilderTests.cpp - Tests of the builder of front ends --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Frontend/Builder/Emit.h"
#include "../../../lib/Frontend/Builder/Sort.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "qcc/Dialect/QNN/IR/QNN.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::frontend;

namespace {

/// What a builder refers to.
struct State {
  State() : context(std::make_unique<MLIRContext>()), builder(context.get()) {
    context->loadDialect<affine::AffineDialect, arith::ArithDialect,
                         func::FuncDialect, linalg::LinalgDialect,
                         math::MathDialect, qnn::QNNDialect, scf::SCFDialect,
                         tensor::TensorDialect>();
  }

  std::unique_ptr<MLIRContext> context;
  OpBuilder builder;
  Constants constants;
  SizeArithmetic sizes;
};

/// A function with an argument of type tensor<?x?xf32>, into which values are
/// built.
class BuilderTest : public ::testing::Test,
                    protected State,
                    public GraphBuilder {
protected:
  BuilderTest()
      : GraphBuilder(State::builder, UnknownLoc::get(context.get()),
                     State::constants, State::sizes) {
    module = ModuleOp::create(builder, loc);
    builder.setInsertionPointToEnd(module->getBody());
    auto function = func::FuncOp::create(builder, loc, "main",
                                         builder.getFunctionType({}, {}));
    Block *body = function.addEntryBlock();
    auto type = RankedTensorType::get(
        {ShapedType::kDynamic, ShapedType::kDynamic}, builder.getF32Type());
    Value argument = body->addArgument(type, loc);
    function.setType(builder.getFunctionType({type}, {}));
    builder.setInsertionPointToEnd(body);
    Shape shape;
    for (int64_t d = 0; d < 2; ++d)
      shape.push_back(
          tensor::DimOp::create(builder, loc, argument, d).getResult());
    x = toGraphValue(argument, shape);
  }

  InFlightDiagnostic refuse() override { return emitError(loc) << "refused: "; }

  /// The message of the last diagnostic.
  std::string messageOf(llvm::function_ref<void()> work) {
    std::string message;
    ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
      message = diagnostic.str();
      return success();
    });
    work();
    return message;
  }

  /// Whether all that was built is valid.
  bool isValid() {
    func::ReturnOp::create(builder, loc);
    return succeeded(verify(*module));
  }

  GraphValue floats(ArrayRef<int64_t> shape, ArrayRef<float> values) {
    return Constants::toValue(
        builder,
        DenseElementsAttr::get(
            RankedTensorType::get(shape, builder.getF32Type()), values));
  }
  GraphValue integers(ArrayRef<int32_t> values) {
    return Constants::toValue(
        builder,
        DenseElementsAttr::get(RankedTensorType::get({int64_t(values.size())},
                                                     builder.getI32Type()),
                               values));
  }

  OwningOpRef<ModuleOp> module;
  GraphValue x;
};

TEST_F(BuilderTest, EqualSizesAreOneValue) {
  OpFoldResult a = add(x.shape[0], size(2)), b = add(size(2), x.shape[0]);
  EXPECT_EQ(a, b);
  EXPECT_EQ(sub(a, size(2)), x.shape[0]);
  EXPECT_EQ(knownSize(mul(size(3), size(4))), 12);
  EXPECT_FALSE(knownSize(a).has_value());
}

TEST_F(BuilderTest, ElementwiseBroadcasts) {
  GraphValue row = floats({1, 3}, {1, 2, 3}), column = floats({2, 1}, {1, 2});
  auto sum =
      elementwise(*this, {&row, &column}, builder.getF32Type(),
                  [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
  ASSERT_TRUE(succeeded(sum));
  EXPECT_EQ(*knownSizes(sum->shape), (SmallVector<int64_t>{2, 3}));
  EXPECT_TRUE(isValid());
}

TEST_F(BuilderTest, ElementwiseRefusesSizesThatDoNotFit) {
  GraphValue a = floats({2}, {1, 2}), b = floats({3}, {1, 2, 3});
  std::string message = messageOf([&] {
    EXPECT_TRUE(failed(elementwise(
        *this, {&a, &b}, builder.getF32Type(),
        [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); })));
  });
  EXPECT_EQ(message, "refused: has operands of sizes 2 and 3 along one "
                     "dimension, which do not fit; correct the shapes");
}

TEST_F(BuilderTest, ConcatKeepsIntegersKnown) {
  GraphValue a = integers({1, 2}), b = integers({3});
  auto joined = concat(*this, {&a, &b}, 0);
  ASSERT_TRUE(succeeded(joined) && joined->integers);
  EXPECT_EQ(*knownSizes(*joined->integers), (SmallVector<int64_t>{1, 2, 3}));
}

TEST_F(BuilderTest, ConcatAddsSizesThatAreNotKnown) {
  auto joined = concat(*this, {&x, &x}, 0);
  ASSERT_TRUE(succeeded(joined));
  EXPECT_EQ(joined->shape[0], add(x.shape[0], x.shape[0]));
  EXPECT_EQ(joined->shape[1], x.shape[1]);
  EXPECT_TRUE(isValid());
}

TEST_F(BuilderTest, ReshapeOfAConstantIsAConstant) {
  GraphValue value = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  GraphValue line = reshape(*this, value, shape({6}));
  ASSERT_TRUE(line.constant);
  EXPECT_EQ(cast<RankedTensorType>(line.constant.getType()).getShape(),
            ArrayRef<int64_t>({6}));
  GraphValue turned = transpose(*this, value, {1, 0});
  auto elements = cast<ElementsAttr>(turned.constant);
  EXPECT_EQ(cast<RankedTensorType>(elements.getType()).getShape(),
            ArrayRef<int64_t>({3, 2}));
}

TEST_F(BuilderTest, ReshapeJoinsSizesThatAreNotKnown) {
  GraphValue line = reshape(*this, x, {mul(x.shape[0], x.shape[1])});
  GraphValue back = reshape(*this, line, x.shape);
  EXPECT_EQ(back.value.getType(), x.value.getType());
  EXPECT_TRUE(isValid());
}

TEST_F(BuilderTest, MovementIsValid) {
  GraphValue turned = transpose(*this, x, {1, 0});
  GraphValue part =
      slice(*this, turned, {size(0), size(0)}, {size(1), x.shape[0]}, {1, 2});
  Value zero = Scalars(builder, loc).constant(builder.getF32Type(), 0.0);
  GraphValue padded =
      pad(*this, part, {size(1), size(0)}, {size(0), size(2)}, zero);
  EXPECT_EQ(knownSize(padded.shape[0]), 2);
  EXPECT_EQ(padded.shape[1], add(x.shape[0], size(2)));
  GraphValue sum =
      reduce(*this, padded, {0}, 0.0,
             [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
  EXPECT_EQ(sum.rank(), 1);
  EXPECT_TRUE(isValid());
}

TEST_F(BuilderTest, RanksAndPlacesAreValid) {
  auto keys = orderKeys(*this, x);
  ASSERT_TRUE(succeeded(keys));
  EXPECT_TRUE(keys->element.isInteger(32));
  GraphValue ranks =
      findRanks(*this, {&*keys}, 1, [](Scalars &s, ValueRange a, ValueRange b) {
        return s.less(a[0], b[0]);
      });
  GraphValue places = findPlaces(*this, ranks, 1, size(2));
  GraphValue taken = takePlaces(*this, x, places, 1);
  EXPECT_EQ(knownSize(taken.shape[1]), 2);
  EXPECT_TRUE(isValid());
}

TEST_F(BuilderTest, ConversionOfConstantsRounds) {
  auto wide = Constants::toValue(
      builder,
      DenseElementsAttr::get(RankedTensorType::get({2}, builder.getF64Type()),
                             ArrayRef<double>{0.1, 2.0}));
  auto narrow = convert(*this, wide, builder.getF32Type());
  ASSERT_TRUE(succeeded(narrow) && narrow->constant);
  auto values = Constants::readFloats(*narrow);
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0], 0.1f);
}

TEST_F(BuilderTest, NamesOfElements) {
  EXPECT_EQ(elementName(builder.getF32Type()), "float32");
  EXPECT_EQ(elementName(builder.getBF16Type()), "bfloat16");
  EXPECT_EQ(elementName(builder.getI1Type()), "bool");
  EXPECT_EQ(elementName(builder.getI8Type()), "int8");
  EXPECT_EQ(elementName(builder.getIntegerType(8, /*isSigned=*/false)),
            "uint8");
}

} // namespace
