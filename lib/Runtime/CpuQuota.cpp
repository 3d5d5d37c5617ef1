//===- CpuQuota.cpp - The share of CPUs that a container has --------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuQuota.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace qcc::rt {

/// The text of a small file of Linux; empty if it cannot be read.
static std::string readText(const std::string &path) {
  char text[4096];
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  ssize_t size = read(file, text, sizeof(text));
  close(file);
  return std::string(text, size < 0 ? 0 : size);
}

/// CPUs for a quota of microseconds in each period. No limit is a negative
/// quota, or no number.
static int cpusOf(long long quota, long long period) {
  if (quota <= 0 || period <= 0)
    return INT_MAX;
  return int(std::min<long long>((quota + period - 1) / period, INT_MAX));
}

/// The limit that one group has itself, in the form of either version.
static int quotaOf(const std::string &folder) {
  long long quota = 0, period = 0;
  if (sscanf(readText(folder + "/cpu.max").c_str(), "%lld %lld", &quota,
             &period) == 2)
    return cpusOf(quota, period);
  return cpusOf(atoll(readText(folder + "/cpu.cfs_quota_us").c_str()),
                atoll(readText(folder + "/cpu.cfs_period_us").c_str()));
}

/// The smallest limit of a group and of those that it lies in. Inside of a
/// container the path may be that of the outside, of which only the end of the
/// walk, its root, is there.
static int quotaOf(const std::string &mount, std::string path) {
  int quota = INT_MAX;
  while (true) {
    quota = std::min(quota, quotaOf(mount + path));
    size_t slash = path.rfind('/');
    if (path.empty() || slash == std::string::npos)
      return quota;
    path.resize(slash);
  }
}

static bool isCpuController(std::string_view controllers) {
  std::string list = "," + std::string(controllers) + ",";
  return list.find(",cpu,") != std::string::npos;
}

int cpuQuota(const std::string &root) {
  int quota = INT_MAX;
  std::string groups = readText(root + "/proc/self/cgroup");
  std::string_view rest = groups;
  // Lines "number:controllers:path"; version 2 has no controllers there.
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos)
      continue;
    std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string path(line.substr(second + 1));
    if (controllers.empty())
      quota = std::min(quota, quotaOf(root + "/sys/fs/cgroup", path));
    else if (isCpuController(controllers))
      for (const std::string &mount :
           {std::string(controllers), std::string("cpu")})
        quota =
            std::min(quota, quotaOf(root + "/sys/fs/cgroup/" + mount, path));
  }
  return quota;
}

} // namespace qcc::rt
