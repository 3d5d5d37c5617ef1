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

#include <algorithm>
#include <cstring>

namespace qcc::rt {

/// Records of an artifact, which may have fewer fields than T: the others are
/// zero.
template <typename T> class RecordTable {
public:
  RecordTable() = default;
  RecordTable(const char *begin, size_t recordSize, size_t size)
      : begin_(begin), recordSize_(recordSize), size_(size) {}

  size_t size() const { return size_; }
  T operator[](size_t i) const {
    T record = {};
    memcpy(&record, begin_ + i * recordSize_, std::min(recordSize_, sizeof(T)));
    return record;
  }

private:
  const char *begin_ = nullptr;
  size_t recordSize_ = 0;
  size_t size_ = 0; ///< 0 where the table could not be read.
};

class DescriptorReader {
public:
  DescriptorReader(const qcc_descriptor *descriptor,
                   const std::vector<MemoryRange> &ranges)
      : descriptor_(descriptor), ranges_(ranges) {}

  /// Magic, versions and sizes; to be checked before anything else is read.
  Status readHeader();

  /// The minor version of the artifact.
  uint32_t minorVersion() const { return minorVersion_; }

  /// All variants, with no more than their targets and features.
  std::vector<Variant> readVariantHeaders();

  /// The rest of variant `index`.
  void readVariant(size_t index, Variant &variant);

  std::string_view readProducer();
  std::vector<Metadata> readMetadata();
  /// The self-tests whose digests are known, of the entries of a variant.
  std::vector<SelfTest> readSelfTests(const std::vector<Entry> &entries);

  const Status &status() const { return status_; }

private:
  void fail(const std::string &what);
  bool isMapped(const char *begin, int64_t size) const;

  /// The memory that `ref` refers to: `count` objects of `size` bytes.
  const char *resolve(int64_t ref, int64_t count, int64_t size,
                      size_t alignment, const char *what);
  template <typename T>
  const T *readTable(int64_t ref, int64_t count, const char *what);
  template <typename T>
  RecordTable<T> readRecords(int64_t ref, int64_t count, const char *what);
  const char *readTableOf(int64_t ref, int64_t count, int64_t size,
                          size_t alignment, const char *what);
  uint32_t sizeOf(const qcc_quant_desc *) const { return sizes_.quant; }
  uint32_t sizeOf(const qcc_tensor_desc *) const { return sizes_.tensor; }
  uint32_t sizeOf(const qcc_operand_desc *) const { return sizes_.operand; }
  uint32_t sizeOf(const qcc_step_desc *) const { return sizes_.step; }
  uint32_t sizeOf(const qcc_entry_desc *) const { return sizes_.entry; }
  uint32_t sizeOf(const qcc_variant_desc *) const { return sizes_.variant; }
  void readSizes();
  std::string_view readString(int64_t ref, const char *what);

  Size readSize(int64_t raw, int numValues, const char *what);
  std::vector<Size> readDims(int64_t ref, int rank, int numValues);
  std::vector<int64_t> readBorder(int64_t ref, const std::vector<Size> &dims);
  std::vector<int> readOrder(int64_t ref, int rank);
  DType readDType(uint8_t code, uint8_t bits);
  std::optional<Quantization> readQuantization(int64_t ref, size_t rank);
  std::vector<std::string_view> readNames(int64_t ref, int count);
  TensorInfo readTensor(const qcc_tensor_desc &desc, int numValues);
  OperandInfo readOperand(const qcc_operand_desc &desc, const Entry &entry,
                          int64_t weightsSize);
  TensorMapInfo readTensorMap(int64_t ref, const Step &step,
                              const Entry &entry);
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
  uint32_t minorVersion_ = 0;
  qcc_record_sizes sizes_ = QCC_RECORD_SIZES_OF_4_0;
  int64_t objects_ = 0; ///< Read so far, in all tables.
};

/// Numbers, whose size is the same in all versions.
template <typename T>
const T *DescriptorReader::readTable(int64_t ref, int64_t count,
                                     const char *what) {
  return reinterpret_cast<const T *>(
      readTableOf(ref, count, sizeof(T), alignof(T), what));
}

template <typename T>
RecordTable<T> DescriptorReader::readRecords(int64_t ref, int64_t count,
                                             const char *what) {
  uint32_t size = sizeOf(static_cast<const T *>(nullptr));
  const char *begin = readTableOf(ref, count, size, alignof(T), what);
  return begin ? RecordTable<T>(begin, size, count) : RecordTable<T>();
}

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_DESCRIPTORREADER_H
