//===- PeaksTests.cpp -----------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peaks.h"
#include "common/Interleaved.h"
#include "qcc/Support/Random.h"
#include <gtest/gtest.h>

using namespace qcc;
using namespace qcc::bench;

TEST(Peaks, RatesAreAsTheHardwareAllows) {
  const rt::HostFeatures &host = rt::HostFeatures::host();
  for (const char *name : {"avx2", "avx512", "avx-vnni", "avx512-vnni"}) {
    const Isa *isa = findIsa(name, host);
    if (!host.missing(isa->needs.str()).empty())
      continue;
    auto data = HostTensor::create({QCC_UINT, 8}, {kPeakDataBytes});
    ASSERT_TRUE(data.isOk());
    fillRandom(*data, {1});
    for (DataType type : {DataType::S8, DataType::F32})
      EXPECT_EQ(
          llvm::count_if(peaksOf(*isa, type),
                         [](const Peak &peak) { return peak.isReference; }),
          1)
          << name;
    for (const Peak &peak : peaksOf(*isa, DataType::S8)) {
      tools::TimedRun candidate;
      candidate.run = [&](int64_t calls) {
        peak.run(1000 * calls, data->data());
      };
      calibrate(candidate);
      tools::measure({&candidate}, 1);
      double rate = 1000 * peak.operations / candidate.median() * 1e-9;
      // From an old server under load to a desktop to come.
      EXPECT_GT(rate, peak.unit == std::string("GHz") ? 0.1 : 1) << peak.name;
      EXPECT_LT(rate, peak.unit == std::string("GHz") ? 12 : 1e5) << peak.name;
    }
  }
}
