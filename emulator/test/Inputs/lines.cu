// A kernel with source lines in its PTX, lines.ptx:
//   clang++-22 -x cuda --cuda-gpu-arch=sm_80 -nocudainc -nocudalib \
//     --cuda-device-only -O2 -gline-tables-only -S lines.cu -o lines.ptx

static __attribute__((device)) float scaled(const float *x, int i) {
  return x[i] * 2.0f;
}

extern "C" __attribute__((global)) void lines(int n, const float *x, float *y) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
          __nvvm_read_ptx_sreg_tid_x();
  if (i < n)
    y[i] = scaled(x, i + 1);
}
