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

namespace qcc::emu {

/// The device `emulator`. A module image is PTX text; arguments of a launch are
/// pointers to the values of the parameters. A kernel with a report fails, at
/// its launch without a stream, else at the stream's synchronize(); the status
/// has the first reports. Streams run their work at once, in order.
std::unique_ptr<rt::Device> createEmulatorDevice(LaunchOptions options = {});

} // namespace qcc::emu

#endif // QCC_EMULATOR_EMULATORDEVICE_H
