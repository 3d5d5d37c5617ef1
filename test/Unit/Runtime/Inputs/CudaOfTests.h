//===- CudaOfTests.h - Base of the test drivers -----------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What two GPUs of tests are, and the emulator's form of what the driver's
// functions are given.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_RUNTIME_INPUTS_CUDAOFTESTS_H
#define QCC_TEST_UNIT_RUNTIME_INPUTS_CUDAOFTESTS_H

#include "qcc/Emulator/Emulator.h"

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace qcc::test {

using Pointer = unsigned long long;

/// An attribute of GPU 0, of sm_80, or GPU 1, of sm_75.
inline int attributeOf(int attribute, int device) {
  constexpr int major = 75, minor = 76, multiprocessors = 16,
                sharedOfBlock = 97, cacheBytes = 38;
  const std::map<int, int> values = {{major, 8 - device},
                                     {minor, 5 * device},
                                     {multiprocessors, 4},
                                     {cacheBytes, 1 << 16},
                                     {sharedOfBlock, device ? 65536 : 166912}};
  return values.at(attribute);
}

/// An attribute of a pointer that is the GPU's memory.
inline int attributeOfMemory(int attribute) {
  constexpr int memoryType = 2, typeOfDevice = 2, device = 0;
  return attribute == memoryType ? typeOfDevice : device;
}

/// Whether the pointer leads into one of the allocations.
inline bool isAllocated(const std::map<Pointer, size_t> &allocations,
                        Pointer pointer) {
  auto after = allocations.upper_bound(pointer);
  if (after == allocations.begin())
    return false;
  --after;
  return pointer < after->first + after->second;
}

/// The values of a launch, which may change once the launch has been made.
inline std::vector<emu::Argument> argumentsOf(const emu::Kernel &kernel,
                                              void **parameters) {
  std::vector<emu::Argument> arguments;
  for (const emu::ParameterInfo &parameter : kernel.parameters()) {
    auto *bytes = static_cast<const uint8_t *>(*parameters++);
    arguments.emplace_back(std::vector<uint8_t>(bytes, bytes + parameter.size));
  }
  return arguments;
}

/// What the driver calls CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  unsigned number, padding;
  int value;
  char rest[60];
};
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, shared;
  void *stream;
  const LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// Launches a kernel that may start early, by `launch`, which is cuLaunchKernel.
/// Nothing if `config` asks for something else.
template <typename Stream, typename Launch>
std::optional<int>
launchProgrammatically(const LaunchConfig &config, const emu::Kernel *kernel,
                       void **parameters, Launch launch) {
  constexpr unsigned programmaticSerialization = 6;
  if (config.numAttributes != 1 ||
      config.attributes->number != programmaticSerialization ||
      config.attributes->value != 1)
    return std::nullopt;
  return launch(kernel, config.gridX, config.gridY, config.gridZ, config.blockX,
                config.blockY, config.blockZ, config.shared,
                static_cast<Stream *>(config.stream), parameters, nullptr);
}

/// Hands a message to who gave the options of a compilation.
inline void writeErrorLog(const std::string &message, unsigned numOptions,
                          const int *options, void **values) {
  constexpr int errorLog = 5, errorLogBytes = 6;
  char *log = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < numOptions; ++i) {
    if (options[i] == errorLog)
      log = static_cast<char *>(values[i]);
    else if (options[i] == errorLogBytes)
      size = reinterpret_cast<size_t>(values[i]);
  }
  if (log)
    snprintf(log, size, "%s", message.c_str());
}

} // namespace qcc::test

EXPORT int cuDriverGetVersion(int *version) {
  *version = 12030;
  return 0;
}
EXPORT int cuGetErrorName(int, const char **name) {
  *name = "CUDA_ERROR_OF_TEST";
  return 0;
}
EXPORT int cuGetErrorString(int, const char **text) {
  *text = "a test asks for this error";
  return 0;
}
EXPORT int cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, size, "GPU %d of tests", device);
  return 0;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(8) << 30;
  return 0;
}

#endif // QCC_TEST_UNIT_RUNTIME_INPUTS_CUDAOFTESTS_H
