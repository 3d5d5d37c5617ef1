//===- Devices.h - Devices of tools -----------------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The devices of the runtime, and the emulator of NVIDIA GPUs, which the
// libraries do not have.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_COMMON_DEVICES_H
#define QCC_TOOLS_COMMON_DEVICES_H

#include "qcc/Emulator/Counters.h"
#include "qcc/Runtime/Device.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace qcc::tools {

/// What the emulator counted, of each launch in order.
struct LaunchLog {
  std::vector<emu::Counters> launches;

  /// As JSON where the name ends in .json, otherwise as tables.
  rt::Status write(const std::string &path) const;
};

/// Fails if no device has such a name.
rt::Status checkDeviceName(std::string_view name);

/// The device of a name: "cpu", "cuda[:N]" or "emulator[:seed=N]"; null for the
/// host and the empty name. `log`, where it is given, gets what an emulator
/// counts.
rt::Result<std::shared_ptr<rt::Device>>
openDevice(const std::string &name, const std::shared_ptr<LaunchLog> &log);

} // namespace qcc::tools

#endif // QCC_TOOLS_COMMON_DEVICES_H
