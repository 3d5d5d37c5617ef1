//===- Quantize.cpp - qcc quantize ----------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What quantizes are packages of Python, so the package qcc does all of it:
// `python -m qcc quantize`. The options are here as well, so that help, manuals
// and completion have them, and wrong ones are refused before Python starts.
//
//===----------------------------------------------------------------------===//

#include "PassedOptions.h"
#include "common/Files.h"

#include <cmath>

using namespace qcc;
using namespace qcc::driver;
using tools::Arguments;

/// Fails if a drop is neither a number nor a number of percent.
static rt::Status checkDrop(std::string_view text) {
  std::string_view number = text;
  if (number.substr(number.size() - 1) == "%")
    number.remove_suffix(1);
  std::optional<double> drop = tools::parseNumber(number);
  if (!drop || !std::isfinite(*drop) || *drop < 0)
    return rt::invalidArgument("'--max-drop=" + std::string(text) +
                               "' must be a share of the accuracy such as "
                               "0.5%, or a difference such as 0.005");
  return rt::Status::ok();
}

static rt::Status checkWeightBits(std::string_view text) {
  if (text != "7" && text != "8")
    return rt::invalidArgument("'--weight-bits=" + std::string(text) +
                               "' must be 7 or 8");
  return rt::Status::ok();
}

static rt::Status checkEngine(std::string_view text) {
  if (text != "nncf" && text != "ort")
    return rt::invalidArgument("'--engine=" + std::string(text) +
                               "' must be nncf or ort");
  return rt::Status::ok();
}

/// Options about which layers are quantized, and how.
static void addPassed(Arguments &arguments, CommandLine &line) {
  PassedOptions passed(arguments, line.quantize.arguments);
  passed.option("engine", "nncf|ort",
                "What quantizes: NNCF, the default, or the quantizer of ONNX "
                "Runtime",
                checkEngine);
  passed.option("weight-bits", "7|8",
                "Bits of weights: 8, or 7, with which processors without VNNI "
                "are faster; as this processor is fastest if not given",
                checkWeightBits);
  passed.option(
      "samples", "N", "Read at most so many samples; 300 if not given",
      [](std::string_view text) {
        std::optional<int64_t> number = tools::parseInteger(text);
        return number && *number > 0
                   ? rt::Status::ok()
                   : rt::invalidArgument("'--samples=" + std::string(text) +
                                         "' must be a whole number "
                                         "above 0");
      });
  passed.list("dim", "NAME=N",
              "The size of a dimension for random data; NAME is its name in "
              "the model, or INPUT:AXIS",
              [&line](std::string_view text) {
                return tools::addNamedDim(text, line.program.sizes.named);
              });
  passed.list("exclude", "NAME",
              "A node that stays in float32; wildcards * and ? are allowed");
  passed.list("keep-float", "OP", "An op that stays in float32, as in MatMul");
  passed.option("max-drop", "N%|N",
                "The accuracy that may be lost, as a share of the float "
                "model's or as a difference; layers go back to float32 until "
                "it is kept",
                checkDrop);
  passed.list("fail-on", "KIND[,...]",
              "Write no model and exit with 1 if a step of the quantized model "
              "is of one of the kinds that qcc explain --fail-on takes: "
              "float-contraction, generic-contraction, generic, packing",
              [&line](std::string_view kinds) {
                return addUnwanted({kinds.data(), kinds.size()},
                                   line.explain.failOn);
              });
}

void driver::addQuantize(tools::Commands &commands, CommandLine &line) {
  Arguments &arguments = commands.add(
      "quantize",
      "Make an int8 model of a float ONNX model, by the package qcc of Python "
      "(of python3, or of the program that QCC_PYTHON names)",
      [&](const Arguments &) { return runQuantize(line.quantize); });
  QuantizeCommand &command = line.quantize;
  arguments.positional("MODEL.onnx", command.model);
  arguments.text("output", "OUT.onnx", "Where the quantized model is written",
                 command.output);
  arguments.abbreviate("output", 'o');
  arguments.text("data", "FILE|DIR|random[:SEED[:N]]",
                 "Calibration data: a .npz file, a folder of .npz or .npy "
                 "files, a Python script with a function samples(), or random "
                 "numbers, which are good for measurements of time only",
                 command.data);
  addPassed(arguments, line);
  arguments.text("eval", "FILE.py",
                 "A script whose function evaluate(run) returns the accuracy "
                 "of a model; run takes and returns dictionaries of arrays",
                 command.eval);
  tools::addJsonArgument(arguments, "the report", command.json);
  arguments.text("html", "FILE", "Also write the report as a page",
                 command.html);
  tools::OptionRules &rules = arguments.rules();
  rules.require("data", "no calibration data; say --data=FILE");
  rules.require("output", "no output; say -o OUT.onnx");
  rules.needs({"max-drop"}, {"eval"});
  rules.needs({"eval"}, {"max-drop"});
  arguments.example("qcc quantize model.onnx --data=calib.npz -o q.onnx");
  arguments.example("qcc quantize model.onnx --data=data.py -o q.onnx "
                    "--max-drop=0.5% --eval=eval.py --html=report.html");
  arguments.example("qcc quantize model.onnx --data=calib.npz -o q.onnx "
                    "--fail-on=float-contraction");
}

int driver::runQuantize(const QuantizeCommand &command) {
  tools::CommandFiles files;
  files.reads(command.model, "the model");
  files.reads(command.data, "read by --data");
  files.reads(command.eval, "read by --eval");
  files.writes(command.output, "-o " + command.output);
  files.writes(command.json, "--json=" + command.json);
  files.writes(command.html, "--html=" + command.html);
  if (ExitCode code = reportUsage(files.check()))
    return code;
  std::vector<std::string> arguments = {
      "quantize", "--output=" + command.output, "--data=" + command.data};
  arguments.insert(arguments.end(), command.arguments.begin(),
                   command.arguments.end());
  for (const auto &[name, value] :
       {std::pair("eval", &command.eval), std::pair("json", &command.json),
        std::pair("html", &command.html)})
    if (!value->empty())
      arguments.push_back(std::string("--") + name + "=" + *value);
  // A name may begin with "-".
  arguments.insert(arguments.end(), {"--", command.model});
  return runPythonCommand("qcc quantize", arguments);
}
