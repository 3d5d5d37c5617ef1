//===- OneDNN.cpp - oneDNN as the peer ------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written for the API of version 2. Every implementation of both primitives is
// offered: which is best depends on the shape and on the processor, and the
// peer shall have its best choice.
//
//===----------------------------------------------------------------------===//

#include "Peer.h"
#include "qcc/Runtime/Allocator.h"
#include <dlfcn.h>
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
class OneDNNKernel final : public PeerKernel {
public:
  OneDNNKernel(std::string name, dnnl::primitive primitive,
               std::unordered_map<int, memory> arguments,
               rt::AlignedBuffer weights)
      : name_(std::move(name)), weights_(std::move(weights)),
        primitive_(std::move(primitive)), arguments_(std::move(arguments)),
        stream_(engine()) {}

  /// Packs `from` into the weight at each call.
  void packEachTime(const memory &from) {
    from_ = from;
    packed_ = arguments_.at(DNNL_ARG_WEIGHTS);
    pack_ = dnnl::reorder(from_, packed_);
    name_ += " after packing";
  }

  std::string name() const override { return name_; }

  bool run() override {
    try {
      if (from_)
        pack_.execute(stream_, from_, packed_);
      primitive_.execute(stream_, arguments_);
      stream_.wait();
      return true;
    } catch (const std::exception &) {
      return false;
    }
  }

private:
  std::string name_;
  rt::AlignedBuffer weights_; ///< Of an argument.
  dnnl::primitive primitive_;
  std::unordered_map<int, memory> arguments_;
  dnnl::stream stream_;
  dnnl::reorder pack_;
  memory from_, packed_;
};

/// Descriptors of the operands as the caller has them.
struct Operands {
  memory::desc lhs, rhs, bias, out;
};
} // namespace

static memory memoryOf(const memory::desc &desc, const void *data) {
  return memory(desc, engine(), const_cast<void *>(data));
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

/// Offers each implementation of a primitive.
template <typename Primitive, typename PrimitiveDesc>
static void offer(const char *name, PrimitiveDesc desc,
                  const PeerProblem &problem, const Operands &operands,
                  std::vector<std::unique_ptr<PeerKernel>> &kernels) {
  bool isConstant = problem.batch == 0;
  do {
    std::string implementation = desc.impl_info_str();
    if (implementation.rfind("ref", 0) == 0)
      continue;
    std::unordered_map<int, memory> arguments;
    arguments[DNNL_ARG_SRC] = memoryOf(operands.lhs, problem.lhs);
    arguments[DNNL_ARG_DST] = memoryOf(operands.out, problem.out);
    if (problem.bias)
      arguments[DNNL_ARG_BIAS] = memoryOf(operands.bias, problem.bias);
    memory rhs = memoryOf(operands.rhs, problem.rhs);
    memory::desc wanted = desc.weights_desc();
    bool packs = wanted != operands.rhs;
    // Like that of qcc's weights: in huge pages, if it is large.
    rt::AlignedBuffer weights;
    if (packs) {
      if (!weights.reserve(wanted.get_size()).isOk())
        continue;
      memory packed(wanted, engine(), weights.data());
      if (isConstant) {
        dnnl::stream stream(engine());
        dnnl::reorder(rhs, packed).execute(stream, rhs, packed);
        stream.wait();
      }
      arguments[DNNL_ARG_WEIGHTS] = packed;
    } else {
      arguments[DNNL_ARG_WEIGHTS] = rhs;
    }
    auto kernel = std::make_unique<OneDNNKernel>(
        std::string(name) + " " + implementation, Primitive(desc),
        std::move(arguments), std::move(weights));
    if (packs && !isConstant)
      kernel->packEachTime(rhs);
    kernels.push_back(std::move(kernel));
  } while (desc.next_impl());
}

/// `anyRhs` lets the primitive choose the layout of the right operand.
static void offerMatmul(const PeerProblem &p, Operands operands, bool anyRhs,
                        std::vector<std::unique_ptr<PeerKernel>> &kernels) {
  memory::desc rhs = operands.rhs;
  if (anyRhs)
    rhs = memory::desc(rhs.dims(), rhs.data_type(), memory::format_tag::any);
  int columnMask = p.batch ? 1 << 2 : 1 << 1;
  auto desc = p.bias ? dnnl::matmul::desc(operands.lhs, rhs, operands.bias,
                                          operands.out)
                     : dnnl::matmul::desc(operands.lhs, rhs, operands.out);
  dnnl::matmul::primitive_desc primitive(desc, attributes(p, columnMask),
                                         engine(), /*allow_empty=*/true);
  if (primitive)
    offer<dnnl::matmul>("matmul", primitive, p, operands, kernels);
}

static void
offerInnerProduct(const PeerProblem &p, Operands operands,
                  std::vector<std::unique_ptr<PeerKernel>> &kernels) {
  using Tag = memory::format_tag;
  auto type = operands.rhs.data_type();
  operands.rhs = memory::desc({p.n, p.k}, type, Tag::ab);
  operands.bias =
      memory::desc({p.n}, operands.bias.data_type(), memory::format_tag::a);
  dnnl::inner_product_forward::desc desc(
      dnnl::prop_kind::forward_inference, operands.lhs,
      memory::desc({p.n, p.k}, type, Tag::any), operands.bias, operands.out);
  dnnl::inner_product_forward::primitive_desc primitive(
      desc, attributes(p, 1 << 1), engine(), /*allow_empty=*/true);
  if (primitive)
    offer<dnnl::inner_product_forward>("inner_product", primitive, p, operands,
                                       kernels);
}

std::vector<std::unique_ptr<PeerKernel>>
bench::makePeerKernels(const PeerProblem &p, std::string &error) {
  using Type = memory::data_type;
  using Tag = memory::format_tag;
  std::vector<std::unique_ptr<PeerKernel>> kernels;
  try {
    Type activation = p.isFloat      ? Type::f32
                      : p.isUnsigned ? Type::u8
                                     : Type::s8;
    Type weight = p.isFloat ? Type::f32 : Type::s8;
    Type biasType = p.isFloat ? Type::f32 : Type::s32;
    Operands operands;
    if (p.batch) {
      operands.lhs = memory::desc({p.batch, p.m, p.k}, activation, Tag::abc);
      operands.rhs = memory::desc({p.batch, p.k, p.n}, weight,
                                  p.transposeRhs ? Tag::acb : Tag::abc);
      operands.out = memory::desc({p.batch, p.m, p.n}, activation, Tag::abc);
      offerMatmul(p, operands, /*anyRhs=*/false, kernels);
      offerMatmul(p, operands, /*anyRhs=*/true, kernels);
    } else {
      operands.lhs = memory::desc({p.m, p.k}, activation, Tag::ab);
      operands.rhs = memory::desc({p.k, p.n}, weight, Tag::ba);
      operands.bias = memory::desc({1, p.n}, biasType, Tag::ab);
      operands.out = memory::desc({p.m, p.n}, activation, Tag::ab);
      offerMatmul(p, operands, /*anyRhs=*/true, kernels);
      offerInnerProduct(p, operands, kernels);
    }
    if (kernels.empty())
      error = "oneDNN has no optimized implementation";
  } catch (const std::exception &exception) {
    kernels.clear();
    error = std::string("oneDNN: ") + exception.what();
  }
  return kernels;
}
