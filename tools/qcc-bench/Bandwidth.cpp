//===- Bandwidth.cpp - How fast the machine reads memory ------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops load into registers and do nothing else. Vectors are as wide as the
// host has them, whatever --isa says: it is memory that is measured.
//
//===----------------------------------------------------------------------===//

#include "Bandwidth.h"
#include "qcc/Runtime/HostFeatures.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <sys/mman.h>

using namespace qcc;
using namespace qcc::bench;

/// With more rows each byte is used in more operations than it takes to read
/// it, in the L3 cache as well.
constexpr int64_t kMostRows = 4;
/// Of one iteration.
constexpr int64_t kStepBytes = 512;
constexpr int64_t kHugePage = int64_t(1) << 21;

int64_t bench::bytesThatBound(const Shape &shape, DataType type) {
  const MatrixShape *matrix = shape.matrix();
  return matrix && matrix->m <= kMostRows
             ? shape.batches() * matrix->n * matrix->k * rhsBytesOf(type)
             : 0;
}

__attribute__((target("avx512f"))) static void readZmm(const char *data,
                                                       int64_t steps) {
  __asm__ volatile("1:\n\t"
                   "vmovdqa64 (%[d]), %%zmm0\n\t"
                   "vmovdqa64 64(%[d]), %%zmm1\n\t"
                   "vmovdqa64 128(%[d]), %%zmm2\n\t"
                   "vmovdqa64 192(%[d]), %%zmm3\n\t"
                   "vmovdqa64 256(%[d]), %%zmm4\n\t"
                   "vmovdqa64 320(%[d]), %%zmm5\n\t"
                   "vmovdqa64 384(%[d]), %%zmm6\n\t"
                   "vmovdqa64 448(%[d]), %%zmm7\n\t"
                   "addq $512, %[d]\n\t"
                   "decq %[n]\n\tjnz 1b"
                   : [n] "+r"(steps), [d] "+r"(data)
                   :
                   : "zmm0", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5", "zmm6",
                     "zmm7", "cc", "memory");
}

__attribute__((target("avx2"))) static void readYmm(const char *data,
                                                    int64_t steps) {
  __asm__ volatile("1:\n\t"
                   ".irp offset, 0, 64, 128, 192, 256, 320, 384, 448\n\t"
                   "vmovdqa \\offset(%[d]), %%ymm0\n\t"
                   "vmovdqa \\offset+32(%[d]), %%ymm1\n\t"
                   ".endr\n\t"
                   "addq $512, %[d]\n\t"
                   "decq %[n]\n\tjnz 1b"
                   : [n] "+r"(steps), [d] "+r"(data)
                   :
                   : "ymm0", "ymm1", "cc", "memory");
}

void BandwidthRunner::Unmap::operator()(char *memory) const {
  munmap(memory, size);
}

BandwidthRunner::Buffer BandwidthRunner::map(int64_t bytes, bool isHuge) {
  size_t size = llvm::alignTo(bytes, kHugePage) + kHugePage;
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Buffer(nullptr, {0});
  madvise(memory, size, isHuge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return Buffer(static_cast<char *>(memory), {size});
}

static char *firstHugePage(char *memory) {
  return reinterpret_cast<char *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(memory), kHugePage));
}

llvm::Expected<BandwidthRunner>
BandwidthRunner::create(int64_t bytes, std::shared_ptr<rt::ThreadPool> pool) {
  BandwidthRunner runner;
  runner.bytesPerThread =
      llvm::alignTo(llvm::divideCeil(bytes, pool->size()), kStepBytes);
  int64_t total = runner.bytesPerThread * pool->size();
  runner.huge = map(total, true);
  runner.small = map(total, false);
  runner.pool = std::move(pool);
  if (!runner.huge || !runner.small)
    return llvm::createStringError("not enough memory");
  // Pages that were never written are all the same one.
  for (const Buffer &buffer : {std::cref(runner.huge), std::cref(runner.small)})
    memset(firstHugePage(buffer.get()), 1, total);
  return runner;
}

std::vector<tools::TimedRun> BandwidthRunner::candidates() const {
  auto *read = rt::HostFeatures::host().has("avx512f") ? readZmm : readYmm;
  std::vector<tools::TimedRun> result;
  for (bool isHuge : {true, false}) {
    tools::TimedRun candidate;
    candidate.name = isHuge ? "reading huge pages" : "reading pages of 4 KiB";
    candidate.oneThread = pool->size() == 1;
    const char *data = firstHugePage((isHuge ? huge : small).get());
    candidate.run = [pool = pool.get(), bytes = bytesPerThread, data,
                     read](int64_t calls) {
      pool->run(pool->size(), [&](int thread, int) {
        for (int64_t i = 0; i < calls; ++i)
          read(data + thread * bytes, bytes / kStepBytes);
      });
    };
    result.push_back(std::move(candidate));
  }
  return result;
}
