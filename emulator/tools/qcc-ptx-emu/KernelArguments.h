//===- KernelArguments.h - Arguments from the command line ------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One --arg for each parameter of a kernel, in order:
//
//   x.npy                  a buffer with the contents of the file
//   inout:x.npy            the same, written back after the launch
//   out:y.npy:f32[8,16]    a buffer of zeros, written to the file afterwards
//   map:x.npy:box=64,8     a tensor map of such a buffer (TensorMapText.h)
//   i32:5  f32:0.5         a scalar of that type
//   5  -1  0x10  0.5       a scalar of the parameter's type
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TOOLS_QCC_PTX_EMU_KERNELARGUMENTS_H
#define QCC_TOOLS_QCC_PTX_EMU_KERNELARGUMENTS_H

#include "common/Files.h"
#include "qcc/Emulator/Emulator.h"
#include "qcc/Support/HostTensor.h"

#include <string>
#include <vector>

namespace qcc::tools {

/// Adds the files of the arguments. The file of `inout:` counts as written
/// only.
void addFiles(CommandFiles &files, const std::vector<std::string> &texts);

class KernelArguments {
public:
  /// Reads files and puts buffers, named after the parameters, on the device.
  static rt::Result<KernelArguments>
  create(emu::Emulator &emulator, const emu::Kernel &kernel,
         const std::vector<std::string> &texts);

  const std::vector<emu::Argument> &values() const { return values_; }
  /// Bytes of an element of the outputs, if all have the same; else 0.
  int outputElementBytes() const;
  /// Writes the files of outputs.
  rt::Status writeOutputs(emu::Emulator &emulator) const;

private:
  struct Output {
    std::string path;
    rt::DType dtype;
    std::vector<int64_t> shape;
    emu::DeviceAddress address = 0;
  };

  rt::Status add(emu::Emulator &emulator, const emu::ParameterInfo &parameter,
                 const std::string &text);
  /// What a buffer's argument names.
  struct Buffer {
    std::string path;
    HostTensor tensor;
    bool isOutput = false;
  };

  /// Of x.npy, inout: and out:.
  static rt::Result<Buffer> readBuffer(const std::string &text);
  /// Puts it on the device.
  rt::Result<emu::DeviceAddress> place(emu::Emulator &emulator,
                                       const emu::ParameterInfo &parameter,
                                       const Buffer &buffer);
  rt::Status addBuffer(emu::Emulator &emulator,
                       const emu::ParameterInfo &parameter,
                       const std::string &text);
  rt::Status addMap(emu::Emulator &emulator,
                    const emu::ParameterInfo &parameter,
                    const std::string &text);
  rt::Status addValue(const emu::ParameterInfo &parameter,
                      const std::string &path);
  rt::Status addScalar(const emu::ParameterInfo &parameter,
                       const std::string &text);

  std::vector<emu::Argument> values_;
  std::vector<Output> outputs_;
};

} // namespace qcc::tools

#endif // QCC_TOOLS_QCC_PTX_EMU_KERNELARGUMENTS_H
