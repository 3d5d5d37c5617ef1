//===- Descriptor.cpp - The table of the ABI in LLVM IR -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The descriptor and all its tables are one constant. References among them are
// known distances; those of functions and weights are link-time differences, so
// that the linked artifact has no relocation.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "qcc/Artifact/ABI.h"
#include "qcc/Artifact/ArtifactNote.h"
#include "qcc/Artifact/SelfTest.h"
#include "qcc/CodeGen/CodeGen.h"
#include "qcc/Target/Target.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <cstring>

using namespace mlir;
using namespace qcc;

namespace {
class DescriptorBuilder {
public:
  DescriptorBuilder(llvm::Module &module, ArrayRef<TranslatedVariant> variants,
                    WeightsImage *apart)
      : module(module), variants(variants), isApart(apart != nullptr),
        weights(apart ? *apart : ownWeights) {}

  llvm::Error run();

private:
  /// Appends objects; returns their offset, their reference.
  template <typename T> int64_t add(ArrayRef<T> items) {
    bytes.resize(llvm::alignTo(bytes.size(), 8));
    int64_t offset = bytes.size();
    auto *begin = reinterpret_cast<const char *>(items.data());
    bytes.insert(bytes.end(), begin, begin + items.size() * sizeof(T));
    return offset;
  }
  int64_t addString(StringRef text) {
    if (text.empty())
      return 0;
    auto [it, inserted] = strings.insert({text, bytes.size()});
    if (inserted) {
      bytes.insert(bytes.end(), text.begin(), text.end());
      bytes.push_back(0);
    }
    return it->second;
  }
  /// The int64 at `offset` becomes the distance to a symbol.
  void addReference(int64_t offset, llvm::GlobalValue *symbol,
                    int64_t addend = 0) {
    references.push_back({offset, symbol, addend});
  }

  int64_t addQuantization(Type type);
  qcc_tensor_desc tensor(const ProgramTensor &tensor);
  qcc_operand_desc operand(const ProgramOperand &operand);
  llvm::Error addFunction(int64_t offset, const Twine &name);
  int64_t tensorMap(const ProgramTensorMap &map);
  int64_t launch(const ProgramLaunch &launch);
  qcc_step_desc step(const ProgramStep &step);
  llvm::Error addSteps(const ProgramEntry &entry, StringRef prefix,
                       int64_t &ref);
  llvm::Error addEntries(const TranslatedVariant &variant, int64_t &ref);
  void addSelfTests(qcc_descriptor &descriptor);
  llvm::GlobalVariable *addWeights();
  llvm::GlobalVariable *addKernels(const std::string &name, StringRef code);
  void addNote();
  void emit();

  llvm::Module &module;
  ArrayRef<TranslatedVariant> variants;
  std::vector<char> bytes;
  llvm::StringMap<int64_t> strings;
  llvm::DenseMap<Type, int64_t> quantizations;
  /// A place that gets the distance to a symbol and the addend.
  struct Reference {
    int64_t offset;
    llvm::GlobalValue *symbol;
    int64_t addend;
  };
  std::vector<Reference> references;
  bool isApart;
  WeightsImage ownWeights;
  WeightsImage &weights;
};
} // namespace

static std::pair<uint8_t, uint8_t> typeCode(Type type) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(type))
    return {quantized.isSigned() ? QCC_INT : QCC_UINT,
            quantized.getStorageTypeIntegralWidth()};
  if (type.isIndex())
    return {QCC_INT, 64};
  unsigned bits = type.getIntOrFloatBitWidth();
  if (type.isBF16())
    return {QCC_BFLOAT, bits};
  if (isa<FloatType>(type))
    return {QCC_FLOAT, bits};
  if (bits == 1)
    return {QCC_BOOL, 8};
  return {type.isUnsignedInteger() ? QCC_UINT : QCC_INT, bits};
}

int64_t DescriptorBuilder::addQuantization(Type type) {
  std::vector<float> scales;
  std::vector<int32_t> zeroPoints;
  qcc_quant_desc desc = {};
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(type)) {
    desc.kind = QCC_QUANT_PER_TENSOR;
    scales.push_back(uniform.getScale());
    zeroPoints.push_back(uniform.getZeroPoint());
  } else if (auto perAxis =
                 dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
    desc.kind = QCC_QUANT_PER_CHANNEL;
    desc.axis = perAxis.getQuantizedDimension();
    for (double scale : perAxis.getScales())
      scales.push_back(scale);
    for (int64_t zeroPoint : perAxis.getZeroPoints())
      zeroPoints.push_back(zeroPoint);
  } else {
    return 0;
  }
  desc.count = scales.size();
  auto [it, inserted] = quantizations.try_emplace(type, 0);
  if (!inserted)
    return it->second;
  desc.scales_ref = add<float>(scales);
  desc.zero_points_ref = add<int32_t>(zeroPoints);
  return it->second = add<qcc_quant_desc>(desc);
}

qcc_tensor_desc DescriptorBuilder::tensor(const ProgramTensor &tensor) {
  qcc_tensor_desc desc = {};
  desc.name_ref = addString(tensor.name);
  std::tie(desc.type_code, desc.bits) = typeCode(tensor.elementType);
  desc.rank = tensor.dims.size();
  desc.dims_ref = add<int64_t>(tensor.dims);
  desc.quant_ref = addQuantization(tensor.elementType);
  std::vector<int64_t> names;
  for (const std::string &name : tensor.dimNames)
    names.push_back(addString(name));
  desc.dim_names_ref = names.empty() ? 0 : add<int64_t>(names);
  return desc;
}

qcc_operand_desc DescriptorBuilder::operand(const ProgramOperand &operand) {
  qcc_operand_desc desc = {};
  desc.kind = operand.kind;
  std::tie(desc.type_code, desc.bits) = typeCode(operand.elementType);
  desc.rank = operand.dims.size();
  desc.index = operand.index;
  desc.dims_ref = add<int64_t>(operand.dims);
  desc.order_ref = operand.order.empty() ? 0 : add<int64_t>(operand.order);
  desc.row_pitch = operand.rowPitch;
  desc.byte_shift = operand.byteShift;
  desc.quant_ref = addQuantization(operand.elementType);
  desc.layer_ref = addString(operand.layer);
  desc.name_ref = addString(operand.name);
  desc.border_ref = operand.border.empty() ? 0 : add<int64_t>(operand.border);
  return desc;
}

/// The int64 at `offset` becomes the distance to a function.
llvm::Error DescriptorBuilder::addFunction(int64_t offset, const Twine &name) {
  llvm::Function *function = module.getFunction(name.str());
  if (!function)
    return llvm::createStringError("no function '%s'", name.str().c_str());
  addReference(offset, function);
  return llvm::Error::success();
}

int64_t DescriptorBuilder::tensorMap(const ProgramTensorMap &map) {
  qcc_tensor_map_desc desc = {};
  desc.operand_kind = map.operand.kind;
  desc.operand = int32_t(map.operand.value);
  desc.rank = int32_t(map.dims.size());
  desc.swizzle = int32_t(map.swizzle);
  desc.offset = map.offset;
  llvm::copy(map.dims, desc.dims);
  llvm::copy(map.strides, desc.strides);
  llvm::copy(map.box, desc.box);
  return add<qcc_tensor_map_desc>(desc);
}

int64_t DescriptorBuilder::launch(const ProgramLaunch &launch) {
  static_assert(int(ProgramParameter::Input) == QCC_PARAMETER_INPUT &&
                int(ProgramParameter::Output) == QCC_PARAMETER_OUTPUT &&
                int(ProgramParameter::Size) == QCC_PARAMETER_SIZE &&
                int(ProgramParameter::TensorMap) == QCC_PARAMETER_TENSOR_MAP);
  std::vector<qcc_parameter_desc> parameters;
  for (const ProgramParameter &parameter : launch.parameters) {
    bool isMap = parameter.kind == ProgramParameter::TensorMap;
    parameters.push_back({parameter.kind, 0,
                          isMap ? tensorMap(launch.tensorMaps[parameter.value])
                                : parameter.value});
  }
  qcc_launch_desc desc = {};
  desc.kernel_ref = addString(launch.kernel);
  desc.grid = launch.grid;
  desc.block = launch.block;
  desc.shared_bytes = launch.sharedBytes;
  desc.n_parameters = parameters.size();
  desc.parameters_ref = add<qcc_parameter_desc>(parameters);
  return add<qcc_launch_desc>(desc);
}

/// All of a step but its function.
qcc_step_desc DescriptorBuilder::step(const ProgramStep &step) {
  auto text = [&](StringRef key) {
    auto attr = step.kernel.getAs<StringAttr>(key);
    return attr ? attr.getValue() : StringRef();
  };
  auto operands = [&](const std::vector<ProgramOperand> &list) {
    return add<qcc_operand_desc>(llvm::map_to_vector(
        list, [&](const ProgramOperand &item) { return operand(item); }));
  };
  qcc_step_desc desc = {};
  desc.kind = step.launch ? QCC_STEP_LAUNCH : QCC_STEP_HOST;
  desc.parallel = step.parallel;
  StringRef name = step.function;
  name = step.launch ? text("name") : name.take_front(name.rfind(".run"));
  desc.name_ref = addString((name + "." + text("kind")).str());
  desc.layer_ref = addString(text("layer"));
  desc.location_ref = addString(text("location"));
  desc.launch_ref = step.launch ? launch(*step.launch) : 0;
  desc.programmatic = step.launch && step.launch->programmatic;
  desc.operations = step.operations;
  desc.bytes = step.bytes;
  desc.scratch_bytes = step.scratch;
  desc.n_inputs = step.inputs.size();
  desc.n_outputs = step.outputs.size();
  desc.inputs_ref = operands(step.inputs);
  desc.outputs_ref = operands(step.outputs);
  return desc;
}

llvm::Error DescriptorBuilder::addSteps(const ProgramEntry &entry,
                                        StringRef prefix, int64_t &ref) {
  std::vector<qcc_step_desc> steps;
  for (const ProgramStep &item : entry.steps)
    steps.push_back(step(item));
  ref = add<qcc_step_desc>(steps);
  for (auto [i, step] : llvm::enumerate(entry.steps)) {
    if (step.launch)
      continue;
    if (llvm::Error error =
            addFunction(ref + i * sizeof(qcc_step_desc) +
                            offsetof(qcc_step_desc, function_ref),
                        prefix + step.function))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error DescriptorBuilder::addEntries(const TranslatedVariant &variant,
                                          int64_t &ref) {
  std::vector<qcc_entry_desc> entries;
  for (const ProgramEntry &entry : variant.program.entries) {
    auto tensors = [&](const std::vector<ProgramTensor> &list) {
      return add<qcc_tensor_desc>(llvm::map_to_vector(
          list, [&](const ProgramTensor &item) { return tensor(item); }));
    };
    qcc_entry_desc desc = {};
    desc.name_ref = addString(entry.name);
    desc.n_arguments = entry.arguments.size();
    desc.n_results = entry.results.size();
    desc.arguments_ref = tensors(entry.arguments);
    desc.results_ref = tensors(entry.results);
    desc.in_place_ref = add<int32_t>(entry.inPlace);
    desc.n_symbols = entry.symbols;
    desc.n_values = entry.values;
    std::vector<int64_t> requirements;
    for (const std::string &text : entry.requirements)
      requirements.push_back(addString(text));
    desc.n_requirements = requirements.size();
    desc.requirements_ref = add<int64_t>(requirements);
    desc.n_steps = entry.steps.size();
    if (llvm::Error error = addSteps(entry, variant.prefix, desc.steps_ref))
      return error;
    entries.push_back(desc);
  }
  ref = add<qcc_entry_desc>(entries);
  for (auto [i, entry] : llvm::enumerate(variant.program.entries))
    if (llvm::Error error = addFunction(ref + i * sizeof(qcc_entry_desc) +
                                            offsetof(qcc_entry_desc, plan_ref),
                                        variant.prefix + entry.plan))
      return error;
  return llvm::Error::success();
}

/// Room for self-tests of all entries, which come when the program is linked.
void DescriptorBuilder::addSelfTests(qcc_descriptor &descriptor) {
  std::vector<qcc_self_test_desc> tests;
  for (auto [i, entry] : llvm::enumerate(variants.front().program.entries)) {
    qcc_self_test_desc desc = {};
    desc.entry = i;
    for (int test = 0; test < rt::selfTestsPerEntry; ++test) {
      desc.sizes_ref = add<int64_t>(std::vector<int64_t>(entry.symbols));
      tests.push_back(desc);
    }
  }
  descriptor.n_self_tests = tests.size();
  descriptor.self_tests_ref = add<qcc_self_test_desc>(tests);
}

llvm::GlobalVariable *DescriptorBuilder::addWeights() {
  auto *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()),
                                    weights.size());
  llvm::Constant *initializer = llvm::ConstantAggregateZero::get(type);
  if (!isApart) {
    std::vector<char> image(weights.size());
    weights.copyTo(image.data());
    initializer =
        llvm::ConstantDataArray::getRaw(StringRef(image.data(), image.size()),
                                        image.size(), type->getElementType());
  }
  auto *global = new llvm::GlobalVariable(module, type, /*isConstant=*/!isApart,
                                          llvm::GlobalValue::InternalLinkage,
                                          initializer, "weights");
  // A segment of their own, if they are apart, starts with a page.
  global->setAlignment(llvm::Align(isApart ? 4096 : 64));
  if (!isApart)
    global->setSection(".qcc.weights");
  // The linker puts a section of the large code model at an end of the file, so
  // that code and its constants stay within 2 GiB of each other, however large
  // the weights are.
  global->setCodeModel(llvm::CodeModel::Large);
  return global;
}

/// Code for a device, with a 0 at its end.
llvm::GlobalVariable *DescriptorBuilder::addKernels(const std::string &name,
                                                    StringRef code) {
  auto *initializer =
      llvm::ConstantDataArray::getString(module.getContext(), code);
  auto *global = new llvm::GlobalVariable(
      module, initializer->getType(), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage, initializer, name);
  global->setSection(".qcc.kernels");
  // Drivers read machine code as the ELF file that it is.
  global->setAlignment(llvm::Align(64));
  return global;
}

/// Reserves the place of the note, which is stamped when the file is complete.
void DescriptorBuilder::addNote() {
  const rt::ArtifactNote note;
  auto *initializer = llvm::ConstantDataArray::getRaw(
      StringRef(reinterpret_cast<const char *>(&note), sizeof(note)),
      sizeof(note), llvm::Type::getInt8Ty(module.getContext()));
  auto *global = new llvm::GlobalVariable(
      module, initializer->getType(), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage, initializer, "qcc.note");
  global->setAlignment(llvm::Align(alignof(rt::ArtifactNote)));
  global->setSection(QCC_NOTE_SECTION);
  llvm::appendToCompilerUsed(module, {global});
}

/// Makes the descriptor one packed structure: runs of bytes, and between them
/// differences of symbols.
void DescriptorBuilder::emit() {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *i64 = llvm::Type::getInt64Ty(context);
  llvm::sort(references, [](const Reference &a, const Reference &b) {
    return a.offset < b.offset;
  });
  std::vector<llvm::Type *> types;
  std::vector<std::pair<int64_t, int64_t>> runs;
  int64_t at = 0;
  auto addRun = [&](int64_t end) {
    runs.push_back({at, end});
    types.push_back(
        llvm::ArrayType::get(llvm::Type::getInt8Ty(context), end - at));
  };
  for (const Reference &reference : references) {
    addRun(reference.offset);
    types.push_back(i64);
    at = reference.offset + 8;
  }
  addRun(bytes.size());
  auto *type = llvm::StructType::get(context, types, /*isPacked=*/true);
  auto *global = new llvm::GlobalVariable(module, type, /*isConstant=*/true,
                                          llvm::GlobalValue::ExternalLinkage,
                                          nullptr, QCC_ARTIFACT_SYMBOL);
  global->setAlignment(llvm::Align(64));
  global->setSection(".qcc.descriptor");
  // The start gets a local name, which no other module can define.
  auto *start =
      llvm::GlobalAlias::create(type, 0, llvm::GlobalValue::InternalLinkage,
                                "qcc.start", global, &module);
  std::vector<llvm::Constant *> fields;
  for (auto [i, run] : llvm::enumerate(runs)) {
    fields.push_back(llvm::ConstantDataArray::getRaw(
        StringRef(bytes.data() + run.first, run.second - run.first),
        run.second - run.first, llvm::Type::getInt8Ty(context)));
    if (i < references.size())
      fields.push_back(llvm::ConstantExpr::getAdd(
          llvm::ConstantExpr::getSub(
              llvm::ConstantExpr::getPtrToInt(references[i].symbol, i64),
              llvm::ConstantExpr::getPtrToInt(start, i64)),
          llvm::ConstantInt::get(i64, references[i].addend)));
  }
  global->setInitializer(llvm::ConstantStruct::get(type, fields));
}

llvm::Error DescriptorBuilder::run() {
  bytes.resize(sizeof(qcc_descriptor));
  std::vector<qcc_variant_desc> table;
  std::vector<std::optional<int64_t>> places; // of weights
  std::vector<uint64_t> keys;
  for (const TranslatedVariant &variant : variants) {
    qcc_variant_desc desc = {};
    bool isDevice = variant.target->isDevice();
    desc.device = isDevice ? QCC_DEVICE_CUDA : QCC_DEVICE_CPU;
    desc.kernels_size = variant.kernels.size();
    desc.binary_size = variant.binary.size();
    desc.n_entries = variant.program.entries.size();
    desc.target_ref = addString(variant.target->getName());
    desc.features_ref = addString(variant.target->requiredFeatures());
    if (llvm::Error error = addEntries(variant, desc.entries_ref))
      return error;
    places.push_back(std::nullopt);
    desc.weights_size = variant.program.weights.size();
    keys.push_back(0);
    if (desc.weights_size > 0) {
      places.back() = weights.add(variant.program.weights);
      rt::ContentHash hash;
      variant.program.weights.visit([&](ArrayRef<char> bytes) {
        hash.update(bytes.data(), bytes.size());
      });
      keys.back() = hash.finish();
    }
    table.push_back(desc);
  }
  int64_t ref = add<qcc_variant_desc>(table);
  int64_t keysRef = add<uint64_t>(keys);
  llvm::GlobalVariable *image = weights.size() > 0 ? addWeights() : nullptr;
  for (auto [i, place] : llvm::enumerate(places)) {
    int64_t desc = ref + i * sizeof(qcc_variant_desc);
    if (place)
      addReference(desc + offsetof(qcc_variant_desc, weights_ref), image,
                   *place);
    const TranslatedVariant &variant = variants[i];
    if (variant.target->isDevice())
      addReference(desc + offsetof(qcc_variant_desc, kernels_ref),
                   addKernels(variant.prefix + "kernels", variant.kernels));
    if (!variant.binary.empty())
      addReference(desc + offsetof(qcc_variant_desc, binary_ref),
                   addKernels(variant.prefix + "binary", variant.binary));
  }
  qcc_descriptor descriptor = {};
  memcpy(descriptor.magic, QCC_ABI_MAGIC, sizeof(descriptor.magic));
  descriptor.version = QCC_ABI_VERSION;
  descriptor.n_variants = table.size();
  descriptor.size = sizeof(qcc_descriptor);
  descriptor.producer_ref = addString("qcc " QCC_VERSION);
  descriptor.variants_ref = ref;
  descriptor.minor_version = QCC_ABI_MINOR_VERSION;
  const qcc_record_sizes sizes = QCC_RECORD_SIZES;
  descriptor.record_sizes_ref = add<qcc_record_sizes>(sizes);
  std::vector<qcc_metadata_desc> metadata;
  // All variants are of one program.
  if (DictionaryAttr pairs = variants.front().program.metadata)
    for (NamedAttribute pair : pairs)
      metadata.push_back(
          {addString(pair.getName().getValue()),
           addString(cast<StringAttr>(pair.getValue()).getValue())});
  descriptor.n_metadata = metadata.size();
  descriptor.metadata_ref = add<qcc_metadata_desc>(metadata);
  descriptor.weight_keys_ref = keysRef;
  addSelfTests(descriptor);
  memcpy(bytes.data(), &descriptor, sizeof(descriptor));
  emit();
  addNote();
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  return llvm::Error::success();
}

llvm::Error qcc::addDescriptor(llvm::Module &module,
                               ArrayRef<TranslatedVariant> variants,
                               WeightsImage *apart) {
  return DescriptorBuilder(module, variants, apart).run();
}
