//===- EmulatorDevice.h - The emulator behind Device.h ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_EMULATOR_EMULATORDEVICE_H
#define QCC_EMULATOR_EMULATORDEVICE_H

#include "qcc/Emulator/Emulator.h"
#include "qcc/Runtime/Device.h"

#include <functional>

namespace qcc::emu {

struct EmulatorDeviceOptions {
  /// Of all launches.
  LaunchOptions launch;
  /// Called after each launch, on the thread that made it.
  std::function<void(const LaunchResult &)> observe;
};

/// The device `emulator`. A module's image is PTX text; the arguments of a
/// launch point to the values of the kernel's parameters. Device pointers are
/// no addresses of the host.
///
/// A stream runs its work at once. A kernel about which there is a report has
/// failed (StatusCode::KernelFailed, with the first report in the message):
/// launch() says so, or with a stream the next synchronize() of it.
std::unique_ptr<rt::Device>
createEmulatorDevice(EmulatorDeviceOptions options = {});

} // namespace qcc::emu

#endif // QCC_EMULATOR_EMULATORDEVICE_H
