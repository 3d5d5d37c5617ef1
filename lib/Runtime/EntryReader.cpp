//===- EntryReader.cpp - Entries and steps of a descriptor ----------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescriptorReader.h"

namespace qcc::rt {

std::vector<int> DescriptorReader::readOrder(int64_t ref, int rank) {
  if (ref == 0)
    return {};
  std::vector<int> order;
  std::vector<bool> seen(rank);
  const int64_t *raw = readTable<int64_t>(ref, rank, "an order of dimensions");
  for (int i = 0; raw && i < rank; ++i) {
    if (raw[i] < 0 || raw[i] >= rank || seen[raw[i]]) {
      fail("the dimensions of an operand lie in no order");
      return {};
    }
    seen[raw[i]] = true;
    order.push_back(static_cast<int>(raw[i]));
  }
  return order;
}

std::vector<int64_t>
DescriptorReader::readBorder(int64_t ref, const std::vector<Size> &dims) {
  if (ref == 0)
    return {};
  size_t rank = dims.size();
  const int64_t *raw =
      readTable<int64_t>(ref, int64_t(2 * rank), "the border of an operand");
  if (!raw)
    return {};
  // A size that is not literal is checked when the value is read.
  for (size_t d = 0; d < rank; ++d) {
    int64_t most = dims[d].isDynamic() ? INT64_MAX : dims[d].literal();
    if (raw[d] < 0 || raw[d] > most || raw[rank + d] < 0 ||
        raw[rank + d] > most - raw[d]) {
      fail("the border of an operand does not fit in it");
      return {};
    }
  }
  return {raw, raw + 2 * rank};
}

OperandInfo DescriptorReader::readOperand(const qcc_operand_desc &desc,
                                          const Entry &entry,
                                          int64_t weightsSize) {
  OperandInfo info;
  info.dtype = readDType(desc.type_code, desc.bits);
  info.dims = readDims(desc.dims_ref, desc.rank, entry.numValues);
  info.quantization = readQuantization(desc.quant_ref, info.dims.size());
  info.layer = readString(desc.layer_ref, "the layer of an operand");
  info.name = readString(desc.name_ref, "the name of an operand");
  info.border = readBorder(desc.border_ref, info.dims);
  info.kind = qcc_operand_kind(desc.kind);
  info.index = Size(desc.index);
  info.order = readOrder(desc.order_ref, info.dims.size());
  info.rowPitch = desc.row_pitch;
  if (info.rowPitch != 0) {
    bool hasRows = desc.kind == QCC_ARENA && !info.dims.empty();
    Size row = hasRows ? info.dims[info.order.empty() ? info.dims.size() - 1
                                                      : info.order.back()]
                       : Size();
    if (!hasRows || row.isDynamic() || info.rowPitch < row.literal())
      fail("the rows of an operand cannot be apart");
  }
  info.byteShift = desc.byte_shift;
  if (info.byteShift != 0 &&
      (desc.bits != 8 || info.byteShift < 0 || info.byteShift > 255))
    fail("nothing can have been added to the elements of an operand");
  int64_t limit = 0;
  switch (desc.kind) {
  case QCC_ARGUMENT:
    limit = entry.arguments.size();
    break;
  case QCC_RESULT:
    limit = entry.results.size();
    break;
  case QCC_ARENA:
    info.index = readSize(desc.index, entry.numValues, "an arena offset");
    return info;
  case QCC_WEIGHTS:
    limit = weightsSize + 1; // An empty weight may stand at the end.
    break;
  }
  if (desc.index < 0 || desc.index >= limit)
    fail("an operand of a step refers to nothing");
  return info;
}

/// Fails unless it is among the operands of the step, and no larger than maps
/// are.
TensorMapInfo DescriptorReader::readTensorMap(int64_t ref, const Step &step,
                                              const Entry &entry) {
  TensorMapInfo info;
  const auto *from =
      readTable<qcc_tensor_map_desc>(ref, 1, "a tensor map of a kernel");
  if (!from)
    return info;
  constexpr int32_t mostOfBox = 256;
  info.isOutput = from->operand_kind == QCC_PARAMETER_OUTPUT;
  info.operand = from->operand;
  info.swizzle = from->swizzle;
  info.offset = from->offset;
  int64_t count = (info.isOutput ? step.outputs : step.inputs).size();
  if ((!info.isOutput && from->operand_kind != QCC_PARAMETER_INPUT) ||
      from->operand < 0 || from->offset < 0 || from->operand >= count ||
      from->rank < 1 || from->rank > QCC_MAX_TENSOR_MAP_RANK) {
    fail("a tensor map of a kernel refers to nothing");
    return info;
  }
  for (int i = 0; i < from->rank; ++i) {
    info.dims.push_back(
        readSize(from->dims[i], entry.numValues, "a size of a tensor map"));
    info.box.push_back(from->box[i]);
    if (from->box[i] < 1 || from->box[i] > mostOfBox)
      fail("a tensor map of a kernel has a box that no device copies");
    if (i > 0)
      info.strides.push_back(from->strides[i - 1]);
  }
  return info;
}

Launch DescriptorReader::readLaunch(const qcc_step_desc &desc, const Step &step,
                                    const Entry &entry) {
  Launch launch;
  const auto *from =
      readTable<qcc_launch_desc>(desc.launch_ref, 1, "the launch of a step");
  if (!from)
    return launch;
  launch.kernel = readString(from->kernel_ref, "a kernel's name");
  if (launch.kernel.empty())
    fail("a launch names no kernel");
  launch.grid = readSize(from->grid, entry.numValues, "a number of blocks");
  launch.block = readSize(from->block, entry.numValues, "a number of threads");
  launch.sharedBytes =
      readSize(from->shared_bytes, entry.numValues, "a shared memory");
  launch.isProgrammatic = desc.programmatic != 0;
  const auto *parameters = readTable<qcc_parameter_desc>(
      from->parameters_ref, from->n_parameters, "a kernel's parameters");
  for (int64_t i = 0; parameters && i < from->n_parameters; ++i) {
    LaunchParameter parameter;
    parameter.kind = qcc_parameter_kind(parameters[i].kind);
    parameter.value = Size(parameters[i].value);
    bool isOutput = parameters[i].kind == QCC_PARAMETER_OUTPUT;
    int64_t count = (isOutput ? step.outputs : step.inputs).size();
    if (parameters[i].kind == QCC_PARAMETER_SIZE) {
      parameter.value =
          readSize(parameters[i].value, entry.numValues, "a parameter");
    } else if (parameters[i].kind == QCC_PARAMETER_TENSOR_MAP) {
      parameter.value = Size(int64_t(launch.tensorMaps.size()));
      launch.tensorMaps.push_back(
          readTensorMap(parameters[i].value, step, entry));
    } else if ((!isOutput && parameters[i].kind != QCC_PARAMETER_INPUT) ||
               parameters[i].value < 0 || parameters[i].value >= count) {
      fail("a parameter of a kernel refers to nothing");
    }
    launch.parameters.push_back(parameter);
  }
  return launch;
}

Step DescriptorReader::readStep(const qcc_step_desc &desc, const Entry &entry,
                                const Variant &variant) {
  Step step;
  bool isLaunch = desc.kind == QCC_STEP_LAUNCH;
  if (!isLaunch && desc.kind != QCC_STEP_HOST)
    fail("a step is of the unknown kind " + std::to_string(desc.kind));
  else if (isLaunch != (variant.device != QCC_DEVICE_CPU))
    fail("a step is not of the kind that the device of its variant runs");
  step.name = readString(desc.name_ref, "a step's name");
  step.layer = readString(desc.layer_ref, "a step's layer");
  step.location = readString(desc.location_ref, "a step's location");
  if (!isLaunch)
    step.function = reinterpret_cast<qcc_step_fn>(reinterpret_cast<uintptr_t>(
        resolve(desc.function_ref, 1, 1, 1, "a step's function")));
  step.parallel = desc.parallel != 0;
  step.operations =
      readSize(desc.operations, entry.numValues, "an operation count");
  step.bytes = readSize(desc.bytes, entry.numValues, "a byte count");
  step.scratchBytes =
      readSize(desc.scratch_bytes, entry.numValues, "a scratch size");
  auto readOperands = [&](int64_t ref, int count,
                          std::vector<OperandInfo> &operands) {
    auto descs = readRecords<qcc_operand_desc>(ref, count, "a step's operands");
    for (size_t i = 0; i < descs.size() && status_.isOk(); ++i)
      operands.push_back(readOperand(descs[i], entry, variant.weightsSize));
  };
  readOperands(desc.inputs_ref, desc.n_inputs, step.inputs);
  readOperands(desc.outputs_ref, desc.n_outputs, step.outputs);
  if (isLaunch)
    step.launch = readLaunch(desc, step, entry);
  return step;
}

/// The caller of an entry sets the symbols through the shapes of its arguments,
/// so every symbol must be there, and nothing else may be.
void DescriptorReader::checkSymbols(const Entry &entry) {
  std::vector<bool> seen(entry.numSymbols);
  for (const TensorInfo &argument : entry.arguments)
    for (Size dim : argument.dims) {
      if (!dim.isDynamic())
        continue;
      if (dim.valueIndex() >= entry.numSymbols)
        return fail("a dimension of an argument is no symbol");
      seen[dim.valueIndex()] = true;
    }
  for (bool one : seen)
    if (!one)
      return fail("a symbol is no dimension of any argument");
}

Entry DescriptorReader::readEntry(const qcc_entry_desc &desc,
                                  const Variant &variant) {
  Entry entry;
  entry.name = readString(desc.name_ref, "an entry's name");
  if (desc.n_symbols < 0 || desc.n_values < desc.n_symbols ||
      desc.n_values > QCC_MAX_COUNT) {
    fail("an entry has " + std::to_string(desc.n_symbols) + " symbols of " +
         std::to_string(desc.n_values) + " values");
    return entry;
  }
  entry.numSymbols = desc.n_symbols;
  entry.numValues = desc.n_values;

  auto readTensors = [&](int64_t ref, int count, const char *what,
                         std::vector<TensorInfo> &tensors) {
    auto descs = readRecords<qcc_tensor_desc>(ref, count, what);
    for (size_t i = 0; i < descs.size() && status_.isOk(); ++i)
      tensors.push_back(readTensor(descs[i], entry.numValues));
  };
  readTensors(desc.arguments_ref, desc.n_arguments, "the table of arguments",
              entry.arguments);
  readTensors(desc.results_ref, desc.n_results, "the table of results",
              entry.results);
  if (!status_.isOk())
    return entry;
  checkSymbols(entry);

  entry.inPlace.assign(entry.results.size(), -1);
  if (desc.in_place_ref != 0) {
    const auto *inPlace = readTable<int32_t>(desc.in_place_ref, desc.n_results,
                                             "the table of in-place arguments");
    for (int i = 0; inPlace && i < desc.n_results; ++i) {
      if (inPlace[i] < -1 || inPlace[i] >= desc.n_arguments)
        fail("an in-place argument does not exist");
      entry.inPlace[i] = inPlace[i];
    }
  }

  const auto *requirements = readTable<int64_t>(
      desc.requirements_ref, desc.n_requirements, "the table of requirements");
  for (int i = 0; requirements && i < desc.n_requirements; ++i)
    entry.requirements.push_back(
        readString(requirements[i], "a requirement's text"));

  entry.plan = reinterpret_cast<qcc_plan_fn>(reinterpret_cast<uintptr_t>(
      resolve(desc.plan_ref, 1, 1, 1, "the plan function")));

  auto steps = readRecords<qcc_step_desc>(desc.steps_ref, desc.n_steps,
                                          "the table of steps");
  for (size_t i = 0; i < steps.size() && status_.isOk(); ++i)
    entry.steps.push_back(readStep(steps[i], entry, variant));
  return entry;
}

} // namespace qcc::rt
