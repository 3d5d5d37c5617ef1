//===- Batch.cpp - Compiles, runs and compares programs -------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Batch.h.
//
//===----------------------------------------------------------------------===//

#include "Batch.h"
#include "Generate.h"
#include "Print.h"
#include "common/Compare.h"
#include "common/GuardedMemory.h"
#include "mlir/IR/OwningOpRef.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Frontend/MLIR/Import.h"
#include "qcc/JIT/JIT.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Reference/Interpreter.h"
#include "qcc/Runtime/Context.h"
#include "llvm/Support/SourceMgr.h"
#include <algorithm>
#include <csignal>
#include <unistd.h>

using namespace mlir;
using qcc::reference::TensorValue;
using qcc::tools::GuardedTensor;

namespace qcc::fuzz {

const char *spell(Verdict::Kind kind) {
  switch (kind) {
  case Verdict::Same:
    return "same";
  case Verdict::Differs:
    return "differs";
  case Verdict::Refused:
    return "refused";
  case Verdict::Crashed:
    return "crashed";
  case Verdict::Hung:
    return "hung";
  }
  return "";
}

Subject Subject::ofSeed(uint64_t seed) {
  Subject subject;
  subject.seed = seed;
  subject.graph = generate(seed);
  subject.cases = casesOf(subject.graph, seed);
  return subject;
}

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  context->loadAllAvailableDialects();
  return context;
}

static bool contains(const std::vector<Node> &nodes, const std::string &op) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node &node) {
    return node.op == op || contains(node.nodes, op);
  });
}

static rt::Tensor view(const TensorValue &value) {
  return rt::Tensor(
      value.bytes.get(),
      rt::DType{static_cast<uint8_t>(value.type.code), value.type.bits},
      value.shape);
}

namespace {

class Batch {
public:
  Batch(MLIRContext &context, const std::vector<Subject> &subjects,
        const BatchOptions &options, Observer &observer)
      : context(context), subjects(subjects), options(options),
        observer(observer), compiler(options.target) {}

  void run();

private:
  /// An error of the compiler, and the line of the module it names.
  struct Problem {
    std::string message;
    unsigned line = 0;
  };

  /// Compiles some of the subjects; those that are refused leave the list.
  std::shared_ptr<const rt::Module> compile(std::vector<size_t> &members);
  std::shared_ptr<const rt::Module>
  compileAll(const std::vector<size_t> &members, Problem &problem);
  void refuse(size_t subject, const std::string &message);
  void runSubject(size_t subject,
                  const std::shared_ptr<const rt::Module> &module);
  /// What is wrong with a run, or nothing.
  std::optional<Verdict>
  runCase(const Subject &subject, const Case &which,
          const std::shared_ptr<const rt::Module> &module);
  bool isPlanted(const Subject &subject, const char *what) const {
    return options.plant && options.plant->what == what &&
           contains(subject.graph.nodes, options.plant->op);
  }

  MLIRContext &context;
  const std::vector<Subject> &subjects;
  const BatchOptions &options;
  Observer &observer;
  Compiler compiler;
  OwningOpRef<ModuleOp> source;
  std::vector<unsigned> firstLines; // of the members in the module
  std::shared_ptr<rt::ThreadPool> pool;
};

} // namespace

static unsigned lineOf(Location location) {
  unsigned line = 0;
  location->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      line = file.getLine();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return line;
}

std::shared_ptr<const rt::Module>
Batch::compileAll(const std::vector<size_t> &members, Problem &problem) {
  std::vector<ProgramText> texts;
  firstLines.clear();
  unsigned line = 1;
  for (size_t member : members) {
    texts.push_back(print(subjects[member].graph));
    firstLines.push_back(line);
    line += std::count(texts.back().functions.begin(),
                       texts.back().functions.end(), '\n');
    if (isPlanted(subjects[member], "crash"))
      raise(SIGSEGV);
    if (isPlanted(subjects[member], "hang"))
      pause();
  }
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
        problem.message.empty())
      problem = {diagnostic.str(), lineOf(diagnostic.getLocation())};
    return success();
  });
  llvm::SourceMgr manager;
  manager.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(moduleText(texts), "fuzz.mlir"),
      llvm::SMLoc());
  source = importMLIR(manager, &context);
  if (!source)
    return nullptr;
  OwningOpRef<ModuleOp> module = source->clone();
  if (failed(compiler.runStages(*module, Stage::LLVM)))
    return nullptr;
  llvm::Expected<Artifact> artifact = compiler.emitArtifact(*module);
  if (!artifact) {
    problem.message = llvm::toString(artifact.takeError());
    return nullptr;
  }
  auto loaded = loadArtifact(*artifact);
  if (!loaded.isOk()) {
    problem.message = loaded.message();
    return nullptr;
  }
  return *loaded;
}

void Batch::refuse(size_t subject, const std::string &message) {
  Verdict verdict;
  verdict.kind = Verdict::Refused;
  verdict.message = message;
  observer.finished(subject, verdict);
}

std::shared_ptr<const rt::Module> Batch::compile(std::vector<size_t> &members) {
  while (!members.empty()) {
    Problem problem;
    observer.compiling();
    if (auto module = compileAll(members, problem))
      return module;
    if (problem.message.empty())
      problem.message = "fails without a message";
    // The program that the message names.
    size_t culprit = members.size();
    for (size_t i = 0; i < members.size(); ++i)
      if (firstLines[i] <= problem.line)
        culprit = i;
    if (members.size() == 1)
      culprit = 0;
    if (culprit == members.size()) {
      // A message without a place: each by itself.
      std::vector<size_t> accepted;
      for (size_t member : members) {
        std::vector<size_t> one = {member};
        if (compile(one))
          accepted.push_back(member);
      }
      if (accepted.size() == members.size())
        for (size_t member : std::exchange(accepted, {}))
          refuse(member, "only together: " + problem.message);
      members = accepted;
      continue;
    }
    refuse(members[culprit], problem.message);
    members.erase(members.begin() + culprit);
  }
  return nullptr;
}

/// What differs between a result and the reference, or nothing.
static std::string difference(size_t index, const GuardedTensor &actual,
                              const TensorValue &expected) {
  std::string name = "result " + std::to_string(index);
  if (!actual.isFrontIntact())
    return "writes in front of " + name;
  rt::Tensor wanted = view(expected);
  tools::Difference found = tools::compare(actual.tensor(), wanted);
  if (!found.differing)
    return "";
  return name + ": " + std::to_string(found.differing) + " of " +
         std::to_string(found.elements) + " elements differ, the first at " +
         tools::indexText(found.first, wanted.shape) + ": " +
         tools::elementText(actual.tensor(), found.first) + ", expected " +
         tools::elementText(wanted, found.first);
}

std::optional<Verdict>
Batch::runCase(const Subject &subject, const Case &which,
               const std::shared_ptr<const rt::Module> &module) {
  Verdict verdict;
  auto fail = [&](Verdict::Kind kind, const std::string &message) {
    verdict.kind = kind;
    verdict.message = message;
    return verdict;
  };
  std::vector<TensorValue> values;
  std::vector<GuardedTensor> inputs;
  std::vector<rt::Tensor> arguments, results;
  for (const Node *node : subject.graph.arguments()) {
    const Type &type = subject.graph.types[node->results[0]];
    rt::DType dtype = dtypeOf(type.element);
    TensorValue value = TensorValue::allocate(
        {static_cast<reference::TypeCode>(dtype.code), dtype.bits},
        subject.graph.shapeOf(type, which.symbols));
    std::vector<uint8_t> bytes = makeElements(
        type.element, node->data, value.elementCount(), which.fill, which.seed);
    std::copy(bytes.begin(), bytes.end(), value.bytes.get());
    inputs.push_back(GuardedTensor::copy(view(value)));
    arguments.push_back(inputs.back().tensor());
    values.push_back(std::move(value));
  }
  llvm::SmallVector<TensorValue> expected;
  auto entry = source->lookupSymbol<func::FuncOp>(subject.graph.name);
  llvm::Error refused = reference::Interpreter(1).run(entry, values, expected);
  std::string reason = llvm::toString(std::move(refused));

  rt::ContextOptions contextOptions;
  contextOptions.pool = pool;
  contextOptions.allocator = tools::guardedAllocator();
  contextOptions.threads =
      static_cast<int>(options.threads ? options.threads : which.threads);
  auto created =
      rt::Context::create(module, subject.graph.name, contextOptions);
  if (!created.isOk())
    return fail(Verdict::Differs, "has no context: " + created.message());
  rt::Context &run = **created;
  if (!reason.empty()) {
    // Such shapes are to be refused by compiled code as well.
    if (run.resultShapes(arguments).isOk())
      return fail(Verdict::Differs, "the reference fails: " + reason);
    return fail(Verdict::Refused, reason);
  }
  std::vector<GuardedTensor> actual;
  for (const TensorValue &value : expected) {
    actual.emplace_back(view(value).dtype, value.shape);
    results.push_back(actual.back().tensor());
  }
  rt::Status status = run.run(arguments, results);
  if (!status.isOk())
    return fail(Verdict::Differs, "does not run: " + status.message());
  if (isPlanted(subject, "differ") && !results.empty() &&
      results[0].bytes().value_or(0))
    *static_cast<uint8_t *>(results[0].data) ^= 1;
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::string wrong = difference(i, actual[i], expected[i]);
        !wrong.empty())
      return fail(Verdict::Differs, wrong);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].isFrontIntact() ||
        tools::compare(inputs[i].tensor(), view(values[i])).differing)
      return fail(Verdict::Differs, "writes to input " + std::to_string(i));
  return std::nullopt;
}

void Batch::runSubject(size_t index,
                       const std::shared_ptr<const rt::Module> &module) {
  const Subject &subject = subjects[index];
  Verdict verdict;
  std::string refusal;
  for (size_t i = 0; i < subject.cases.size(); ++i) {
    observer.running(index, static_cast<int>(i));
    std::optional<Verdict> failure = runCase(subject, subject.cases[i], module);
    if (failure && failure->kind == Verdict::Refused) {
      refusal = failure->message;
      continue;
    }
    ++verdict.runs;
    if (!failure)
      continue;
    failure->runs = verdict.runs;
    failure->failingCase = static_cast<int>(i);
    verdict = *failure;
    if (verdict.kind == Verdict::Differs)
      verdict.message = spell(subject.cases[i]) + ": " + verdict.message;
    break;
  }
  if (!verdict.runs) {
    verdict.kind = Verdict::Refused;
    verdict.message = refusal;
  }
  observer.finished(index, verdict);
}

void Batch::run() {
  std::vector<size_t> members;
  for (size_t i = 0; i < subjects.size(); ++i)
    members.push_back(i);
  auto module = compile(members);
  if (!module)
    return;
  if (auto created = rt::ThreadPool::create(3); created.isOk())
    pool = *std::move(created);
  for (size_t member : members)
    runSubject(member, module);
}

void runBatch(MLIRContext &context, const std::vector<Subject> &subjects,
              const BatchOptions &options, Observer &observer) {
  Batch(context, subjects, options, observer).run();
}

} // namespace qcc::fuzz
