//===- Reduce.cpp - Shrinks a program that fails --------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries one change of the graph after the other and keeps those after which the
// program still fails, until none is left that does.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"
#include "Print.h"
#include "common/Text.h"
#include "qcc/Support/TensorFile.h"
#include <algorithm>
#include <fstream>

namespace qcc::fuzz {

std::string withoutNumbers(const std::string &message) {
  std::string text;
  for (char c : message.substr(0, message.find('\n')))
    if (!isdigit(static_cast<unsigned char>(c)))
      text += c;
    else if (text.empty() || text.back() != 'N')
      text += 'N';
  return text.substr(0, 220);
}

//===----------------------------------------------------------------------===//
// Changes of a graph
//===----------------------------------------------------------------------===//

static void replaceUses(std::vector<Node> &nodes, ValueId from, ValueId to) {
  for (Node &node : nodes) {
    std::replace(node.operands.begin(), node.operands.end(), from, to);
    for (Region &region : node.regions) {
      std::replace(region.yields.begin(), region.yields.end(), from, to);
      replaceUses(region.nodes, from, to);
    }
  }
}

static void replaceUses(Graph &graph, ValueId from, ValueId to) {
  replaceUses(graph.nodes, from, to);
  std::replace(graph.results.begin(), graph.results.end(), from, to);
}

static void removeUnused(std::vector<Node> &nodes,
                         const std::vector<unsigned> &uses) {
  for (Node &node : nodes)
    for (Region &region : node.regions)
      removeUnused(region.nodes, uses);
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                             [&](const Node &node) {
                               return std::none_of(
                                   node.results.begin(), node.results.end(),
                                   [&](ValueId value) { return uses[value]; });
                             }),
              nodes.end());
}

static size_t nodeCount(const std::vector<Node> &nodes) {
  size_t count = nodes.size();
  for (const Node &node : nodes)
    for (const Region &region : node.regions)
      count += nodeCount(region.nodes);
  return count;
}

static void removeUnused(Graph &graph) {
  for (size_t before = 0; before != nodeCount(graph.nodes);) {
    before = nodeCount(graph.nodes);
    removeUnused(graph.nodes, graph.useCounts());
  }
}

/// What a constant or a computed value becomes.
static void makeArgument(Node &node) {
  bool isConstant = node.kind == Node::Constant;
  Node argument;
  argument.kind = Node::Argument;
  argument.results = node.results;
  if (isConstant)
    argument.data = node.data;
  node = std::move(argument);
}

/// What a region holds instead of the node that has it.
static void putInPlaceOf(Graph &graph, size_t at, const Region &region) {
  const Node node = graph.nodes[at];
  graph.nodes.erase(graph.nodes.begin() + at);
  graph.nodes.insert(graph.nodes.begin() + at, region.nodes.begin(),
                     region.nodes.end());
  for (size_t i = 0; i < node.results.size(); ++i)
    replaceUses(graph, node.results[i], region.yields[i]);
  // A region may yield what it is handed.
  for (size_t i = 0; i < region.parameters.size(); ++i)
    replaceUses(graph, region.parameters[i], node.operands[i]);
}

/// The body without ops that nothing uses.
static void removeUnused(Body &body) {
  int inputs = static_cast<int>(body.arguments.size());
  for (int i = static_cast<int>(body.ops.size()) - 1; i >= 0; --i) {
    int value = inputs + i;
    bool isUsed = std::count(body.yields.begin(), body.yields.end(), value);
    for (const BodyOp &op : body.ops)
      isUsed |= std::count(op.operands.begin(), op.operands.end(), value) > 0;
    if (isUsed)
      continue;
    body.ops.erase(body.ops.begin() + i);
    for (BodyOp &op : body.ops)
      for (int &operand : op.operands)
        operand -= operand > value;
    for (int &yield : body.yields)
      yield -= yield > value;
  }
}

static bool printsBody(const Node &node) {
  return node.text.find("$b") != std::string::npos;
}

static void replaceInBody(Body &body, int from, int to) {
  for (BodyOp &op : body.ops)
    std::replace(op.operands.begin(), op.operands.end(), from, to);
  std::replace(body.yields.begin(), body.yields.end(), from, to);
  removeUnused(body);
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {

class Reducer {
public:
  Reducer(Subject subject, Verdict verdict, const BatchOptions &options,
          unsigned timeoutSeconds)
      : best(std::move(subject)), verdict(std::move(verdict)), options(options),
        timeoutSeconds(timeoutSeconds) {}

  void run();

  Subject best;
  Verdict verdict;

private:
  /// Keeps a change if the program still fails.
  bool attempt(Subject candidate);
  bool isSameFailure(const Verdict &other) const;

  // Each says whether it could do anything.
  bool chooseCase();
  bool dropResults();
  bool replaceNodes();
  bool inlineNodes();
  bool shrinkBodies();
  bool shrinkSizes();
  bool simplifyData();

  const BatchOptions &options;
  unsigned timeoutSeconds;
};

} // namespace

bool Reducer::isSameFailure(const Verdict &other) const {
  if (other.kind != verdict.kind)
    return false;
  switch (verdict.kind) {
  case Verdict::Refused:
    return withoutNumbers(other.message) == withoutNumbers(verdict.message);
  case Verdict::Crashed:
    // "…: Segmentation fault", in a run or while compiling.
    return other.message.substr(other.message.rfind(':') + 1) ==
               verdict.message.substr(verdict.message.rfind(':') + 1) &&
           (other.failingCase < 0) == (verdict.failingCase < 0);
  default:
    return true;
  }
}

bool Reducer::attempt(Subject candidate) {
  removeUnused(candidate.graph);
  if (candidate.graph.results.empty())
    return false;
  Verdict found = judge(candidate, options, timeoutSeconds);
  if (!isSameFailure(found))
    return false;
  best = std::move(candidate);
  verdict = found;
  return true;
}

bool Reducer::chooseCase() {
  if (verdict.failingCase >= 0 && best.cases.size() > 1) {
    Subject candidate = best;
    candidate.cases = {best.cases[verdict.failingCase]};
    return attempt(std::move(candidate));
  }
  bool any = false;
  if (best.cases.size() != 1)
    return false;
  auto with = [&](auto change) {
    Subject candidate = best;
    change(candidate.cases[0]);
    any |= attempt(std::move(candidate));
  };
  if (best.cases[0].threads != 1)
    with([](Case &which) { which.threads = 1; });
  for (Fill fill : {Fill::Highest, Fill::Small, Fill::Random})
    if (best.cases[0].fill > Fill::Small && fill != best.cases[0].fill)
      with([&](Case &which) { which.fill = fill; });
  for (size_t i = 0; i < best.cases[0].symbols.size(); ++i)
    for (int64_t size : {1, 2, 3, 5, 17})
      if (best.cases[0].symbols[i] > size)
        with([&](Case &which) { which.symbols[i] = size; });
  return any;
}

bool Reducer::dropResults() {
  bool any = false;
  if (best.graph.results.size() > 2)
    for (ValueId result : std::vector<ValueId>(best.graph.results)) {
      Subject candidate = best;
      candidate.graph.results = {result};
      if (attempt(std::move(candidate)))
        return true;
    }
  for (size_t i = best.graph.results.size(); i > 0; --i) {
    Subject candidate = best;
    candidate.graph.results.erase(candidate.graph.results.begin() + (i - 1));
    any |= attempt(std::move(candidate));
  }
  // A value before a result may do as well.
  for (size_t i = best.graph.nodes.size(); i > 0; --i) {
    if (i > best.graph.nodes.size() || best.graph.results.size() > 1)
      continue;
    const Node &node = best.graph.nodes[i - 1];
    if (node.kind == Node::Argument || node.kind == Node::Constant ||
        node.results.size() != 1 || node.results[0] == best.graph.results[0])
      continue;
    Subject candidate = best;
    candidate.graph.results = {node.results[0]};
    any |= attempt(std::move(candidate));
  }
  return any;
}

bool Reducer::replaceNodes() {
  bool any = false;
  for (size_t i = best.graph.nodes.size(); i > 0; --i) {
    if (i > best.graph.nodes.size())
      continue;
    Node node = best.graph.nodes[i - 1];
    if (node.kind == Node::Argument)
      continue;
    bool replaced = false;
    // By an operand of the same type.
    for (size_t k = 0; k < node.operands.size() && !replaced; ++k) {
      const std::vector<Type> &types = best.graph.types;
      if (node.results.size() != 1 ||
          !(types[node.operands[k]] == types[node.results[0]]))
        continue;
      Subject candidate = best;
      replaceUses(candidate.graph, node.results[0], node.operands[k]);
      replaced = attempt(std::move(candidate));
    }
    any |= replaced;
    if (replaced || node.results.size() != 1 ||
        (node.kind == Node::Constant &&
         best.graph.types[node.results[0]].isScalar))
      continue;
    Subject candidate = best;
    makeArgument(candidate.graph.nodes[i - 1]);
    any |= attempt(std::move(candidate));
  }
  return any;
}

bool Reducer::inlineNodes() {
  bool any = false;
  for (size_t i = 0; i < best.graph.nodes.size(); ++i) {
    const Node node = best.graph.nodes[i];
    for (size_t k = 0; k < node.regions.size(); ++k) {
      // The condition of a loop goes with the loop.
      if (node.kind == Node::While && k == 0)
        continue;
      Subject candidate = best;
      putInPlaceOf(candidate.graph, i, node.regions[k]);
      if (attempt(std::move(candidate))) {
        any = true;
        break;
      }
    }
  }
  return any;
}

bool Reducer::shrinkBodies() {
  bool any = false;
  for (size_t i = 0; i < best.graph.nodes.size(); ++i)
    for (size_t k = best.graph.nodes[i].body.ops.size(); k > 0; --k) {
      const Body body = best.graph.nodes[i].body;
      // The name of an op may say what its body is.
      if (k > body.ops.size() || !printsBody(best.graph.nodes[i]))
        continue;
      int value = static_cast<int>(body.arguments.size() + k) - 1;
      std::vector<int> others = body.ops[k - 1].operands;
      for (size_t a = 0; a + 1 < body.arguments.size(); ++a)
        others.push_back(static_cast<int>(a));
      for (int other : others) {
        if (body.typeOf(other) != body.typeOf(value))
          continue;
        Subject candidate = best;
        replaceInBody(candidate.graph.nodes[i].body, value, other);
        if (attempt(std::move(candidate))) {
          any = true;
          break;
        }
      }
    }
  return any;
}

bool Reducer::shrinkSizes() {
  bool any = false;
  for (size_t i = 0; i < best.graph.dims.size(); ++i) {
    if (best.graph.dims[i].kind == Dim::Dynamic && best.cases.size() == 1) {
      Subject candidate = best;
      candidate.graph.dims[i] = {
          Dim::Static,
          best.graph.sizeOf(static_cast<DimId>(i), best.cases[0].symbols)};
      any |= attempt(std::move(candidate));
    }
    for (int64_t size : {1, 2, 3, 4, 8, 16, 32, 64}) {
      if (best.graph.dims[i].kind != Dim::Static ||
          best.graph.dims[i].value <= size)
        continue;
      Subject candidate = best;
      candidate.graph.dims[i].value = size;
      if (attempt(std::move(candidate))) {
        any = true;
        break;
      }
    }
  }
  return any;
}

bool Reducer::simplifyData() {
  bool any = false;
  for (size_t i = 0; i < best.graph.quants.size(); ++i) {
    auto with = [&](auto change) {
      Subject candidate = best;
      change(candidate.graph.quants[i]);
      any |= attempt(std::move(candidate));
    };
    if (best.graph.quants[i].axis >= 0)
      with([](Quant &quant) { quant.axis = -1; });
    if (best.graph.quants[i].zeroPointsVary)
      with([](Quant &quant) { quant.zeroPointsVary = false; });
    if (best.graph.quants[i].zeroPoint)
      with([](Quant &quant) { quant.zeroPoint = 0; });
    if (best.graph.quants[i].scale != 0.5)
      with([](Quant &quant) { quant.scale = 0.5; });
  }
  for (size_t i = 0; i < best.graph.nodes.size(); ++i) {
    if (best.graph.nodes[i].kind > Node::Constant)
      continue;
    for (double value : {1.0, 0.5}) {
      if (best.graph.nodes[i].data.role >= Data::Zero)
        break;
      Subject candidate = best;
      candidate.graph.nodes[i].data.role = Data::Exact;
      candidate.graph.nodes[i].data.scale = value;
      any |= attempt(std::move(candidate));
    }
    if (best.graph.nodes[i].kind == Node::Constant &&
        best.graph.nodes[i].form != Form::Splat) {
      Subject candidate = best;
      candidate.graph.nodes[i].form = Form::Splat;
      any |= attempt(std::move(candidate));
    }
  }
  return any;
}

void Reducer::run() {
  for (bool any = true; any;) {
    any = chooseCase();
    any |= dropResults();
    any |= replaceNodes();
    any |= inlineNodes();
    any |= shrinkBodies();
    any |= shrinkSizes();
    any |= simplifyData();
  }
}

Subject reduce(Subject subject, Verdict &verdict, const BatchOptions &options,
               unsigned timeoutSeconds) {
  Reducer reducer(std::move(subject), verdict, options, timeoutSeconds);
  reducer.run();
  verdict = reducer.verdict;
  return std::move(reducer.best);
}

//===----------------------------------------------------------------------===//
// Reproducers
//===----------------------------------------------------------------------===//

rt::Status writeReproducer(const std::string &folder, const Subject &subject,
                           const Verdict &verdict, BatchOptions options,
                           unsigned timeoutSeconds) {
  std::string name = subject.graph.name, command = "qcc run " + name + ".mlir";
  size_t count = 0;
  const Case which = subject.cases.empty() ? Case() : subject.cases[0];
  for (const Node *node : subject.graph.arguments()) {
    const Type &type = subject.graph.types[node->results[0]];
    std::vector<int64_t> shape = subject.graph.shapeOf(type, which.symbols);
    int64_t elements = 1;
    for (int64_t size : shape)
      elements *= size;
    std::vector<uint8_t> bytes = makeElements(type.element, node->data,
                                              elements, which.fill, which.seed);
    std::string file = name + "." + std::to_string(count++) + ".npy";
    if (rt::Status status = writeNpy(folder + "/" + file, dtypeOf(type.element),
                                     shape, bytes.data());
        !status.isOk())
      return status;
    command += " --input=" + file;
  }
  std::string configs = name + ".tuning.json";
  options.configs = folder + "/" + configs;
  std::remove(options.configs.c_str()); // of another run
  judge(subject, options, timeoutSeconds);
  if (std::ifstream(options.configs))
    command += " --tuning-db=" + configs;
  std::ofstream out(folder + "/" + name + ".mlir");
  out << "// " << command << " --mcpu=" << options.target->getName()
      << (options.target->isDevice() ? " --target=cuda --device=emulator" : "")
      << " --threads=" << which.threads << " --check\n// "
      << spell(verdict.kind) << ": "
      << verdict.message.substr(0, verdict.message.find('\n')) << "\n"
      << moduleText({print(subject.graph)});
  out.close();
  return out ? rt::Status::ok()
             : rt::ioError(folder + "/" + name + ".mlir cannot be written");
}

} // namespace qcc::fuzz
