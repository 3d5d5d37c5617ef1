//===- OpTable.cpp - The ops of StableHLO that are imported ---------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"
#include "Ops.h"
#include "ScalarOps.h"
#include "qcc/Frontend/StableHLO/ImportedOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace qcc;
using namespace qcc::stablehlo;

static constexpr OpInfo kOps[] = {
    {"chlo.acos", importElementwise, scalar::acos, 1, "f"},
    {"chlo.acosh", importElementwise, scalar::acosh, 1, "f"},
    {"chlo.asin", importElementwise, scalar::asin, 1, "f"},
    {"chlo.asinh", importElementwise, scalar::asinh, 1, "f"},
    {"chlo.atan", importElementwise, scalar::atan, 1, "f"},
    {"chlo.atanh", importElementwise, scalar::atanh, 1, "f"},
    {"chlo.cosh", importElementwise, scalar::cosh, 1, "f"},
    {"chlo.erf", importElementwise, scalar::erf, 1, "f"},
    {"chlo.erf_inv", importElementwise, scalar::erfInverse, 1, "f"},
    {"chlo.erfc", importElementwise, scalar::erfc, 1, "f"},
    {"chlo.is_inf", importElementwise, scalar::isInf, 1, "fd"},
    {"chlo.sinh", importElementwise, scalar::sinh, 1, "f"},
    {"chlo.square", importElementwise, scalar::square, 1, "iufd"},
    {"chlo.tan", importElementwise, scalar::tan, 1, "f"},
    {"chlo.top_k", importTopK, nullptr, 1, "ifd", " k"},
    {"func.call", importCall, nullptr, -1, "iubfd",
     " callee no_inline arg_attrs res_attrs"},
    // The program runs on one device.
    {"sdy.sharding_constraint", importIdentity, nullptr, 1, "iubfd",
     " sharding"},
    {"stablehlo.abs", importElementwise, scalar::abs, 1, "ifd"},
    {"stablehlo.add", importElementwise, scalar::add, 2},
    {"stablehlo.and", importElementwise, scalar::and_, 2, "iub"},
    {"stablehlo.atan2", importElementwise, scalar::atan2, 2, "f"},
    {"stablehlo.batch_norm_inference", importBatchNormInference, nullptr, 5,
     "fd", " epsilon feature_index"},
    {"stablehlo.bitcast_convert", importBitcastConvert, scalar::bitcast, 1},
    {"stablehlo.broadcast", importBroadcast, nullptr, 1, "iubfd",
     " broadcast_sizes"},
    {"stablehlo.broadcast_in_dim", importBroadcastInDim, nullptr, 1, "iubfd",
     " broadcast_dimensions"},
    {"stablehlo.case", importCase, nullptr, 1, "i"},
    {"stablehlo.cbrt", importElementwise, scalar::cbrt, 1, "f",
     " result_accuracy"},
    {"stablehlo.ceil", importElementwise, scalar::ceil, 1, "fd"},
    {"stablehlo.clamp", importTernary, scalar::clamp, 3, "iufd"},
    {"stablehlo.compare", importElementwise, scalar::compare, 2, "iubfd",
     " comparison_direction compare_type"},
    {"stablehlo.composite", importComposite, nullptr, -1, "iubfd",
     " name composite_attributes decomposition version"},
    {"stablehlo.concatenate", importConcatenate, nullptr, -1, "iubfd",
     " dimension"},
    {"stablehlo.constant", importConstant, nullptr, 0, "", " value"},
    {"stablehlo.convert", importConvert, scalar::convert, 1},
    {"stablehlo.convolution", importConvolution, nullptr, 2, "iufd",
     " dimension_numbers window_strides padding lhs_dilation rhs_dilation "
     "window_reversal feature_group_count batch_group_count precision_config"},
    {"stablehlo.cosine", importElementwise, scalar::cos, 1, "f",
     " result_accuracy"},
    {"stablehlo.count_leading_zeros", importElementwise,
     scalar::countLeadingZeros, 1, "iu"},
    {"stablehlo.custom_call", importCustomCall, nullptr, -1, "iubfd", " *"},
    {"stablehlo.divide", importElementwise, scalar::divide, 2, "iufd"},
    {"stablehlo.dot", importDot, nullptr, 2, "iufd", " precision_config"},
    {"stablehlo.dot_general", importDotGeneral, nullptr, 2, "iufd",
     " dot_dimension_numbers precision_config algorithm"},
    {"stablehlo.dynamic_broadcast_in_dim", importBroadcastInDim, nullptr, 2,
     "iubfd",
     " broadcast_dimensions known_expanding_dimensions "
     "known_nonexpanding_dimensions"},
    {"stablehlo.dynamic_conv", importConvolution, nullptr, 3, "iufd",
     " dimension_numbers window_strides lhs_dilation rhs_dilation "
     "window_reversal feature_group_count batch_group_count precision_config"},
    {"stablehlo.dynamic_gather", importGather, nullptr, 3, "iubfd",
     " dimension_numbers indices_are_sorted"},
    {"stablehlo.dynamic_iota", importIota, nullptr, 1, "iu", " iota_dimension"},
    {"stablehlo.dynamic_pad", importPad, nullptr, 5},
    {"stablehlo.dynamic_reshape", importReshape, nullptr, 2},
    {"stablehlo.dynamic_slice", importDynamicSlice, nullptr, -1, "iubfd",
     " slice_sizes"},
    {"stablehlo.dynamic_update_slice", importDynamicUpdateSlice},
    {"stablehlo.exponential", importElementwise, scalar::exp, 1, "f",
     " result_accuracy"},
    {"stablehlo.exponential_minus_one", importElementwise, scalar::expm1, 1,
     "f", " result_accuracy"},
    {"stablehlo.floor", importElementwise, scalar::floor, 1, "fd"},
    {"stablehlo.gather", importGather, nullptr, 2, "iubfd",
     " dimension_numbers slice_sizes indices_are_sorted"},
    {"stablehlo.get_dimension_size", importGetDimensionSize, nullptr, 1,
     "iubfd", " dimension"},
    {"stablehlo.if", importIf, nullptr, 1, "b"},
    {"stablehlo.iota", importIota, nullptr, 0, "", " iota_dimension"},
    {"stablehlo.is_finite", importElementwise, scalar::isFinite, 1, "fd"},
    {"stablehlo.log", importElementwise, scalar::log, 1, "f",
     " result_accuracy"},
    {"stablehlo.log_plus_one", importElementwise, scalar::log1p, 1, "f",
     " result_accuracy"},
    {"stablehlo.logistic", importElementwise, scalar::logistic, 1, "f",
     " result_accuracy"},
    {"stablehlo.map", importMap, nullptr, -1, "iubfd", " dimensions"},
    {"stablehlo.maximum", importElementwise, scalar::maximum, 2},
    {"stablehlo.minimum", importElementwise, scalar::minimum, 2},
    {"stablehlo.multiply", importElementwise, scalar::multiply, 2},
    {"stablehlo.negate", importElementwise, scalar::negate, 1, "iufd"},
    {"stablehlo.not", importElementwise, scalar::not_, 1, "iub"},
    {"stablehlo.optimization_barrier", importIdentity},
    {"stablehlo.or", importElementwise, scalar::or_, 2, "iub"},
    {"stablehlo.pad", importPad, nullptr, 2, "iubfd",
     " edge_padding_low edge_padding_high interior_padding"},
    {"stablehlo.popcnt", importElementwise, scalar::populationCount, 1, "iu"},
    {"stablehlo.power", importElementwise, scalar::power, 2, "iuf"},
    {"stablehlo.real_dynamic_slice", importSlice, nullptr, 4},
    {"stablehlo.reduce", importReduce, nullptr, -1, "iubfd", " dimensions"},
    {"stablehlo.reduce_precision", importReducePrecision,
     scalar::reducePrecision, 1, "fd", " exponent_bits mantissa_bits"},
    {"stablehlo.reduce_window", importReduceWindow, nullptr, -1, "iubfd",
     " window_dimensions window_strides base_dilations window_dilations "
     "padding"},
    {"stablehlo.remainder", importElementwise, scalar::remainder, 2, "iufd"},
    {"stablehlo.reshape", importReshape, nullptr, 1},
    {"stablehlo.reverse", importReverse, nullptr, 1, "iubfd", " dimensions"},
    {"stablehlo.round_nearest_afz", importElementwise,
     scalar::roundAwayFromZero, 1, "fd"},
    {"stablehlo.round_nearest_even", importElementwise, scalar::roundToEven, 1,
     "fd"},
    {"stablehlo.rsqrt", importElementwise, scalar::rsqrt, 1, "f",
     " result_accuracy"},
    {"stablehlo.scatter", importScatter, nullptr, -1, "iubfd",
     " scatter_dimension_numbers indices_are_sorted unique_indices"},
    {"stablehlo.select", importTernary, scalar::select, 3},
    {"stablehlo.select_and_scatter", importSelectAndScatter, nullptr, 3, "iufd",
     " window_dimensions window_strides padding"},
    {"stablehlo.set_dimension_size", importSetDimensionSize, nullptr, 2,
     "iubfd", " dimension"},
    {"stablehlo.shift_left", importElementwise, scalar::shiftLeft, 2, "iu"},
    {"stablehlo.shift_right_arithmetic", importElementwise,
     scalar::shiftRightArithmetic, 2, "iu"},
    {"stablehlo.shift_right_logical", importElementwise,
     scalar::shiftRightLogical, 2, "iu"},
    {"stablehlo.sign", importElementwise, scalar::sign, 1, "iufd"},
    {"stablehlo.sine", importElementwise, scalar::sin, 1, "f",
     " result_accuracy"},
    {"stablehlo.slice", importSlice, nullptr, 1, "iubfd",
     " start_indices limit_indices strides"},
    {"stablehlo.sort", importSort, nullptr, -1, "iubfd",
     " dimension is_stable"},
    {"stablehlo.sqrt", importElementwise, scalar::sqrt, 1, "fd",
     " result_accuracy"},
    {"stablehlo.subtract", importElementwise, scalar::subtract, 2, "iufd"},
    {"stablehlo.tan", importElementwise, scalar::tan, 1, "f",
     " result_accuracy"},
    {"stablehlo.tanh", importElementwise, scalar::tanh, 1, "f",
     " result_accuracy"},
    {"stablehlo.transpose", importTranspose, nullptr, 1, "iubfd",
     " permutation"},
    {"stablehlo.uniform_dequantize", importUniformDequantize,
     scalar::uniformDequantize, 1, "iu"},
    {"stablehlo.uniform_quantize", importUniformQuantize,
     scalar::uniformQuantize, 1, "f"},
    {"stablehlo.while", importWhile},
    {"stablehlo.xor", importElementwise, scalar::xor_, 2, "iub"},
};

namespace {
struct Reason {
  llvm::StringLiteral name, text;
};
} // namespace

static constexpr StringLiteral kCollective =
    "exchanges data with other processes; programs run in one: export a "
    "program for one device";
static constexpr StringLiteral kComplex =
    "computes complex numbers, which are not supported; use their parts";
static constexpr StringLiteral kRandom =
    "draws random numbers, which programs do not; pass them as an argument";
static constexpr StringLiteral kTraining =
    "occurs in training only, which is not supported; export the forward "
    "function";
static constexpr StringLiteral kLinearAlgebra =
    "is a solver, which is not supported; compute its result outside";

static constexpr StringLiteral kSpecial =
    "is a special function that is not supported; compute its result outside, "
    "or write an approximation of it";

/// Ops of the specification, and of chlo, that are not imported.
static constexpr Reason kReasons[] = {
    {"chlo.bessel_i1e", kSpecial},
    {"chlo.digamma", kSpecial},
    {"chlo.lgamma", kSpecial},
    {"chlo.next_after", kSpecial},
    {"chlo.polygamma", kSpecial},
    {"chlo.zeta", kSpecial},
    {"stablehlo.after_all", kCollective},
    {"stablehlo.all_gather", kCollective},
    {"stablehlo.all_reduce", kCollective},
    {"stablehlo.all_to_all", kCollective},
    {"stablehlo.batch_norm_grad", kTraining},
    {"stablehlo.batch_norm_training", kTraining},
    {"stablehlo.cholesky", kLinearAlgebra},
    {"stablehlo.collective_broadcast", kCollective},
    {"stablehlo.collective_permute", kCollective},
    {"stablehlo.complex", kComplex},
    {"stablehlo.fft", kComplex},
    {"stablehlo.imag", kComplex},
    {"stablehlo.infeed", kCollective},
    {"stablehlo.outfeed", kCollective},
    {"stablehlo.partition_id", kCollective},
    {"stablehlo.real", kComplex},
    {"stablehlo.recv", kCollective},
    {"stablehlo.reduce_scatter", kCollective},
    {"stablehlo.replica_id", kCollective},
    {"stablehlo.rng", kRandom},
    {"stablehlo.rng_bit_generator", kRandom},
    {"stablehlo.send", kCollective},
    {"stablehlo.triangular_solve", kLinearAlgebra},
};

const OpInfo *stablehlo::findOp(StringRef name) {
  static const auto table = [] {
    llvm::StringMap<const OpInfo *> table;
    for (const OpInfo &info : kOps)
      table[info.name] = &info;
    return table;
  }();
  return table.lookup(name);
}

ArrayRef<OpInfo> stablehlo::opTable() { return kOps; }

StringRef stablehlo::reasonOf(StringRef name) {
  for (const Reason &reason : kReasons)
    if (reason.name == name)
      return reason.text;
  return {};
}

/// The elements that letters of OpInfo stand for, in words.
static std::string describeElements(StringRef letters) {
  struct Word {
    StringLiteral letters, text;
  };
  static constexpr Word kWords[] = {
      {"iu", "integers"}, {"i", "signed integers"}, {"u", "unsigned integers"},
      {"b", "bool"},      {"fd", "floats"},         {"f", "bf16, f16, f32"}};
  std::string text;
  while (!letters.empty())
    for (const Word &word : kWords)
      if (letters.consume_front(word.letters)) {
        text += (text.empty() ? "" : ", ") + word.text.str();
        break;
      }
  return text;
}

std::vector<StableHLOOp> qcc::stableHLOOps() {
  std::vector<StableHLOOp> ops;
  for (const OpInfo &info : kOps)
    ops.push_back({info.name.str(),
                   info.operands == 0 ? "" : describeElements(info.elements),
                   ""});
  for (const Reason &reason : kReasons)
    ops.push_back({reason.name.str(), "", reason.text.str()});
  return ops;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// The letter of an element type; 0 for one that no op has.
static char letterOf(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (integer.isSignless() && width == 1)
      return 'b';
    if (width != 8 && width != 16 && width != 32 && width != 64)
      return 0;
    return integer.isUnsigned() ? 'u' : integer.isSignless() ? 'i' : 0;
  }
  if (type.isF16() || type.isBF16() || type.isF32())
    return 'f';
  return type.isF64() ? 'd' : 0;
}

static bool hasAttribute(StringRef names, StringRef name) {
  if (names == " *")
    return true;
  size_t at = names.find((" " + name).str());
  while (at != StringRef::npos) {
    StringRef rest = names.drop_front(at + 1 + name.size());
    if (rest.empty() || rest.front() == ' ')
      return true;
    at = names.find((" " + name).str(), at + 1);
  }
  return false;
}

/// Attributes that say how XLA lays tensors out.
static constexpr StringLiteral kLayouts[] = {"minor_to_major", "result_layout",
                                             "xla_shape"};

/// Refuses an attribute that the op does not have: it might say something that
/// is not done. Those with a dialect's prefix are notes.
static LogicalResult verifyAttributes(Operation *op, const OpInfo &info) {
  auto verify = [&](DictionaryAttr attributes) {
    for (NamedAttribute attribute : attributes)
      if (StringRef name = attribute.getName();
          !name.contains('.') && !llvm::is_contained(kLayouts, name) &&
          !hasAttribute(info.attributes, name))
        return LogicalResult(op->emitError()
                             << "'" << info.name << "' has an attribute '"
                             << name << "', which is not known; remove it");
    return success();
  };
  if (auto properties =
          dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
      properties && failed(verify(properties)))
    return failure();
  return verify(op->getDiscardableAttrDictionary());
}

LogicalResult stablehlo::verifyOp(Operation *op, const OpInfo &info) {
  auto refuse = [&] { return op->emitError() << "'" << info.name << "' "; };
  if (info.operands >= 0 &&
      op->getNumOperands() != static_cast<unsigned>(info.operands))
    return refuse() << "has " << op->getNumOperands() << " operands where "
                    << info.operands << " are needed; correct the program";
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      char letter = tensor ? letterOf(tensor.getElementType()) : 0;
      if (!letter && isa<ComplexType>(getElementTypeOrSelf(type)))
        return refuse() << kComplex;
      if (!letter)
        return refuse() << "has a value of type " << type
                        << ", which is not supported; use tensors of bool, "
                           "integers of 8 to 64 bits, bf16, f16, f32 or f64";
    }
  for (Type type : op->getOperandTypes())
    if (char letter = letterOf(getElementTypeOrSelf(type));
        !StringRef(info.elements).contains(letter))
      return refuse() << "does not take elements of type "
                      << getElementTypeOrSelf(type)
                      << (letter == 'd'
                              ? ", of which the function is not defined (N8 in "
                                "Numerics); convert them to f32"
                              : "; convert them");
  if (info.scalar == scalar::compare &&
      !llvm::is_contained({"EQ", "NE", "LT", "LE", "GT", "GE"},
                          wordOf(op, "comparison_direction")))
    return refuse() << "has no direction of EQ, NE, LT, LE, GT and GE; "
                       "correct the attribute";
  if (info.scalar && op->getNumResults() != 1)
    return refuse() << "has " << op->getNumResults()
                    << " results where 1 is needed; correct the program";
  // Operands that are combined have one type.
  bool isUniform =
      info.scalar && info.scalar != scalar::select && info.operands > 1;
  if (isUniform)
    for (Type type : op->getOperandTypes())
      if (getElementTypeOrSelf(type) !=
          getElementTypeOrSelf(op->getOperand(0).getType()))
        return refuse() << "has operands of different elements; convert them";
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType());
  };
  if (info.scalar == scalar::bitcast &&
      shapeOf(op->getResult(0)).getRank() ==
          shapeOf(op->getOperand(0)).getRank() &&
      shapeOf(op->getResult(0)).getElementTypeBitWidth() !=
          shapeOf(op->getOperand(0)).getElementTypeBitWidth())
    return refuse() << "changes the width of elements without a dimension for "
                       "their parts; correct the program";
  bool keepsType =
      info.scalar && info.scalar != scalar::compare &&
      info.scalar != scalar::convert && info.scalar != scalar::bitcast &&
      info.scalar != scalar::isFinite && info.scalar != scalar::isInf &&
      info.scalar != scalar::uniformDequantize &&
      info.scalar != scalar::uniformQuantize;
  if (keepsType && getElementTypeOrSelf(op->getResult(0).getType()) !=
                       getElementTypeOrSelf(
                           op->getOperand(op->getNumOperands() - 1).getType()))
    return refuse() << "has a result of other elements than its operands; "
                       "correct the program";
  return verifyAttributes(op, info);
}
