//===- Dump.cpp - The output of each step to files ------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Dump.h"

#include "common/Describe.h"
#include "qcc/Support/FileIO.h"
#include "qcc/Support/TensorFile.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace qcc::tools {

static rt::Status failed(const std::string &path, const char *what) {
  return rt::ioError(path + ": " + what + ": " + strerror(errno));
}

rt::Result<StepDump> StepDump::create(const std::string &folder,
                                      CommandFiles files) {
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    return failed(folder, "cannot make the folder");
  struct stat info;
  if (stat(folder.c_str(), &info) != 0)
    return failed(folder, "cannot use the folder");
  if (!S_ISDIR(info.st_mode))
    return rt::ioError(folder +
                       ": is no folder; name another for --dump-steps");
  StepDump dump(folder, std::move(files));
  std::string index = folder + "/index.json";
  rt::Status status = dump.checkWrite(index);
  if (!status.isOk())
    return status;
  if (unlink(index.c_str()) != 0 && errno != ENOENT)
    return failed(index, "cannot be removed");
  return dump;
}

void StepDump::afterStep(void *self, const rt::Context &run, size_t step) {
  auto &dump = *static_cast<StepDump *>(self);
  if (dump.status_.isOk())
    dump.status_ = dump.write(run, run.entry().steps[step]);
}

/// The step's name, with what a file name should not hold replaced.
std::string StepDump::fileName(const rt::Step &step, size_t output) {
  std::string name(step.name);
  for (char &c : name)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' &&
        c != '-')
      c = '_';
  name += "." + std::to_string(output);
  while (!names_.insert(name).second)
    name += "_";
  return name + ".npy";
}

rt::Status StepDump::write(const rt::Context &run, const rt::Step &step) {
  Json outputs = Json::list();
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const rt::OperandInfo &info = step.outputs[i];
    rt::AlignedBuffer copy;
    rt::Result<rt::Tensor> found = run.operandTensor(info, copy);
    if (!found.isOk())
      return found.status();
    const rt::Tensor &tensor = *found;
    std::string name = fileName(step, i);
    std::string path = folder_ + "/" + name;
    rt::Status status = checkWrite(path);
    if (status.isOk())
      status = writeNpy(path, tensor.dtype, tensor.shape, tensor.data);
    if (!status.isOk())
      return status;
    Json shape = Json::list();
    for (int64_t dim : tensor.shape)
      shape.add(Json::of(dim));
    Json output = Json::dictionary();
    output.add("file", Json::of(name));
    output.add("layer", Json::of(info.layer));
    output.add("dtype", Json::of(tensor.dtype.name()));
    output.add("shape", std::move(shape));
    if (info.quantization)
      output.add("quantization", quantizationJson(*info.quantization));
    outputs.add(std::move(output));
  }
  Json entry = Json::dictionary();
  entry.add("name", Json::of(step.name));
  entry.add("layer", Json::of(step.layer));
  entry.add("location", Json::of(step.location));
  entry.add("outputs", std::move(outputs));
  steps_.add(std::move(entry));
  return rt::Status::ok();
}

rt::Status StepDump::finish(const rt::Entry &entry) {
  if (!status_.isOk())
    return status_;
  Json index = Json::dictionary();
  index.add("entry", Json::of(entry.name));
  index.add("steps", std::move(steps_));
  return writeFile(folder_ + "/index.json", index.print());
}

} // namespace qcc::tools
