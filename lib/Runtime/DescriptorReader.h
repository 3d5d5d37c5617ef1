//===- DescriptorReader.h - Checked reading of a descriptor -----*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the tables of ABI.h into the structures of Module.h. The first
// contradiction is kept; everything read after it is empty.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_DESCRIPTORREADER_H
#define QCC_LIB_RUNTIME_DESCRIPTORREADER_H

#include "qcc/Runtime/Module.h"

namespace qcc::rt {

class DescriptorReader {
public:
  DescriptorReader(const qcc_descriptor *descriptor,
                   const std::vector<MemoryRange> &ranges)
      : descriptor_(descriptor), ranges_(ranges) {}

  /// Magic, version and size; to be checked before anything else is read.
  Status readHeader();

  /// All variants, with no more than their targets and features.
  std::vector<Variant> readVariantHeaders();

  /// The rest of variant `index`.
  void readVariant(size_t index, Variant &variant);

  std::string_view readProducer();

  const Status &status() const { return status_; }

private:
  void fail(const std::string &what);
  bool isMapped(const char *begin, int64_t size) const;

  /// The memory that `ref` refers to: `count` objects of `size` bytes.
  const char *resolve(int64_t ref, int64_t count, int64_t size,
                      const char *what);
  template <typename T>
  const T *readTable(int64_t ref, int64_t count, const char *what);
  std::string_view readString(int64_t ref, const char *what);

  Size readSize(int64_t raw, int numValues, const char *what);
  std::vector<Size> readDims(int64_t ref, int rank, int numValues);
  std::vector<int> readOrder(int64_t ref, int rank);
  DType readDType(uint8_t code, uint8_t bits);
  std::optional<Quantization> readQuantization(int64_t ref, size_t rank);
  TensorInfo readTensor(const qcc_tensor_desc &desc, int numValues);
  OperandInfo readOperand(const qcc_operand_desc &desc, const Entry &entry,
                          int64_t weightsSize);
  Launch readLaunch(const qcc_step_desc &desc, const Step &step,
                    const Entry &entry);
  Step readStep(const qcc_step_desc &desc, const Entry &entry,
                const Variant &variant);
  Entry readEntry(const qcc_entry_desc &desc, const Variant &variant);
  void readKernels(const qcc_variant_desc &desc, Variant &variant);
  void checkSymbols(const Entry &entry);

  const qcc_descriptor *descriptor_;
  const std::vector<MemoryRange> &ranges_;
  Status status_;
  int64_t objects_ = 0; ///< Read so far, in all tables.
};

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_DESCRIPTORREADER_H
