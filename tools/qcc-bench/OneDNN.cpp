//===- OneDNN.cpp - oneDNN as the peer ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written for the API of version 2. Every implementation of the primitives is
// offered: which is best depends on the shape and on the processor, and the
// peer shall have its best choice.
//
//===----------------------------------------------------------------------===//

#include "Peer.h"
#include "qcc/Runtime/Allocator.h"
#include <dlfcn.h>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>

using namespace qcc;
using namespace qcc::bench;
using dnnl::memory;

static const dnnl::engine &engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

std::string bench::peerVersion() {
  const dnnl_version_t *version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." +
         std::to_string(version->minor) + "." + std::to_string(version->patch);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

namespace {
struct NamedIsa {
  const char *name;
  dnnl::cpu_isa isa;
  const char *peerName;
};
} // namespace

static const NamedIsa kIsas[] = {
    {"amx-int8", dnnl::cpu_isa::avx512_core_amx, "avx512_core_amx"},
    {"avx512-vnni", dnnl::cpu_isa::avx512_core_vnni, "avx512_core_vnni"},
    {"avx-vnni", dnnl::cpu_isa::avx2_vnni, "avx2_vnni"},
    {"avx512", dnnl::cpu_isa::avx512_core, "avx512_core"},
    {"avx2", dnnl::cpu_isa::avx2, "avx2"},
};

std::string bench::setPeerIsa(const std::string &name) {
  for (const NamedIsa &known : kIsas)
    if (name == known.name &&
        dnnl::set_max_cpu_isa(known.isa) == dnnl::status::success)
      return known.peerName;
  return "";
}

void bench::setPeerThreads(int threads) {
  // Of the OpenMP library that oneDNN itself is linked to.
  using SetThreads = void (*)(int);
  if (auto set = reinterpret_cast<SetThreads>(
          dlsym(RTLD_DEFAULT, "omp_set_num_threads")))
    set(threads);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// An operand as the caller has it.
struct Operand {
  memory::desc desc;
  const void *data = nullptr;
  bool isConstant = false;
};

struct Operands {
  Operand lhs, rhs, bias, out;
};

/// A primitive with the reorders that belong to each call.
class OneDNNKernel final : public PeerKernel {
public:
  explicit OneDNNKernel(std::string name)
      : name_(std::move(name)), stream_(engine()) {}

  /// The operand in the layout that a primitive wants. One that is not constant
  /// is brought into it at each call; `note` then becomes part of the name.
  memory read(const Operand &operand, const memory::desc &wanted,
              const char *note);
  /// The last step, and the reorder of its result where one is needed.
  void compute(const dnnl::primitive &primitive,
               std::unordered_map<int, memory> arguments, const Operand &out,
               const memory::desc &written);

  std::string name() const override { return name_; }

  bool run() override {
    try {
      for (auto &[primitive, arguments] : steps_)
        primitive.execute(stream_, arguments);
      stream_.wait();
      return true;
    } catch (const std::exception &) {
      return false;
    }
  }

private:
  using Step = std::pair<dnnl::primitive, std::unordered_map<int, memory>>;

  memory allocate(const memory::desc &desc);
  static Step reorder(const memory &from, const memory &to) {
    return {dnnl::reorder(from, to),
            {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}};
  }

  std::string name_;
  std::vector<rt::AlignedBuffer> buffers_; ///< Of arguments.
  std::vector<Step> steps_;
  dnnl::stream stream_;
};
} // namespace

static memory memoryOf(const Operand &operand) {
  return memory(operand.desc, engine(), const_cast<void *>(operand.data));
}

/// Like that of qcc's weights: in huge pages, if it is large.
memory OneDNNKernel::allocate(const memory::desc &desc) {
  rt::AlignedBuffer buffer;
  if (!buffer.reserve(desc.get_size()).isOk())
    throw std::bad_alloc();
  buffers_.push_back(std::move(buffer));
  return memory(desc, engine(), buffers_.back().data());
}

/// Reorders at once. Some layouts are only reached from the plain one.
static void pack(memory from, memory to) {
  dnnl::stream stream(engine());
  memory::desc desc = from.get_desc();
  memory::dims strides(desc.dims().size(), 1);
  for (size_t i = strides.size() - 1; i > 0; --i)
    strides[i - 1] = strides[i] * desc.dims()[i];
  memory plain({desc.dims(), desc.data_type(), strides}, engine());
  dnnl::reorder(from, plain).execute(stream, from, plain);
  dnnl::reorder(plain, to).execute(stream, plain, to);
  stream.wait();
}

memory OneDNNKernel::read(const Operand &operand, const memory::desc &wanted,
                          const char *note) {
  memory from = memoryOf(operand);
  if (wanted == operand.desc)
    return from;
  memory to = allocate(wanted);
  if (operand.isConstant) {
    pack(from, to);
  } else {
    steps_.push_back(reorder(from, to));
    name_ += note;
  }
  return to;
}

void OneDNNKernel::compute(const dnnl::primitive &primitive,
                           std::unordered_map<int, memory> arguments,
                           const Operand &out, const memory::desc &written) {
  memory result = memoryOf(out);
  bool reorders = written != out.desc;
  memory destination = reorders ? allocate(written) : result;
  arguments[DNNL_ARG_DST] = destination;
  steps_.emplace_back(primitive, std::move(arguments));
  if (reorders) {
    steps_.push_back(reorder(destination, result));
    name_ += ", result reordered";
  }
}

/// `columnMask` selects the dimension of columns for the scales.
static dnnl::primitive_attr attributes(const PeerProblem &problem,
                                       int columnMask) {
  dnnl::primitive_attr attr;
  if (!problem.isFloat)
    attr.set_output_scales(problem.scales.size() > 1 ? columnMask : 0,
                           problem.scales);
  if (problem.bias) {
    dnnl::post_ops ops;
    ops.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    attr.set_post_ops(ops);
  }
  return attr;
}

/// Whether an int8 implementation is of an older instruction set than VNNI,
/// while there is VNNI: its sums saturate in 16 bits. oneDNN offers these after
/// the others.
static bool saturatesInVain(const std::string &implementation) {
  dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  if (isa == dnnl::cpu_isa::avx512_core || isa == dnnl::cpu_isa::avx2)
    return false;
  std::string set = implementation.substr(implementation.rfind(':') + 1);
  return set == "avx512_core" || set == "avx2" || set == "avx" ||
         set == "sse41";
}

/// Makes a kernel of the implementation that `desc` stands at.
template <typename Primitive, typename PrimitiveDesc>
static std::unique_ptr<OneDNNKernel> makeKernel(const std::string &name,
                                                const PrimitiveDesc &desc,
                                                const Operands &operands) {
  auto kernel = std::make_unique<OneDNNKernel>(name);
  std::unordered_map<int, memory> arguments;
  arguments[DNNL_ARG_SRC] =
      kernel->read(operands.lhs, desc.src_desc(), ", source reordered");
  arguments[DNNL_ARG_WEIGHTS] =
      kernel->read(operands.rhs, desc.weights_desc(), " after packing");
  if (operands.bias.data)
    arguments[DNNL_ARG_BIAS] = memoryOf(operands.bias);
  kernel->compute(Primitive(desc), std::move(arguments), operands.out,
                  desc.dst_desc());
  return kernel;
}

/// Offers each implementation of a primitive; with `onlyReordered`, those that
/// want activations in other layouts than the caller's.
template <typename Primitive, typename PrimitiveDesc>
static void offer(const std::string &name, PrimitiveDesc desc,
                  const Operands &operands, bool onlyReordered,
                  std::vector<std::unique_ptr<PeerKernel>> &kernels) {
  if (!desc)
    return;
  do {
    std::string implementation = desc.impl_info_str();
    if (implementation.rfind("ref", 0) == 0)
      continue;
    if (operands.rhs.desc.data_type() == memory::data_type::s8 &&
        saturatesInVain(implementation))
      continue;
    if (onlyReordered && desc.src_desc() == operands.lhs.desc &&
        desc.dst_desc() == operands.out.desc)
      continue;
    kernels.push_back(
        makeKernel<Primitive>(name + " " + implementation, desc, operands));
  } while (desc.next_impl());
}

/// The layout is the primitive's choice.
static memory::desc anyLayout(const memory::desc &desc) {
  return memory::desc(desc.dims(), desc.data_type(), memory::format_tag::any);
}

//===----------------------------------------------------------------------===//
// Primitives
//===----------------------------------------------------------------------===//

namespace {
/// Offers the primitives for a problem.
class Offers {
public:
  explicit Offers(const PeerProblem &problem);

  void matrix(const MatrixShape &shape);
  void convolution(const ConvolutionShape &shape);

  std::vector<std::unique_ptr<PeerKernel>> kernels;

private:
  using Type = memory::data_type;
  using Tag = memory::format_tag;

  void matmul(bool isBatched, const memory::desc &rhs);
  void innerProduct(const MatrixShape &shape);

  const PeerProblem &problem;
  Type activation, weight, bias;
  Operands operands;
};
} // namespace

Offers::Offers(const PeerProblem &problem)
    : problem(problem), activation(problem.isFloat      ? Type::f32
                                   : problem.isUnsigned ? Type::u8
                                                        : Type::s8),
      weight(problem.isFloat ? Type::f32 : Type::s8),
      bias(problem.isFloat ? Type::f32 : Type::s32) {
  operands.lhs.data = problem.lhs;
  operands.rhs.data = problem.rhs;
  operands.rhs.isConstant = problem.bias != nullptr;
  operands.bias.data = problem.bias;
  operands.out.data = problem.out;
}

void Offers::matmul(bool isBatched, const memory::desc &rhs) {
  const memory::desc &lhs = operands.lhs.desc, &out = operands.out.desc;
  auto desc = problem.bias
                  ? dnnl::matmul::desc(lhs, rhs, operands.bias.desc, out)
                  : dnnl::matmul::desc(lhs, rhs, out);
  offer<dnnl::matmul>("matmul",
                      dnnl::matmul::primitive_desc(
                          desc,
                          attributes(problem, isBatched ? 1 << 2 : 1 << 1),
                          engine(), /*allow_empty=*/true),
                      operands, /*onlyReordered=*/false, kernels);
}

void Offers::innerProduct(const MatrixShape &shape) {
  operands.rhs.desc = memory::desc({shape.n, shape.k}, weight, Tag::ab);
  operands.bias.desc = memory::desc({shape.n}, bias, Tag::a);
  dnnl::inner_product_forward::desc desc(
      dnnl::prop_kind::forward_inference, operands.lhs.desc,
      anyLayout(operands.rhs.desc), operands.bias.desc, operands.out.desc);
  offer<dnnl::inner_product_forward>(
      "inner_product",
      dnnl::inner_product_forward::primitive_desc(
          desc, attributes(problem, 1 << 1), engine(), /*allow_empty=*/true),
      operands, /*onlyReordered=*/false, kernels);
}

void Offers::matrix(const MatrixShape &shape) {
  int64_t batch = shape.batch, m = shape.m, n = shape.n, k = shape.k;
  if (batch) {
    operands.lhs.desc = memory::desc({batch, m, k}, activation, Tag::abc);
    operands.rhs.desc = memory::desc({batch, k, n}, weight,
                                     shape.transposeRhs ? Tag::acb : Tag::abc);
    operands.out.desc = memory::desc({batch, m, n}, activation, Tag::abc);
    matmul(/*isBatched=*/true, operands.rhs.desc);
    matmul(/*isBatched=*/true, anyLayout(operands.rhs.desc));
    return;
  }
  operands.lhs.desc = memory::desc({m, k}, activation, Tag::ab);
  operands.rhs.desc = memory::desc({k, n}, weight, Tag::ba);
  operands.bias.desc = memory::desc({1, n}, bias, Tag::ab);
  operands.out.desc = memory::desc({m, n}, activation, Tag::ab);
  matmul(/*isBatched=*/false, anyLayout(operands.rhs.desc));
  innerProduct(shape);
}

void Offers::convolution(const ConvolutionShape &shape) {
  int64_t groups = shape.groups, f = shape.f, c = shape.c;
  operands.lhs.desc =
      memory::desc({shape.n, c, shape.h, shape.w}, activation, Tag::nhwc);
  operands.rhs.desc =
      groups == 1
          ? memory::desc({f, c, shape.kh, shape.kw}, weight, Tag::acdb)
          : memory::desc({groups, f / groups, c / groups, shape.kh, shape.kw},
                         weight, Tag::abdec);
  operands.bias.desc = memory::desc({f}, bias, Tag::a);
  operands.out.desc =
      memory::desc({shape.n, f, shape.resultHeight(), shape.resultWidth()},
                   activation, Tag::nhwc);
  // Of int8 it has Winograd as well, but does not pack int8 weights for it.
  std::vector<dnnl::algorithm> algorithms{dnnl::algorithm::convolution_direct};
  if (problem.isFloat)
    algorithms.push_back(dnnl::algorithm::convolution_winograd);
  for (dnnl::algorithm algorithm : algorithms)
    for (bool anyLayouts : {false, true}) {
      auto layout = [&](const memory::desc &desc) {
        return anyLayouts ? anyLayout(desc) : desc;
      };
      // oneDNN counts the elements that a dilation leaves out.
      dnnl::convolution_forward::desc desc(
          dnnl::prop_kind::forward_inference, algorithm,
          layout(operands.lhs.desc), anyLayout(operands.rhs.desc),
          operands.bias.desc, layout(operands.out.desc),
          {shape.stride, shape.stride},
          {shape.dilation - 1, shape.dilation - 1}, {shape.top, shape.left},
          {shape.bottom, shape.right});
      offer<dnnl::convolution_forward>(
          "convolution",
          dnnl::convolution_forward::primitive_desc(
              desc, attributes(problem, 1 << 1), engine(),
              /*allow_empty=*/true),
          operands, /*onlyReordered=*/anyLayouts, kernels);
    }
}

std::vector<std::unique_ptr<PeerKernel>>
bench::makePeerKernels(const PeerProblem &problem, std::string &error) {
  try {
    Offers offers(problem);
    if (const ConvolutionShape *shape = problem.shape.convolution())
      offers.convolution(*shape);
    else
      offers.matrix(*problem.shape.matrix());
    if (offers.kernels.empty())
      error = "oneDNN has no optimized implementation";
    return std::move(offers.kernels);
  } catch (const std::exception &exception) {
    error = std::string("oneDNN: ") + exception.what();
    return {};
  }
}
