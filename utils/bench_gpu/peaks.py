"""Kernels that say what a GPU can do at most: products of bytes from registers, and reads of memory."""

import ctypes

THREADS, UNROLLED, LOOPS, OPERANDS = 256, 8, 2048, 12
# Of one m16n8k32, or of four m8n8k16.
MACS = 16 * 8 * 32


def head(chip, version):
    return f".version {version // 10}.{version % 10}\n.target {chip}\n.address_size 64\n"


def mma_ptx(chip, version):
    """A loop of matrix instructions on registers, as many in flight as hide their latency."""
    def multiply(form, sums, a, b):
        sums = "{" + ", ".join(f"%d{i}" for i in sums) + "}"
        return f"  mma.sync.aligned.{form}.row.col.s32.s8.s8.s32 {sums}, {{{a}}}, {{{b}}}, {sums};"

    # Operands differ from thread to thread and from product to product, so that as many bits change as in real work. Each
    # has registers of its own: an instruction takes aligned ones that follow each other.
    body = []
    for i in range(0, 4 * UNROLLED, 4):
        x = [f"%x{j}" for j in (range(6) if i % 8 else range(6, 12))]
        if int(chip.removeprefix("sm_").removesuffix("a")) >= 80:
            body.append(multiply("m16n8k32", range(i, i + 4), ", ".join(x[:4]), ", ".join(x[4:])))
        else:
            body += 2 * [multiply("m8n8k16", (j, j + 1), x[j // 2 % 4], x[4 + j // 2 % 2]) for j in (i, i + 2)]
    operands = "".join(f"  mad.lo.u32 %a, %a, 1664525, 1013904223;\n  shr.u32 %x{i}, %a, 9;\n"
                       f"  mad.lo.u32 %x{i}, %a, 69069, %x{i};\n" for i in range(OPERANDS))
    body = "\n".join(body)
    sums = "\n".join(f"  add.s32 %d0, %d0, %d{i};" for i in range(1, 4 * UNROLLED))
    zeros = "\n".join(f"  mov.u32 %d{i}, 0;" for i in range(4 * UNROLLED))
    return head(chip, version) + f"""
.visible .entry mma(.param .u64 out, .param .u32 loops)
.reqntid {THREADS}
{{
  .reg .b32 %d<{4 * UNROLLED}>, %x<{OPERANDS}>, %a, %n, %i, %t;
  .reg .b64 %p, %q;
  .reg .pred %more;
  ld.param.u64 %p, [out];
  ld.param.u32 %n, [loops];
  mov.u32 %t, %tid.x;
  mov.u32 %a, %t;
{operands}{zeros}
again:
{body}
  sub.u32 %n, %n, 1;
  setp.ne.u32 %more, %n, 0;
  @%more bra again;
{sums}
  mov.u32 %i, %ctaid.x;
  mad.lo.u32 %i, %i, {THREADS}, %t;
  mul.wide.u32 %q, %i, 4;
  add.s64 %p, %p, %q;
  st.global.u32 [%p], %d0;
  ret;
}}
"""


def read_ptx(chip, version):
    """Each thread reads 16 bytes, a grid apart, and keeps what they are together."""
    return head(chip, version) + f"""
.visible .entry read(.param .u64 data, .param .u64 out, .param .u64 words)
.reqntid {THREADS}
{{
  .reg .b32 %w<5>, %t, %b, %g;
  .reg .b64 %p, %o, %n, %i, %s, %q;
  .reg .pred %more;
  ld.param.u64 %p, [data];
  ld.param.u64 %o, [out];
  ld.param.u64 %n, [words];
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %g, %nctaid.x;
  mad.lo.u32 %t, %b, {THREADS}, %t;
  cvt.u64.u32 %i, %t;
  mul.wide.u32 %s, %g, {THREADS};
  mov.u32 %w4, 0;
  setp.ge.u64 %more, %i, %n;
  @%more bra done;
again:
  shl.b64 %q, %i, 4;
  add.s64 %q, %p, %q;
  ld.global.v4.u32 {{%w0,%w1,%w2,%w3}}, [%q];
  xor.b32 %w0, %w0, %w1;
  xor.b32 %w2, %w2, %w3;
  xor.b32 %w0, %w0, %w2;
  xor.b32 %w4, %w4, %w0;
  add.s64 %i, %i, %s;
  setp.lt.u64 %more, %i, %n;
  @%more bra again;
done:
  mul.wide.u32 %q, %t, 4;
  add.s64 %o, %o, %q;
  st.global.u32 [%o], %w4;
  ret;
}}
"""


def epilogue_ptx(chip, version):
    """What follows a product into i32: bytes, the least of 127 and rint(relu((acc + bias[n]) * scale[n])).

    A thread makes four of them; n is a multiple of four.
    """
    lanes = "\n".join(f"""  add.s32 %v{i}, %v{i}, %w{i};
  cvt.rn.f32.s32 %f{i}, %v{i};
  mul.rn.f32 %f{i}, %f{i}, %s{i};
  max.f32 %f{i}, %f{i}, 0f00000000;
  cvt.rni.s32.f32 %v{i}, %f{i};
  min.s32 %v{i}, %v{i}, 127;""" for i in range(4))
    return head(chip, version) + f"""
.visible .entry epilogue(.param .u64 acc, .param .u64 bias, .param .u64 scale, .param .u64 y, .param .u32 n, .param .u32 total)
.reqntid {THREADS}
{{
  .reg .b32 %t, %b, %n, %c, %all, %v<4>, %w<4>;
  .reg .f32 %f<4>, %s<4>;
  .reg .b64 %p, %q;
  .reg .pred %out;
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mad.lo.u32 %t, %b, {THREADS}, %t;
  shl.b32 %t, %t, 2;
  ld.param.u32 %all, [total];
  setp.ge.u32 %out, %t, %all;
  @%out ret;
  ld.param.u32 %n, [n];
  rem.u32 %c, %t, %n;
  ld.param.u64 %p, [acc];
  mul.wide.u32 %q, %t, 4;
  add.s64 %p, %p, %q;
  ld.global.v4.u32 {{%v0, %v1, %v2, %v3}}, [%p];
  mul.wide.u32 %q, %c, 4;
  ld.param.u64 %p, [bias];
  add.s64 %p, %p, %q;
  ld.global.v4.u32 {{%w0, %w1, %w2, %w3}}, [%p];
  ld.param.u64 %p, [scale];
  add.s64 %p, %p, %q;
  ld.global.v4.f32 {{%s0, %s1, %s2, %s3}}, [%p];
{lanes}
  shl.b32 %v1, %v1, 8;
  shl.b32 %v2, %v2, 16;
  shl.b32 %v3, %v3, 24;
  or.b32 %v0, %v0, %v1;
  or.b32 %v2, %v2, %v3;
  or.b32 %v0, %v0, %v2;
  ld.param.u64 %p, [y];
  cvt.u64.u32 %q, %t;
  add.s64 %p, %p, %q;
  st.global.u32 [%p], %v0;
  ret;
}}
"""


def measure(gpu, np, timer, chip, version, bytes_read=1 << 30):
    """Multiply-accumulates and bytes of a second, each the best of what the timer finds."""
    blocks = 8 * gpu.multiprocessors
    out = gpu.upload(np.zeros(blocks * THREADS, np.int32))
    function = gpu.function(gpu.load(mma_ptx(chip, version)), "mma")
    start = gpu.launcher(function, (blocks, 1, 1), (THREADS, 1, 1), 0, [out, ctypes.c_uint32(LOOPS)])
    warps = blocks * THREADS // 32
    products = warps * LOOPS * UNROLLED * MACS / (1e-6 * timer(start))
    data = gpu.upload(np.random.default_rng(1).integers(0, 256, bytes_read, np.uint8))
    function = gpu.function(gpu.load(read_ptx(chip, version)), "read")
    start = gpu.launcher(function, (blocks, 1, 1), (THREADS, 1, 1), 0,
                         [data, out, ctypes.c_uint64(bytes_read // 16)])
    bandwidth = bytes_read / (1e-6 * timer(start))
    gpu.call("cuMemFree_v2", data)
    gpu.call("cuMemFree_v2", out)
    return products, bandwidth
