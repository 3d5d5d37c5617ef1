//===- CpuQuotaTests.cpp - The share of CPUs that a container has ---------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On file systems made by hand, in the forms that Linux has had.
//
//===----------------------------------------------------------------------===//

#include "CpuQuota.h"

#include "TestFiles.h"
#include "qcc/Runtime/HostFeatures.h"

#include <climits>
#include <filesystem>

using namespace qcc::rt;

namespace {
/// A root folder that is gone after the test.
class Root {
public:
  Root() { std::filesystem::remove_all(path); }
  ~Root() { std::filesystem::remove_all(path); }

  Root &with(const std::string &file, const std::string &text) {
    std::filesystem::path place = path + file;
    std::filesystem::create_directories(place.parent_path());
    std::ofstream(place) << text;
    return *this;
  }
  int quota() const { return cpuQuota(path); }

private:
  const std::string path =
      testing::TempDir() + "qcc-quota-" + std::to_string(getpid());
};
} // namespace

TEST(CpuQuota, NoneWithoutLimits) {
  EXPECT_EQ(Root().quota(), INT_MAX);
  EXPECT_EQ(Root()
                .with("/proc/self/cgroup", "0::/\n")
                .with("/sys/fs/cgroup/cpu.max", "max 100000\n")
                .quota(),
            INT_MAX);
  EXPECT_EQ(Root()
                .with("/proc/self/cgroup", "2:cpu:/a\n")
                .with("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n")
                .with("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n")
                .quota(),
            INT_MAX);
  EXPECT_EQ(Root().with("/proc/self/cgroup", "nonsense\n:\n\n").quota(),
            INT_MAX);
}

TEST(CpuQuota, OfVersion2) {
  Root root;
  root.with("/proc/self/cgroup", "0::/outer/inner\n");
  root.with("/sys/fs/cgroup/outer/cpu.max", "400000 100000\n");
  EXPECT_EQ(root.quota(), 4);
  root.with("/sys/fs/cgroup/outer/inner/cpu.max", "150000 100000\n");
  EXPECT_EQ(root.quota(), 2);
  // A small share is a thread.
  root.with("/sys/fs/cgroup/cpu.max", "10000 100000\n");
  EXPECT_EQ(root.quota(), 1);
}

TEST(CpuQuota, OfVersion1) {
  for (const char *controllers : {"cpu", "cpu,cpuacct", "cpuset,cpu"}) {
    Root root;
    root.with("/proc/self/cgroup",
              std::string("3:memory:/m\n2:") + controllers + ":/docker/abc\n");
    // The path is that of the outside; the mount shows the inside.
    std::string mount = std::string("/sys/fs/cgroup/") + controllers;
    root.with(mount + "/cpu.cfs_quota_us", "300000\n");
    root.with(mount + "/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(root.quota(), 3) << controllers;
  }
  EXPECT_EQ(Root()
                .with("/proc/self/cgroup", "2:cpuset:/a\n")
                .with("/sys/fs/cgroup/cpuset/a/cpu.max", "100000 100000\n")
                .quota(),
            INT_MAX);
}

TEST(CpuQuota, LimitsThreads) {
  EXPECT_GE(availableCpus(), 1);
  EXPECT_LE(availableCpus(), cpuQuota());
}
