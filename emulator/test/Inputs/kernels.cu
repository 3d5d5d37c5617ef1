// Small kernels whose PTX, kernels.ptx, exercises what LLVM prints:
//   clang++-22 -x cuda --cuda-gpu-arch=sm_80 -nocudainc -nocudalib \
//     --cuda-device-only -O2 -ffp-contract=off -S kernels.cu -o kernels.ptx
// emulator/test/Unit/CorpusTests.cpp runs each and says what it computes.

#define GLOBAL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))
#define NOINLINE __attribute__((noinline))
#define tidX __nvvm_read_ptx_sreg_tid_x()
#define ntidX __nvvm_read_ptx_sreg_ntid_x()
#define ctaidX __nvvm_read_ptx_sreg_ctaid_x()

typedef unsigned uint;
typedef unsigned long long u64;

GLOBAL axpy(int n, float a, const float *x, float *y) {
  int i = ctaidX * ntidX + tidX;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

/// Sums of blocks of 256: shared memory, barriers, then shuffles.
GLOBAL block_sum(const int *in, int *out) {
  SHARED static int partial[8];
  int value = in[ctaidX * 256 + tidX];
  for (int delta = 16; delta > 0; delta /= 2)
    value += __nvvm_shfl_sync_down_i32(~0u, value, delta, 31);
  if (tidX % 32 == 0)
    partial[tidX / 32] = value;
  __syncthreads();
  if (tidX < 8) {
    value = partial[tidX];
    for (int delta = 4; delta > 0; delta /= 2)
      value += __nvvm_shfl_sync_down_i32(0xff, value, delta, 0x181f);
    if (tidX == 0)
      out[ctaidX] = value;
  }
}

/// A 32x32 tile by 32x8 threads through padded shared memory.
GLOBAL transpose(const float *in, float *out, int size) {
  SHARED static float tile[32][33];
  int x = tidX % 32, y = tidX / 32;
  int tileX = ctaidX * 32, tileY = __nvvm_read_ptx_sreg_ctaid_y() * 32;
  for (int i = 0; i < 32; i += 8)
    tile[y + i][x] = in[(tileY + y + i) * size + tileX + x];
  __syncthreads();
  for (int i = 0; i < 32; i += 8)
    out[(tileX + y + i) * size + tileY + x] = tile[x][y + i];
}

GLOBAL histogram(const unsigned char *in, int n, int *bins) {
  SHARED static int local[256];
  local[tidX] = 0;
  __syncthreads();
  for (int i = ctaidX * ntidX + tidX; i < n;
       i += ntidX * __nvvm_read_ptx_sreg_nctaid_x())
    __atomic_fetch_add(&local[in[i]], 1, __ATOMIC_RELAXED);
  __syncthreads();
  __atomic_fetch_add(&bins[tidX], local[tidX], __ATOMIC_RELAXED);
}

/// Lanes take different ways, and leave loops at different times.
GLOBAL collatz(const uint *in, uint *out) {
  int i = ctaidX * ntidX + tidX;
  uint value = in[i], steps = 0;
  while (value > 1) {
    value = value % 2 ? 3 * value + 1 : value / 2;
    ++steps;
  }
  out[i] = steps;
}

GLOBAL choose(const int *what, const int *x, int *out) {
  int i = ctaidX * ntidX + tidX, value = x[i];
  switch (what[i]) {
  case 0:
    value += 7;
    break;
  case 1:
    value *= value;
    break;
  case 2:
    value = -value;
    break;
  case 3:
    value ^= 0x55aa;
    break;
  case 4:
    value = value << (i & 7);
    break;
  case 5:
    value = value / (i + 1);
    break;
  case 6:
    value = value % (i + 3);
    break;
  default:
    value = -1;
  }
  out[i] = value;
}

CONSTANT const int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

/// Local memory that is indexed at run time, and constant memory.
GLOBAL local_sort(const int *in, int *out) {
  int values[16];
  int base = (ctaidX * ntidX + tidX) * 16;
  for (int i = 0; i < 16; ++i)
    values[i] = in[base + i] + table[(i + tidX) % 16];
  for (int i = 1; i < 16; ++i) {
    int value = values[i], k = i - 1;
    for (; k >= 0 && values[k] > value; --k)
      values[k + 1] = values[k];
    values[k + 1] = value;
  }
  for (int i = 0; i < 16; ++i)
    out[base + i] = values[i];
}

/// Functions that are called, one of them by itself.
static DEVICE NOINLINE u64 multiply(u64 a, uint b) { return a * b + (a >> 7); }
static DEVICE NOINLINE int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  if (n == 0)
    return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
GLOBAL calls(const u64 *in, u64 *out) {
  int i = ctaidX * ntidX + tidX;
  u64 value = in[i];
  for (int k = 0; k < 3; ++k)
    value = multiply(value, i + k);
  out[i] = value + ackermann(2, i % 4);
}

/// Integers of all widths, with and without signs.
GLOBAL widths(const signed char *a, const unsigned short *b, const long long *c,
              long long *out) {
  int i = ctaidX * ntidX + tidX;
  signed char x = a[i] * 3 + 1;
  unsigned short y = b[i] + 60000;
  long long z = c[i];
  u64 high = (u64)((unsigned __int128)(u64)z * (u64)(z + i) >> 64);
  long long quotient = z / (x ? x : 7);
  long long remainder = z % (y + 1);
  int bits = __builtin_popcountll(z) + __builtin_clz(i + 1) +
             __builtin_ctz(i + 1);
  uint rotated = __builtin_rotateleft32((uint)z, i);
  uint swapped = __builtin_bswap32((uint)(z >> 32));
  uint reversed = __builtin_bitreverse32(rotated ^ swapped);
  out[i] = (long long)high + quotient - remainder + bits + reversed + x - y;
}

/// Floats of three widths, conversions and roundings.
GLOBAL floats(const float *a, const double *b, const _Float16 *h, float *outF,
              double *outD, _Float16 *outH, int *outI) {
  int i = ctaidX * ntidX + tidX;
  float x = a[i];
  double y = b[i];
  _Float16 z = h[i];
  outF[i] = __builtin_fmaf(x, (float)z, (float)y) +
            __builtin_fmaxf(x, __builtin_fabsf((float)y)) -
            __builtin_rintf(x) + __builtin_floorf(x) + x / (float)(i + 3);
  outD[i] = y * (double)x + __builtin_fma(y, y, (double)z) +
            __builtin_sqrt(__builtin_fabs(y)) - __builtin_trunc(y) / 3.0;
  outH[i] = (_Float16)(z * (_Float16)2.5f + (_Float16)x) - (_Float16)i;
  outI[i] = (int)x + (int)(uint)__builtin_fabs(y) + (x < (float)y) -
            (x != x) + __nvvm_f2i_rn(x);
}

/// Products of bytes, a vote, a match, and selected bytes.
GLOBAL warps(const uint *in, uint *out) {
  int i = ctaidX * ntidX + tidX;
  uint value = in[i];
  uint votes = __nvvm_vote_ballot_sync(~0u, value & 1);
  uint same = __nvvm_match_any_sync_i32(~0u, value % 5);
  uint other = __nvvm_shfl_sync_bfly_i32(~0u, value, 3, 31);
  uint bytes = __nvvm_prmt(value, other, 0x3715);
  uint least = __nvvm_redux_sync_umin(value, ~0);
  uint all = __nvvm_vote_all_sync(~0u, value != 0);
  out[i] = votes ^ same * 3 ^ bytes ^ least ^ all << 31;
}

/// Approximate functions, and a sum in f32.
GLOBAL softmax(const float *in, float *out) {
  float value = in[ctaidX * 32 + tidX], greatest = value;
  for (int delta = 16; delta > 0; delta /= 2)
    greatest = __builtin_fmaxf(
        greatest, __nvvm_shfl_sync_bfly_f32(~0u, greatest, delta, 31));
  float power = __nvvm_ex2_approx_f((value - greatest) * 1.44269504f);
  float sum = power;
  for (int delta = 16; delta > 0; delta /= 2)
    sum += __nvvm_shfl_sync_bfly_f32(~0u, sum, delta, 31);
  out[ctaidX * 32 + tidX] = power * __nvvm_rcp_approx_ftz_f(sum);
}

/// Vectors of four, a structure by value, and a pointer that says no space.
typedef float float4 __attribute__((ext_vector_type(4)));
struct Affine {
  float scale[4];
  int shift;
};
GLOBAL vectors(Affine f, const float4 *in, float4 *out) {
  SHARED static float4 staged[64];
  int i = ctaidX * ntidX + tidX;
  const float4 *source = in + i;
  if (tidX % 2) {
    staged[tidX] = in[i] * 2.0f;
    source = &staged[tidX];
  }
  float4 value = *source;
  for (int k = 0; k < 4; ++k)
    value[k] = value[k] * f.scale[k] + (float)f.shift;
  out[i] = value;
}
