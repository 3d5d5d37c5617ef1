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
#include "Emit.h"
#include "Generate.h"
#include "PinConfigs.h"
#include "Print.h"
#include "Random.h"
#include "common/Compare.h"
#include "common/GuardedMemory.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "qcc/Compiler/Compiler.h"
#include "qcc/Emulator/EmulatorDevice.h"
#include "qcc/Frontend/MLIR/Import.h"
#include "qcc/Pipelines/Register.h"
#include "qcc/Reference/Interpreter.h"
#include "qcc/Runtime/Context.h"
#include "qcc/Runtime/Module.h"
#include "qcc/Transforms/Contraction/TunedConfigs.h"
#include "qcc/Tuning/KernelKey.h"
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
    return node.op == op ||
           std::any_of(node.regions.begin(), node.regions.end(),
                       [&](const Region &region) {
                         return contains(region.nodes, op);
                       });
  });
}

static rt::Tensor view(const TensorValue &value) {
  return rt::Tensor(
      value.bytes.get(),
      rt::DType{static_cast<uint8_t>(value.type.code), value.type.bits},
      value.shape);
}

static std::vector<rt::Tensor> views(llvm::ArrayRef<TensorValue> values) {
  std::vector<rt::Tensor> found;
  for (const TensorValue &value : values)
    found.push_back(view(value));
  return found;
}

static std::vector<TensorValue> makeInputs(const Graph &graph,
                                           const Case &which) {
  std::vector<TensorValue> values;
  for (const Node *node : graph.arguments()) {
    const Type &type = graph.types[node->results[0]];
    rt::DType dtype = dtypeOf(type.element);
    TensorValue value = TensorValue::allocate(
        {static_cast<reference::TypeCode>(dtype.code), dtype.bits},
        graph.shapeOf(type, which.symbols));
    std::vector<uint8_t> bytes = makeElements(
        type.element, node->data, value.elementCount(), which.fill, which.seed);
    std::copy(bytes.begin(), bytes.end(), value.bytes.get());
    values.push_back(std::move(value));
  }
  return values;
}

namespace {

class Batch {
public:
  Batch(MLIRContext &context, const std::vector<Subject> &subjects,
        const BatchOptions &options, Observer &observer)
      : context(context), subjects(subjects), options(options),
        observer(observer), compiler(options.target) {
    compiler.effort = options.effort;
    compiler.configure = [this](PassManager &pm, Stage stage) {
      if (stage == Stage::Kernel)
        pm.addInstrumentation(pinConfigs(*this->options.target, pinning()));
    };
  }

  void run();

private:
  /// An error of the compiler, and the line of the module it names.
  struct Problem {
    std::string message;
    unsigned line = 0;
  };

  /// Compiles some of the subjects; those that are refused leave the list.
  bool compile(std::vector<size_t> &members);
  bool compileAll(const std::vector<size_t> &members, Problem &problem);
  PinOptions pinning();
  rt::ModuleOptions loading() const;
  void refuse(size_t subject, const std::string &message);
  void runSubject(size_t subject);
  /// What is wrong with a run, or nothing.
  std::optional<Verdict> runCase(const Subject &subject, const Case &which);
  std::string runCompiled(const Subject &subject, rt::Context &run,
                          const std::vector<TensorValue> &inputs,
                          llvm::ArrayRef<TensorValue> expected);
  bool isPlanted(const Subject &subject, const char *what) const {
    return options.plant && options.plant->what == what &&
           contains(subject.graph.nodes, options.plant->op);
  }

  MLIRContext &context;
  const std::vector<Subject> &subjects;
  const BatchOptions &options;
  Observer &observer;
  Compiler compiler;
  TuningDatabase pinned;
  OwningOpRef<ModuleOp> source;
  std::shared_ptr<const rt::Module> module; // null where it is not compiled
  std::vector<unsigned> firstLines;         // of the members in the module
  std::shared_ptr<rt::ThreadPool> pool;
};

} // namespace

/// In one of so many programs the cost model chooses the configs.
constexpr uint64_t kModelShare = 8;

/// By the seed and what a tuning database tells contractions apart by, so that
/// they keep their configs while a program is reduced.
static Choose choicesFor(kernel::ContractOp op, uint64_t seed,
                         const Target &target) {
  if (turnOf(seed) % kModelShare == 0)
    return {};
  TuningKey key = keyOf(op, target);
  uint64_t stream = 0;
  for (char c : target.getName() + key.shape + key.kernel)
    stream = stream * 31 + static_cast<unsigned char>(c);
  return [random = Random(seed, stream)](unsigned bound) mutable {
    return static_cast<unsigned>(random.below(bound));
  };
}

PinOptions Batch::pinning() {
  PinOptions pin;
  pin.smallTiles = true;
  pin.choicesFor = [this](kernel::ContractOp op, unsigned) -> Choose {
    StringRef name = op->getParentOfType<func::FuncOp>().getName();
    for (const Subject &subject : subjects)
      if (name == subject.graph.name)
        return choicesFor(op, subject.seed, *options.target);
    return {};
  };
  if (options.configs.empty())
    return pin;
  pin.pinned = [this](kernel::ContractOp op) {
    TuningEntry entry;
    entry.config = printConfig(op.getLoweringConfigAttr());
    pinned.set(keyOf(op, *options.target), entry);
    // At once, since the compiler may crash.
    (void)pinned.write(options.configs);
  };
  return pin;
}

/// What is for a chip runs on the emulator, with an order of warps by chance.
rt::ModuleOptions Batch::loading() const {
  rt::ModuleOptions loading;
  if (options.target->isDevice()) {
    emu::EmulatorDeviceOptions device;
    device.launch.seed = subjects.front().seed;
    loading.device = emu::createEmulatorDevice(device);
  }
  return loading;
}

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

bool Batch::compileAll(const std::vector<size_t> &members, Problem &problem) {
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
    return false;
  if (!options.emit.empty()) // the reference is enough
    return true;
  OwningOpRef<ModuleOp> lowered = source->clone();
  if (failed(compiler.runStages(*lowered, Stage::LLVM)))
    return false;
  llvm::Expected<Artifact> artifact = compiler.emitArtifact(*lowered);
  if (!artifact) {
    problem.message = llvm::toString(artifact.takeError());
    return false;
  }
  auto loaded = rt::Module::load(artifact->data(), artifact->size(), loading());
  if (!loaded.isOk()) {
    problem.message = loaded.message();
    return false;
  }
  module = *loaded;
  return true;
}

void Batch::refuse(size_t subject, const std::string &message) {
  Verdict verdict;
  verdict.kind = Verdict::Refused;
  verdict.message = message;
  observer.finished(subject, verdict);
}

bool Batch::compile(std::vector<size_t> &members) {
  while (!members.empty()) {
    Problem problem;
    observer.compiling();
    if (compileAll(members, problem))
      return true;
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
  return false;
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

std::optional<Verdict> Batch::runCase(const Subject &subject,
                                      const Case &which) {
  std::vector<TensorValue> inputs = makeInputs(subject.graph, which);
  llvm::SmallVector<TensorValue> expected;
  auto entry = source->lookupSymbol<func::FuncOp>(subject.graph.name);
  std::string reason =
      llvm::toString(reference::Interpreter(1).run(entry, inputs, expected));
  if (!module && !reason.empty())
    return Verdict{Verdict::Refused, reason};
  if (!module) {
    rt::Status status = emitRun(options.emit + "/" + subject.graph.name + "-" +
                                    spell(which.fill),
                                subject, which, views(inputs), views(expected));
    if (status.isOk())
      return std::nullopt;
    return Verdict{Verdict::Crashed, status.message()};
  }
  rt::ContextOptions contextOptions;
  contextOptions.pool = pool;
  contextOptions.allocator = tools::guardedAllocator();
  contextOptions.threads =
      static_cast<int>(options.threads ? options.threads : which.threads);
  auto created =
      rt::Context::create(module, subject.graph.name, contextOptions);
  if (!created.isOk())
    return Verdict{Verdict::Differs, "has no context: " + created.message()};
  if (!reason.empty()) {
    // Such shapes are to be refused by compiled code as well.
    if ((*created)->resultShapes(views(inputs)).isOk())
      return Verdict{Verdict::Differs, "the reference fails: " + reason};
    return Verdict{Verdict::Refused, reason};
  }
  std::string wrong = runCompiled(subject, **created, inputs, expected);
  if (wrong.empty())
    return std::nullopt;
  return Verdict{Verdict::Differs, wrong};
}

std::string Batch::runCompiled(const Subject &subject, rt::Context &run,
                               const std::vector<TensorValue> &inputs,
                               llvm::ArrayRef<TensorValue> expected) {
  std::vector<GuardedTensor> given, actual;
  std::vector<rt::Tensor> arguments, results;
  for (const TensorValue &value : inputs) {
    given.push_back(GuardedTensor::copy(view(value)));
    arguments.push_back(given.back().tensor());
  }
  for (const TensorValue &value : expected) {
    actual.emplace_back(view(value).dtype, value.shape);
    results.push_back(actual.back().tensor());
  }
  rt::Status status = run.run(arguments, results);
  if (!status.isOk())
    return "does not run: " + status.message();
  if (isPlanted(subject, "differ") && results[0].bytes().value_or(0))
    *static_cast<uint8_t *>(results[0].data) ^= 1;
  for (size_t i = 0; i < actual.size(); ++i)
    if (std::string wrong = difference(i, actual[i], expected[i]);
        !wrong.empty())
      return wrong;
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i].isFrontIntact() ||
        tools::compare(arguments[i], view(inputs[i])).differing)
      return "writes to input " + std::to_string(i);
  return "";
}

void Batch::runSubject(size_t index) {
  const Subject &subject = subjects[index];
  Verdict verdict;
  std::string refusal;
  for (size_t i = 0; i < subject.cases.size(); ++i) {
    observer.running(index, static_cast<int>(i));
    std::optional<Verdict> failure = runCase(subject, subject.cases[i]);
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
  if (!compile(members))
    return;
  if (auto created = rt::ThreadPool::create(3); created.isOk())
    pool = *std::move(created);
  for (size_t member : members)
    runSubject(member);
}

void runBatch(MLIRContext &context, const std::vector<Subject> &subjects,
              const BatchOptions &options, Observer &observer) {
  Batch(context, subjects, options, observer).run();
}

} // namespace qcc::fuzz
