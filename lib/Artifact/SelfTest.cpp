//===- SelfTest.cpp - Runs whose results are known ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Artifact/SelfTest.h"

#include "qcc/Artifact/ABI.h"
#include "qcc/Artifact/ArtifactNote.h"
#include "qcc/Artifact/ElfFile.h"

#include <cstring>

using namespace qcc;
using namespace qcc::rt;

namespace {
/// The table of tests in the file. The descriptor and its tables are one
/// object, so references are distances in the file as well.
class TestTable {
public:
  static Result<TestTable> find(char *artifact, uint64_t size);

  /// Writes a test to a place that no other has taken.
  Status store(const SelfTest &test);

private:
  TestTable(char *artifact, uint64_t size) : bytes_(artifact), size_(size) {}

  /// Fails unless `count` items lie in the file at a distance from the
  /// descriptor.
  template <typename T> Result<T *> at(int64_t ref, uint64_t count);

  char *bytes_;
  uint64_t size_;
  uint64_t descriptor_ = 0; ///< Its offset in the file.
  qcc_self_test_desc *tests_ = nullptr;
  int64_t count_ = 0;
};
} // namespace

template <typename T> Result<T *> TestTable::at(int64_t ref, uint64_t count) {
  uint64_t offset = descriptor_ + uint64_t(ref);
  if (offset > size_ || count > (size_ - offset) / sizeof(T) ||
      offset % alignof(T) != 0)
    return corrupt("a self-test of the artifact lies outside of it");
  return reinterpret_cast<T *>(bytes_ + offset);
}

Result<TestTable> TestTable::find(char *artifact, uint64_t size) {
  MemorySource source(artifact, size);
  Result<ElfFile> elf = ElfFile::read(source);
  if (!elf.isOk())
    return elf.status();
  Result<ElfPlace> place = elf->findDescriptor();
  if (!place.isOk())
    return place.status();
  TestTable table(artifact, size);
  table.descriptor_ = place->offset;
  Result<qcc_descriptor *> descriptor = table.at<qcc_descriptor>(0, 1);
  if (!descriptor.isOk())
    return descriptor.status();
  qcc_descriptor &found = **descriptor;
  if (found.size < int64_t(offsetof(qcc_descriptor, code_size)))
    return unsupported("the artifact has no room for self-tests; compile the "
                       "program again");
  if (found.n_self_tests < 0 || found.n_self_tests > QCC_MAX_COUNT)
    return corrupt("the artifact has " + std::to_string(found.n_self_tests) +
                   " self-tests");
  table.count_ = found.n_self_tests;
  Result<qcc_self_test_desc *> tests = table.at<qcc_self_test_desc>(
      found.self_tests_ref, uint64_t(table.count_));
  if (!tests.isOk())
    return tests.status();
  table.tests_ = *tests;
  for (int64_t i = 0; i < table.count_; ++i)
    table.tests_[i].is_known = 0;
  return table;
}

Status TestTable::store(const SelfTest &test) {
  for (int64_t i = 0; i < count_; ++i) {
    qcc_self_test_desc &desc = tests_[i];
    if (desc.is_known || desc.entry != test.entry)
      continue;
    Result<int64_t *> sizes = at<int64_t>(desc.sizes_ref, test.sizes.size());
    if (!sizes.isOk())
      return sizes.status();
    memcpy(*sizes, test.sizes.data(), test.sizes.size() * sizeof(int64_t));
    desc.seed = test.seed;
    desc.integer_limit = test.integerLimit;
    desc.digest = test.digest;
    desc.is_known = 1;
    return Status::ok();
  }
  return invalidArgument("the artifact has no room for another self-test of "
                         "entry " +
                         std::to_string(test.entry));
}

Status rt::storeSelfTests(char *artifact, uint64_t size,
                          const std::vector<SelfTest> &tests) {
  Result<TestTable> table = TestTable::find(artifact, size);
  if (!table.isOk())
    return table.status();
  for (const SelfTest &test : tests) {
    Status status = table->store(test);
    if (!status.isOk())
      return status;
  }
  return stampArtifact(artifact, size);
}
