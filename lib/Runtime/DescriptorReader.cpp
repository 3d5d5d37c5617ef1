//===- DescriptorReader.cpp - Checked reading of a descriptor -------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per table of ABI.h; those of entries are in EntryReader.cpp.
//
//===----------------------------------------------------------------------===//

#include "DescriptorReader.h"

#include <cstring>

namespace qcc::rt {

void DescriptorReader::fail(const std::string &what) {
  if (status_.isOk())
    status_ = corrupt("the artifact's descriptor is damaged: " + what +
                      "; compile the program again");
}

bool DescriptorReader::isMapped(const char *begin, int64_t size) const {
  if (ranges_.empty())
    return true;
  auto address = reinterpret_cast<uintptr_t>(begin);
  for (const MemoryRange &range : ranges_) {
    auto start = reinterpret_cast<uintptr_t>(range.begin);
    if (address >= start && size <= range.size &&
        address - start <= uintptr_t(range.size - size))
      return true;
  }
  return false;
}

const char *DescriptorReader::resolve(int64_t ref, int64_t count, int64_t size,
                                      size_t alignment, const char *what) {
  if (!status_.isOk())
    return nullptr;
  int64_t bytes;
  if (count < 0 || __builtin_mul_overflow(count, size, &bytes)) {
    fail(std::string(what) + " has " + std::to_string(count) + " elements");
    return nullptr;
  }
  if (count == 0)
    return nullptr;
  if (ref == 0) {
    fail(std::string(what) + " is missing");
    return nullptr;
  }
  // Not pointer arithmetic: a damaged reference leads anywhere.
  auto *begin = reinterpret_cast<const char *>(
      reinterpret_cast<uintptr_t>(descriptor_) + uintptr_t(ref));
  if (!isMapped(begin, bytes)) {
    fail(std::string(what) + " lies outside of the artifact");
    return nullptr;
  }
  if (reinterpret_cast<uintptr_t>(begin) % alignment != 0) {
    fail(std::string(what) + " is misaligned");
    return nullptr;
  }
  return begin;
}

const char *DescriptorReader::readTableOf(int64_t ref, int64_t count,
                                          int64_t size, size_t alignment,
                                          const char *what) {
  if (status_.isOk() && count > QCC_MAX_COUNT)
    fail(std::string(what) + " has " + std::to_string(count) + " elements");
  const char *begin = resolve(ref, count, size, alignment, what);
  // Tables that refer to one another in circles, or that many refer to, would
  // go on for ever.
  if (begin && (objects_ += count) > QCC_MAX_OBJECTS) {
    fail("its tables have too many elements");
    return nullptr;
  }
  return begin;
}

std::string_view DescriptorReader::readString(int64_t ref, const char *what) {
  if (ref == 0)
    return {};
  const char *begin = resolve(ref, 1, 1, 1, what);
  if (!begin)
    return {};
  int64_t length = 0;
  while (length <= QCC_MAX_STRING && isMapped(begin + length, 1)) {
    if (begin[length] == '\0')
      return {begin, size_t(length)};
    ++length;
  }
  fail(std::string(what) + " has no end");
  return {};
}

Size DescriptorReader::readSize(int64_t raw, int numValues, const char *what) {
  Size size(raw);
  if (size.isDynamic() && size.valueIndex() >= numValues) {
    fail(std::string(what) + " refers to value " +
         std::to_string(size.valueIndex()) + " of " +
         std::to_string(numValues));
    return Size();
  }
  return size;
}

std::vector<Size> DescriptorReader::readDims(int64_t ref, int rank,
                                             int numValues) {
  std::vector<Size> dims;
  if (rank > QCC_MAX_RANK)
    fail("a tensor has rank " + std::to_string(rank));
  const int64_t *raw = readTable<int64_t>(ref, rank, "a tensor's shape");
  for (int i = 0; raw && i < rank; ++i)
    dims.push_back(readSize(raw[i], numValues, "a dimension"));
  return dims;
}

DType DescriptorReader::readDType(uint8_t code, uint8_t bits) {
  DType type = DType::fromCode(code, bits);
  if (!type.isKnown())
    fail("a tensor has the unknown element type " + type.name());
  return type;
}

std::optional<Quantization> DescriptorReader::readQuantization(int64_t ref,
                                                               size_t rank) {
  if (ref == 0)
    return std::nullopt;
  auto found = readRecords<qcc_quant_desc>(ref, 1, "a quantization");
  if (found.size() == 0)
    return std::nullopt;
  const qcc_quant_desc quant = found[0];
  Quantization q;
  q.perChannel = quant.kind == QCC_QUANT_PER_CHANNEL;
  q.axis = quant.axis;
  q.count = quant.count;
  if ((!q.perChannel && quant.kind != QCC_QUANT_PER_TENSOR) || q.count < 1 ||
      (q.perChannel && (q.axis < 0 || size_t(q.axis) >= rank)) ||
      (!q.perChannel && q.count != 1)) {
    fail("a quantization contradicts itself");
    return std::nullopt;
  }
  // No table of counted objects: a channel count has no natural limit.
  q.scales = reinterpret_cast<const float *>(resolve(
      quant.scales_ref, q.count, sizeof(float), alignof(float), "a scale"));
  q.zeroPoints = reinterpret_cast<const int32_t *>(
      resolve(quant.zero_points_ref, q.count, sizeof(int32_t), alignof(int32_t),
              "a zero point"));
  return q;
}

std::vector<std::string_view> DescriptorReader::readNames(int64_t ref,
                                                          int count) {
  std::vector<std::string_view> names;
  if (ref == 0)
    return names;
  const auto *refs = readTable<int64_t>(ref, count, "a list of names");
  for (int i = 0; refs && i < count; ++i)
    names.push_back(readString(refs[i], "the name of a dimension"));
  return names;
}

TensorInfo DescriptorReader::readTensor(const qcc_tensor_desc &desc,
                                        int numValues) {
  TensorInfo info;
  info.name = readString(desc.name_ref, "a tensor's name");
  info.dtype = readDType(desc.type_code, desc.bits);
  info.dims = readDims(desc.dims_ref, desc.rank, numValues);
  info.quantization = readQuantization(desc.quant_ref, info.dims.size());
  info.dimNames = readNames(desc.dim_names_ref, info.dims.size());
  return info;
}

/// The sizes of descriptors before there were minor versions, before there were
/// self-tests, and before there was a hash of the code.
constexpr int64_t descriptorSizeOf40 = offsetof(qcc_descriptor, minor_version),
                  descriptorSizeOf41 = offsetof(qcc_descriptor, n_self_tests),
                  descriptorSizeOf45 = offsetof(qcc_descriptor, code_size);
constexpr uint32_t firstMinorWithSelfTests = 5, firstMinorWithCodeHash = 7;

static std::string versionText(uint32_t minorVersion) {
  return std::to_string(QCC_ABI_VERSION) + "." + std::to_string(minorVersion);
}

Status DescriptorReader::readHeader() {
  if (!descriptor_)
    return invalidArgument("there is no descriptor");
  auto *begin = reinterpret_cast<const char *>(descriptor_);
  if (reinterpret_cast<uintptr_t>(begin) % alignof(qcc_descriptor) != 0 ||
      !isMapped(begin, descriptorSizeOf40)) {
    fail("it lies outside of the artifact");
    return status_;
  }
  if (memcmp(descriptor_->magic, QCC_ABI_MAGIC, sizeof(descriptor_->magic)) !=
      0)
    return corrupt("this is no artifact of qcc: its descriptor does not start "
                   "with " QCC_ABI_MAGIC);
  if (descriptor_->version != QCC_ABI_VERSION)
    return unsupported("the artifact has version " +
                       std::to_string(descriptor_->version) +
                       ", this runtime reads versions " + versionText(0) +
                       " to " + versionText(QCC_ABI_MINOR_VERSION) +
                       "; use the compiler and the runtime of one release");
  if (descriptor_->size == descriptorSizeOf40)
    return status_;
  // A newer descriptor is larger, and what is known of it stands first.
  auto checkSize = [&](int64_t least) {
    if (descriptor_->size < least || !isMapped(begin, least))
      fail("it is " + std::to_string(descriptor_->size) + " bytes long");
    return status_;
  };
  if (!checkSize(descriptorSizeOf41).isOk())
    return status_;
  minorVersion_ = descriptor_->minor_version;
  if (minorVersion_ >= firstMinorWithSelfTests &&
      !checkSize(descriptorSizeOf45).isOk())
    return status_;
  if (minorVersion_ >= firstMinorWithCodeHash &&
      !checkSize(sizeof(qcc_descriptor)).isOk())
    return status_;
  if (minorVersion_ > QCC_ABI_MINOR_VERSION)
    return unsupported(
        "the artifact has version " + versionText(minorVersion_) +
        ", which is newer than this runtime, which reads "
        "versions " +
        versionText(0) + " to " + versionText(QCC_ABI_MINOR_VERSION) +
        "; update the runtime to the compiler's release");
  readSizes();
  return status_;
}

void DescriptorReader::readSizes() {
  const auto *sizes = readTable<qcc_record_sizes>(
      descriptor_->record_sizes_ref, 1, "the table of record sizes");
  if (!sizes)
    return;
  // Nothing ever gets shorter, and a larger record is of a newer version.
  const qcc_record_sizes oldest = QCC_RECORD_SIZES_OF_4_0,
                         newest = QCC_RECORD_SIZES;
  auto read = [&](uint32_t qcc_record_sizes::*record) {
    uint32_t size = sizes->*record;
    if (size < oldest.*record || size > newest.*record || size % 8 != 0)
      fail("a record is " + std::to_string(size) + " bytes long");
    sizes_.*record = size;
  };
  for (auto record : {&qcc_record_sizes::quant, &qcc_record_sizes::tensor,
                      &qcc_record_sizes::operand, &qcc_record_sizes::step,
                      &qcc_record_sizes::entry, &qcc_record_sizes::variant})
    read(record);
}

std::vector<Variant> DescriptorReader::readVariantHeaders() {
  std::vector<Variant> variants;
  auto descs = readRecords<qcc_variant_desc>(
      descriptor_->variants_ref, descriptor_->n_variants, "the variant table");
  for (size_t i = 0; i < descs.size(); ++i) {
    const qcc_variant_desc desc = descs[i];
    Variant variant;
    variant.device = desc.device;
    variant.target = readString(desc.target_ref, "a variant's target");
    variant.features = readString(desc.features_ref, "a variant's features");
    variants.push_back(std::move(variant));
  }
  return variants;
}

/// The code of a variant for a device, which others read up to its end.
void DescriptorReader::readKernels(const qcc_variant_desc &desc,
                                   Variant &variant) {
  int64_t size = desc.kernels_size;
  if (variant.device == QCC_DEVICE_CPU || size < 0 || size == INT64_MAX) {
    if (size != 0)
      fail("the code of its kernels has " + std::to_string(size) + " bytes");
    return;
  }
  const char *begin =
      resolve(desc.kernels_ref, size + 1, 1, 1, "the code of its kernels");
  if (!begin)
    return;
  if (begin[size] != '\0')
    return fail("the code of its kernels has no end");
  variant.kernels = {begin, size_t(size)};
  if (desc.binary_size == 0)
    return;
  if (desc.binary_size < 0)
    return fail("the machine code of its kernels has " +
                std::to_string(desc.binary_size) + " bytes");
  if (const char *binary = resolve(desc.binary_ref, desc.binary_size, 1, 1,
                                   "the machine code of its kernels"))
    variant.binary = {binary, size_t(desc.binary_size)};
}

void DescriptorReader::readVariant(size_t index, Variant &variant) {
  auto descs = readRecords<qcc_variant_desc>(
      descriptor_->variants_ref, descriptor_->n_variants, "the variant table");
  if (index >= descs.size())
    return;
  const qcc_variant_desc desc = descs[index];
  if (desc.weights_size > 0)
    variant.weights =
        resolve(desc.weights_ref, desc.weights_size, 1, 1, "the weights");
  else if (desc.weights_size < 0)
    fail("the weights have a negative size");
  constexpr uintptr_t weightsAlignment = 64;
  if (reinterpret_cast<uintptr_t>(variant.weights) % weightsAlignment != 0)
    fail("the weights are not aligned to 64 bytes");
  variant.weightsSize = desc.weights_size;
  readKernels(desc, variant);
  if (minorVersion_ > 0 && descriptor_->weight_keys_ref != 0) {
    const auto *keys =
        readTable<uint64_t>(descriptor_->weight_keys_ref,
                            descriptor_->n_variants, "the keys of the weights");
    variant.weightsKey = keys ? keys[index] : 0;
  }
  auto entries = readRecords<qcc_entry_desc>(desc.entries_ref, desc.n_entries,
                                             "the table of entries");
  for (size_t i = 0; i < entries.size() && status_.isOk(); ++i)
    variant.entries.push_back(readEntry(entries[i], variant));
}

std::vector<Metadata> DescriptorReader::readMetadata() {
  std::vector<Metadata> metadata;
  if (minorVersion_ == 0)
    return metadata;
  const auto *pairs = readTable<qcc_metadata_desc>(
      descriptor_->metadata_ref, descriptor_->n_metadata, "the metadata");
  for (uint32_t i = 0; pairs && i < descriptor_->n_metadata; ++i)
    metadata.push_back({readString(pairs[i].key_ref, "a key of metadata"),
                        readString(pairs[i].value_ref, "a text of metadata")});
  return metadata;
}

std::vector<SelfTest>
DescriptorReader::readSelfTests(const std::vector<Entry> &entries) {
  std::vector<SelfTest> tests;
  if (minorVersion_ < firstMinorWithSelfTests)
    return tests;
  const auto *descs = readTable<qcc_self_test_desc>(
      descriptor_->self_tests_ref, descriptor_->n_self_tests, "the self-tests");
  for (int64_t i = 0; descs && i < descriptor_->n_self_tests; ++i) {
    const qcc_self_test_desc &desc = descs[i];
    if (!desc.is_known)
      continue;
    if (desc.entry < 0 || desc.entry >= int64_t(entries.size())) {
      fail("a self-test is of entry " + std::to_string(desc.entry));
      break;
    }
    if (desc.integer_limit < 0 || desc.integer_limit > INT32_MAX) {
      fail("a self-test limits integers to " +
           std::to_string(desc.integer_limit));
      break;
    }
    int64_t numSizes = entries[desc.entry].numSymbols;
    const auto *sizes =
        readTable<int64_t>(desc.sizes_ref, numSizes, "sizes of a self-test");
    if (sizes || numSizes == 0)
      tests.push_back({desc.entry,
                       {sizes, sizes + numSizes},
                       desc.seed,
                       desc.integer_limit,
                       desc.digest});
  }
  return tests;
}

std::string_view DescriptorReader::readProducer() {
  return readString(descriptor_->producer_ref, "the producer's name");
}

} // namespace qcc::rt
