"""Kernels that multiply by wgmma (sm_90a), each with one form of the instruction, for ptx-on-gpu.py --arithmetic.

A block of four warps fills its shared memory with random elements, and multiplies once. Where the elements of the
operands lie does not matter: a GPU and the emulator have to read the same ones by the same descriptors. Integers are any;
floats are small integers, so that all sums are exact, whatever their order.
"""

import numpy as np

THREADS = 128
SHARED = 64 << 10
# Where the operands begin in shared memory.
BEGIN_OF_A, BEGIN_OF_B = 0, 32 << 10
# Bytes of a swizzled line, and the number of the mode in a descriptor.
SWIZZLES = {0: 0, 128: 1, 64: 2, 32: 3}

TEXT = """.version 8.4
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 memory[];
.visible .entry test(.param .u64 contents, .param .u64 registers, .param .u64 out)
{{
  .reg .pred %more, %scale;
  .reg .b32 %a<4>, %d<{sums}>, %i, %base, %at, %word;
  .reg .b64 %from, %to, %da, %db, %wide;
  mov.u32 %i, %tid.x;
  mov.u32 %base, memory;
  ld.param.u64 %from, [contents];
FILL:
  mul.wide.u32 %wide, %i, 4;
  add.s64 %to, %from, %wide;
  ld.global.b32 %word, [%to];
  shl.b32 %at, %i, 2;
  add.u32 %at, %at, %base;
  st.shared.b32 [%at], %word;
  add.u32 %i, %i, {threads};
  setp.lt.u32 %more, %i, {words};
  @%more bra FILL;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  mov.u32 %i, %tid.x;
  ld.param.u64 %from, [registers];
  mul.wide.u32 %wide, %i, 16;
  add.s64 %from, %from, %wide;
  ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%from];
{initial}  shr.u32 %at, %base, 4;
  cvt.u64.u32 %wide, %at;
  add.s64 %da, %wide, {descriptor_a:#x};
  add.s64 %db, %wide, {descriptor_b:#x};
  setp.ne.b32 %scale, {scale}, 0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n{columns}k{depth}{types}
    {{{list_of_d}}}, {a}, %db, %scale{immediates};
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  ld.param.u64 %to, [out];
  mul.wide.u32 %wide, %i, {bytes_of_thread};
  add.s64 %to, %to, %wide;
{stores}  ret;
}}
"""


def descriptor(begin, leading, stride, swizzle):
    """The bits of a matrix in shared memory, without the address of shared memory itself."""
    return begin >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | SWIZZLES[swizzle] << 62


class WgmmaTest:
    """One form: types of A and B, columns, bytes of a swizzled line of each, and whether A lies in registers."""

    kernel, threads, shared = "test", THREADS, SHARED

    def __init__(self, a, b, columns, swizzle, in_registers=False, scale=1, satfinite=False, transposed=(0, 0),
                 negated=(1, 1), result="f32"):
        is_integer = a in ("s8", "u8")
        result = "s32" if is_integer else result
        bits = {"s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "f16": 16, "bf16": 16, "tf32": 32}[a]
        depth = 256 // bits
        sums = columns // (4 if result == "f16" else 2)
        self.name = (f"wgmma.m64n{columns}k{depth}.{result}.{a}.{b}{'.satfinite' if satfinite else ''} swizzle {swizzle}"
                     f"{' registers' if in_registers else ''}{' transposed ' + str(transposed) if any(transposed) else ''}"
                     f"{' negated ' + str(negated) if negated != (1, 1) else ''}{'' if scale else ' scale 0'}")
        # Lines of 8 rows lie `stride` apart, chunks of 16 bytes, or of lines, `leading` apart.
        line = swizzle or 16
        stride, leading = 8 * line, 16 * line
        immediates = "" if is_integer else f", {negated[0]}, {negated[1]}"
        if bits == 16:
            immediates += f", {transposed[1]}" if in_registers else f", {transposed[0]}, {transposed[1]}"
        registers = [f"%d{i}" for i in range(sums)]
        self.ptx = TEXT.format(
            sums=sums, threads=THREADS, words=SHARED // 4, columns=columns, depth=depth, scale=scale,
            types=f".{result}.{a}.{b}{'.satfinite' if satfinite else ''}", list_of_d=", ".join(registers),
            a="{%a0, %a1, %a2, %a3}" if in_registers else "%da", immediates=immediates,
            descriptor_a=descriptor(BEGIN_OF_A, leading, stride, swizzle),
            descriptor_b=descriptor(BEGIN_OF_B, leading, stride, swizzle),
            bytes_of_thread=4 * sums, initial="".join(self.initial(register, result) for register in registers),
            stores="".join(f"  st.global.b32 [%to+{4 * i}], {register};\n" for i, register in enumerate(registers)))
        random = np.random.default_rng([columns, swizzle, sum(self.name.encode())])
        self.operands = [self.elements(random, a, SHARED // 2, b), self.elements(random, a, 16 * THREADS)]
        self.result = np.zeros(THREADS * sums, np.uint32)

    @staticmethod
    def initial(register, result):
        """Sums to begin with, which differ from thread to thread."""
        number = int(register[2:])
        if result == "s32":
            return f"  mad.lo.u32 {register}, %i, {0x9e3779b1 * (number + 1) & 0xffffffff}, {number};\n"
        return f"  cvt.rn.f32.u32 {register}, %i;\n" if result == "f32" else f"  mov.b32 {register}, 0x{number % 8:02x}004400;\n"

    @staticmethod
    def elements(random, kind, size, other=None):
        """Bytes of memory: `size` of one kind, and as many of another one behind them."""
        small = {"f16": "f2", "tf32": "f4"}
        if kind in ("s8", "u8"):
            found = random.integers(0, 256, size, np.uint8)
        elif kind in small:
            found = random.integers(-3, 4, size // np.dtype(small[kind]).itemsize).astype(small[kind])
        elif kind == "bf16":
            found = (random.integers(-3, 4, size // 2).astype("f4").view(np.uint32) >> 16).astype(np.uint16)
        else:
            # 0, 1, 2, 3 and -1, -2, -3.
            codes = [0x00, 0x38, 0x40, 0x44, 0xb8, 0xc0, 0xc4] if kind == "e4m3" else [0x00, 0x3c, 0x40, 0x42, 0xbc, 0xc0, 0xc2]
            found = random.choice(np.array(codes, np.uint8), size)
        found = found.view(np.uint32)
        return found if other is None else np.concatenate([found, WgmmaTest.elements(random, other, size)])

    def compare(self, got, expected):
        """What differs, or nothing."""
        where = np.flatnonzero(got != expected)
        if not len(where):
            return ""
        first = where[0]
        return f"{len(where)} of {got.size} words differ, first at {first}: {got[first]:#010x} and {expected[first]:#010x}"


def tests():
    """Forms of all kinds of operands."""
    found = [WgmmaTest(a, b, columns, swizzle, in_registers)
             for a, b in (("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8"))
             for columns, swizzle, in_registers in ((256, 128, False), (64, 64, True), (24, 32, False), (8, 0, True))]
    found += [WgmmaTest("s8", "s8", columns, 128) for columns in (8, 16, 32, 48, 96, 128, 192, 240)]
    found += [WgmmaTest("s8", "u8", 128, 128, scale=0), WgmmaTest("u8", "u8", 64, 128, True, satfinite=True)]
    for kind in ("f16", "bf16"):
        for swizzle in SWIZZLES:
            for transposed in ((0, 0), (0, 1), (1, 0), (1, 1)):
                found.append(WgmmaTest(kind, kind, 64, swizzle, transposed=transposed))
        # An H200 with driver 580.159 negates no left operand in registers.
        found.append(WgmmaTest(kind, kind, 128, 128, True, transposed=(0, 1), negated=(1, -1)))
        found.append(WgmmaTest(kind, kind, 256, 128, transposed=(0, 1), negated=(1, -1)))
    found += [WgmmaTest("f16", "f16", 64, swizzle, result="f16") for swizzle in SWIZZLES]
    found += [WgmmaTest("tf32", "tf32", 64, swizzle, swizzle == 64) for swizzle in SWIZZLES]
    for a, b in (("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e4m3", "e5m2")):
        found += [WgmmaTest(a, b, 64, swizzle, swizzle == 32) for swizzle in SWIZZLES]
    return found
