//===- Devices.cpp - Devices of tools -------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Devices.h"

#include "common/Arguments.h"
#include "common/Files.h"
#include "qcc/Emulator/EmulatorDevice.h"
#include "qcc/Support/Json.h"

#include <charconv>

namespace qcc::tools {

rt::Status LaunchLog::write(const std::string &path) const {
  constexpr std::string_view suffix = ".json";
  bool isJson =
      path.size() > suffix.size() &&
      path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
  Json list = Json::list();
  std::string text;
  for (const emu::Counters &counters : launches)
    if (isJson)
      list.add(emu::countersJson(counters));
    else
      text += emu::formatCounters(counters);
  return writeOutput(path, isJson ? list.print() : text);
}

/// The number behind "emulator:seed=".
static std::optional<uint64_t> seedOf(std::string_view name) {
  constexpr std::string_view prefix = "emulator:seed=";
  if (name == "emulator")
    return 0;
  if (name.substr(0, prefix.size()) != prefix)
    return std::nullopt;
  uint64_t seed = 0;
  const char *end = name.data() + name.size();
  auto read = std::from_chars(name.data() + prefix.size(), end, seed);
  if (read.ec != std::errc() || read.ptr != end)
    return std::nullopt;
  return seed;
}

/// Whether a name is "cuda" or "cuda:N".
static bool isCuda(std::string_view name) {
  constexpr std::string_view prefix = "cuda:";
  return name == "cuda" ||
         (name.substr(0, prefix.size()) == prefix &&
          parseInteger(name.substr(prefix.size())).value_or(-1) >= 0);
}

rt::Status checkDeviceName(std::string_view name) {
  if (name == "cpu" || isCuda(name) || seedOf(name))
    return rt::Status::ok();
  return rt::invalidArgument(
      "there is no device '" + std::string(name) +
      "'; use cpu, cuda, cuda:N, emulator or emulator:seed=N");
}

rt::Result<std::shared_ptr<rt::Device>>
openDevice(const std::string &name, const std::shared_ptr<LaunchLog> &log) {
  if (name.empty())
    return std::shared_ptr<rt::Device>();
  if (std::optional<uint64_t> seed = seedOf(name)) {
    emu::EmulatorDeviceOptions options;
    options.launch.seed = *seed;
    options.launch.countAccesses = log != nullptr;
    if (log)
      options.observe = [log](const emu::LaunchResult &result) {
        log->launches.push_back(result.counters);
      };
    return std::shared_ptr<rt::Device>(
        emu::createEmulatorDevice(std::move(options)));
  }
  rt::Status status = checkDeviceName(name);
  if (!status.isOk())
    return status;
  return rt::openDevice(name);
}

} // namespace qcc::tools
