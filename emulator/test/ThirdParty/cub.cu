// Algorithms of CUB for blocks and warps: a kernel for each, of 128 threads,
// from `in` to `out`, both of n elements.

#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

constexpr int threads = 128, items = 4, most = 0x7fffffff;

struct Less {
  __device__ bool operator()(int a, int b) const { return a < b; }
};
struct Minus {
  __device__ int operator()(int a, int b) const { return a - b; }
};
struct Differ {
  __device__ bool operator()(int a, int b) const { return a != b; }
};

#define KERNEL(name)                                                           \
  extern "C" __global__ void name(const int *in, int *out, int n)

template <cub::BlockReduceAlgorithm algorithm>
__device__ void reduce(const int *in, int *out, int n) {
  using Reduce = cub::BlockReduce<int, threads, algorithm>;
  __shared__ typename Reduce::TempStorage storage;
  int begin = blockIdx.x * threads, i = begin + threadIdx.x;
  int sum = Reduce(storage).Sum(i < n ? in[i] : most, min(threads, n - begin));
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}
KERNEL(reduce_warp) { reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(in, out, n); }
KERNEL(reduce_raking) { reduce<cub::BLOCK_REDUCE_RAKING>(in, out, n); }

// Guarded loads leave items without a value.
template <class Work>
__device__ void transform(const int *in, int *out, int n, Work work) {
  using Load =
      cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store =
      cub::BlockStore<int, threads, items, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Work::Storage work;
    typename Store::TempStorage store;
  } storage;
  int values[items];
  Load(storage.load).Load(in, values, n);
  __syncthreads();
  work(storage.work, values, n);
  __syncthreads();
  Store(storage.store).Store(out, values, n);
}

/// Gives items beyond n a value.
__device__ void fill(int (&values)[items], int n, int value) {
  for (int i = 0; i < items; ++i)
    if (items * threadIdx.x + i >= n)
      values[i] = value;
}

template <cub::BlockScanAlgorithm algorithm> struct Scan {
  using Block = cub::BlockScan<int, threads, algorithm>;
  using Storage = typename Block::TempStorage;
  __device__ void operator()(Storage &storage, int (&values)[items], int n) {
    fill(values, n, 0);
    Block(storage).InclusiveSum(values, values);
  }
};
KERNEL(scan_raking) { transform(in, out, n, Scan<cub::BLOCK_SCAN_RAKING>()); }
KERNEL(scan_warp) { transform(in, out, n, Scan<cub::BLOCK_SCAN_WARP_SCANS>()); }

struct MergeSort {
  using Block = cub::BlockMergeSort<int, threads, items>;
  using Storage = Block::TempStorage;
  __device__ void operator()(Storage &storage, int (&values)[items], int n) {
    Block(storage).Sort(values, Less(), n, most);
  }
};
KERNEL(merge_sort) { transform(in, out, n, MergeSort()); }

struct RadixSort {
  using Block = cub::BlockRadixSort<int, threads, items>;
  using Storage = Block::TempStorage;
  __device__ void operator()(Storage &storage, int (&values)[items], int n) {
    fill(values, n, most);
    Block(storage).Sort(values);
  }
};
KERNEL(radix_sort) { transform(in, out, n, RadixSort()); }

struct Difference {
  using Block = cub::BlockAdjacentDifference<int, threads>;
  using Storage = Block::TempStorage;
  __device__ void operator()(Storage &storage, int (&values)[items], int n) {
    Block(storage).SubtractLeftPartialTile(values, values, Minus(), n);
  }
};
KERNEL(difference) { transform(in, out, n, Difference()); }

struct Heads {
  using Block = cub::BlockDiscontinuity<int, threads>;
  using Storage = Block::TempStorage;
  __device__ void operator()(Storage &storage, int (&values)[items], int) {
    int flags[items];
    Block(storage).FlagHeads(flags, values, Differ());
    for (int i = 0; i < items; ++i)
      values[i] = flags[i];
  }
};
KERNEL(heads) { transform(in, out, n, Heads()); }

template <cub::BlockHistogramAlgorithm algorithm>
__device__ void histogram(const int *in, int *out) {
  using Block =
      cub::BlockHistogram<unsigned char, threads, items, 256, algorithm>;
  __shared__ typename Block::TempStorage storage;
  __shared__ unsigned bins[256];
  unsigned char values[items];
  for (int i = 0; i < items; ++i)
    values[i] = in[items * threadIdx.x + i];
  Block(storage).Histogram(values, bins);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += threads)
    out[i] = bins[i];
}
KERNEL(histogram_sort) { histogram<cub::BLOCK_HISTO_SORT>(in, out); }
KERNEL(histogram_atomic) { histogram<cub::BLOCK_HISTO_ATOMIC>(in, out); }

// Sixteen threads sort 64 elements.
KERNEL(warp_merge_sort) {
  using Warp = cub::WarpMergeSort<int, items, 16>;
  __shared__ typename Warp::TempStorage storage[threads / 16];
  int values[items], first = items * threadIdx.x;
  for (int i = 0; i < items; ++i)
    values[i] = first + i < n ? in[first + i] : most;
  Warp(storage[threadIdx.x / 16]).Sort(values, Less());
  for (int i = 0; i < items; ++i)
    if (first + i < n)
      out[first + i] = values[i];
}
KERNEL(warp_reduce) {
  using Warp = cub::WarpReduce<int, 8>;
  __shared__ typename Warp::TempStorage storage[threads / 8];
  int i = threadIdx.x;
  int sum = Warp(storage[i / 8]).Sum(i < n ? in[i] : 0);
  if (i % 8 == 0)
    out[i / 8] = sum;
}
KERNEL(warp_scan) {
  using Warp = cub::WarpScan<int>;
  __shared__ typename Warp::TempStorage storage[threads / 32];
  int i = threadIdx.x, value = in[i];
  Warp(storage[i / 32]).InclusiveSum(value, value);
  out[i] = value;
}
