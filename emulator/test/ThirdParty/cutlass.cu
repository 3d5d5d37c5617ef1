// GEMMs of CUTLASS: C[m, n] = A[m, k] B[k, n], whose sizes no tile divides.

#include <cutlass/cutlass.h>
#include <cutlass/epilogue/thread/linear_combination.h>
#include <cutlass/gemm/device/gemm.h>

using namespace cutlass;

template <class Gemm, class A, class B, class C>
__device__ void run(const A *a, const B *b, C *c, int m, int n, int k, int lda,
                    int ldb, int ldc) {
  using Kernel = typename Gemm::GemmKernel;
  using Tile = typename Gemm::ThreadblockShape;
  using Scale = typename Gemm::EpilogueOutputOp;
  extern __shared__ int4 storage[];
  gemm::GemmCoord size(m, n, k);
  auto tiles = typename Gemm::ThreadblockSwizzle().get_tiled_shape(
      size, {Tile::kM, Tile::kN, Tile::kK}, 1);
  typename Kernel::Params params(
      size, tiles, {const_cast<A *>(a), lda}, {const_cast<B *>(b), ldb},
      {c, ldc}, {c, ldc},
      typename Scale::Params(typename Scale::ElementCompute(1),
                             typename Scale::ElementCompute(0)));
  Kernel()(params,
           *reinterpret_cast<typename Kernel::SharedStorage *>(storage));
}

template <int m, int n, int k> using Shape = gemm::GemmShape<m, n, k>;
template <class T, int count>
using Scale = epilogue::thread::LinearCombination<T, count, T, T>;
using Swizzle = gemm::threadblock::GemmIdentityThreadblockSwizzle<>;
using Row = layout::RowMajor;
using Column = layout::ColumnMajor;
using Tensor = arch::OpClassTensorOp;
using Simt = arch::OpClassSimt;
using Saturate = arch::OpMultiplyAddSaturate;
using Add = arch::OpMultiplyAdd;

// Blocks of 64 x 64 x K by four warps.
template <class T, class A, class B, class C, class Class, class Arch, int K,
          class Atom, int count, int stages, int alignment, class Operation>
using Gemm =
    gemm::device::Gemm<T, A, T, B, C, Row, C, Class, Arch, Shape<64, 64, K>,
                       Shape<32, 32, K>, Atom, Scale<C, count>, Swizzle, stages,
                       alignment, alignment, false, Operation>;

#define KERNEL(name, T, C, ...)                                                \
  extern "C" __global__ void name(const T *a, const T *b, C *c, int m, int n,  \
                                  int k, int lda, int ldb, int ldc) {          \
    run<__VA_ARGS__>(a, b, c, m, n, k, lda, ldb, ldc);                         \
  }

using SM75 = arch::Sm75;
using SM80 = arch::Sm80;
KERNEL(int8, int8_t, int,
       Gemm<int8_t, Row, Column, int, Tensor, SM80, 64, Shape<16, 8, 32>, 4, 3,
            16, Saturate>)
KERNEL(int8_sm75, int8_t, int,
       Gemm<int8_t, Row, Column, int, Tensor, SM75, 64, Shape<8, 8, 16>, 4, 2,
            16, Saturate>)
KERNEL(int8_simt, int8_t, int,
       Gemm<int8_t, Row, Column, int, Simt, arch::Sm61, 32, Shape<1, 1, 4>, 1,
            2, 4, Add>)
KERNEL(half_column, half_t, float,
       Gemm<half_t, Row, Column, float, Tensor, SM80, 32, Shape<16, 8, 16>, 4,
            4, 8, Add>)
KERNEL(half_row, half_t, float,
       Gemm<half_t, Row, Row, float, Tensor, SM80, 32, Shape<16, 8, 16>, 1, 3,
            2, Add>)
KERNEL(
    float_simt, float, float,
    Gemm<float, Row, Row, float, Simt, SM80, 8, Shape<1, 1, 1>, 1, 2, 1, Add>)
KERNEL(tf32, float, float,
       Gemm<float, Row, Column, float, Tensor, SM80, 16, Shape<16, 8, 8>, 4, 3,
            4, Add>)
KERNEL(double_tensor, double, double,
       Gemm<double, Row, Column, double, Tensor, SM80, 16, Shape<8, 8, 4>, 1, 3,
            1, Add>)
