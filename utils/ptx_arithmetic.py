"""Kernels for the arithmetic instructions of PTX: for ptx-on-gpu.py.

A test is one instruction, as a kernel in which thread i loads element i of each operand, and
stores the result. Operands are special values, and random ones of all sizes.
"""

import re

import numpy as np

THREADS = 16384
#: How many elements that differ are shown of a test.
SHOWN = 4

#: Of a PTX type: numpy's unsigned type of its bits, the register, and how memory is accessed.
STORAGE = {8: ("u1", "b32", "u8"), 16: ("u2", "b16", "b16"), 32: ("u4", "b32", "b32"),
           64: ("u8", "b64", "b64")}
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
PACKED = {"f16x2": "f16", "bf16x2": "bf16", "s16x2": "s16", "u16x2": "u16", "f32x2": "f32"}


def width(kind):
    if kind in PACKED:
        return 2 * width(PACKED[kind])
    return int("".join(c for c in kind if c.isdigit()))


def unsigned(kind):
    return np.dtype(STORAGE[width(kind)][0])


def operands(kind, seed):
    """Bits of THREADS values of a type."""
    count = THREADS
    random = np.random.default_rng(seed)
    if kind in PACKED:
        half = PACKED[kind]
        low = operands(half, seed).astype(unsigned(kind))
        high = operands(half, seed + 1000).astype(unsigned(kind))
        return high << unsigned(kind).type(width(half)) | low
    bits = width(kind)
    values = random.integers(0, 2**bits, count, dtype="u8", endpoint=False)
    if kind in FLOATS:
        exponent, fraction = FLOATS[kind]
        infinity = (2**exponent - 1) << fraction
        one = (2 ** (exponent - 1) - 1) << fraction
        special = [0, 1, (1 << fraction) - 1, 1 << fraction, one, one + 1, one - 1, infinity,
                   infinity - 1, infinity + 1, one + (1 << fraction), one - (1 << fraction)]
        special += [s | 1 << (bits - 1) for s in special]
        # A third of moderate size, so that sums and roundings meet.
        near = (random.integers(0, 24 << fraction, count, dtype="u8")
                + np.uint64(max(one - (12 << fraction), 0)))
        near |= random.integers(0, 2, count, dtype="u8") << np.uint64(bits - 1)
        values = np.where(random.integers(0, 3, count) == 0, near & np.uint64(2**bits - 1), values)
    else:
        special = [0, 1, 2, 31, 32, 33, 63, 64, 255, 256, 2 ** (bits - 1), 2 ** (bits - 1) - 1]
        special += [2**bits - s for s in special if s]
        small = random.integers(0, 64, count, dtype="u8")
        values = np.where(random.integers(0, 3, count) == 0, small, values)
    chosen = np.array([s % 2**bits for s in special], dtype="u8")
    values = np.where(random.integers(0, 4, count) == 0,
                      chosen[random.integers(0, len(chosen), count)], values)
    return values.astype(unsigned(kind))


def header(target):
    version = "8.6" if target >= 100 else "8.1" if target >= 89 else "7.8"
    return f".version {version}\n.target sm_{target}\n.address_size 64\n"


class Test:
    """`body` computes d from a, b and c; `bound`: the allowed relative error, 0 for none."""

    def __init__(self, name, target, result, kinds, body, bound=0.0, declare=""):
        self.name, self.bound = name, bound
        self.kind = result
        self.kernel = "test_" + re.sub(r"\W+", "_", name)
        self.threads, self.shared = THREADS, 0
        self.operands = [operands(kind, 17 * (i + 1)) for i, kind in enumerate(kinds)]
        self.result = np.zeros(THREADS, unsigned(result if width(result) > 8 else "b32"))
        self.entry = self.text(kinds, body, declare)
        self.ptx = header(target) + self.entry

    def text(self, kinds, body, declare):
        lines = []
        names = "abc"[:len(kinds)]
        for name, kind in zip(names, kinds):
            bits = width(kind)
            load = "s8" if kind == "s8" else STORAGE[bits][2]
            lines += [f"ld.param.u64 %p, [p{name}];",
                      f"mad.wide.u32 %p, %i, {bits // 8}, %p;",
                      f"ld.global.{load} %{name}, [%p];"]
        size = 8 * self.result.itemsize
        lines += [body, "ld.param.u64 %p, [pd];", f"mad.wide.u32 %p, %i, {size // 8}, %p;",
                  f"st.global.b{size} [%p], %d;", "ret;"]
        registers = [f".reg .{STORAGE[width(kind)][1]} %{name};"
                     for name, kind in zip(names, kinds)]
        parameters = ", ".join(f".param .u64 p{name}" for name in names + "d")
        return "\n".join([
            f".visible .entry {self.kernel}({parameters})", "{", ".reg .b64 %p;",
            ".reg .b32 %i, %n, %t0, %t1;", ".reg .pred %q;", f".reg .b{size} %d;",
            *registers, declare, "mov.u32 %i, %ctaid.x;", "mov.u32 %n, %ntid.x;",
            "mov.u32 %t0, %tid.x;", "mad.lo.u32 %i, %i, %n, %t0;", *lines, "}", ""])

    def compare(self, got, expected):
        """What differs, in a few words, or None."""
        if self.kind in FLOATS and self.kind != "bf16":
            kind = f"f{width(self.kind) // 8}"
            x, y = got.view(kind), expected.view(kind)
            same = (got == expected) | (np.isnan(x) & np.isnan(y))
            if self.bound:
                with np.errstate(all="ignore"):
                    scale = np.maximum(np.abs(y.astype("f8")), np.finfo(kind).tiny)
                    same |= np.abs(x.astype("f8") - y.astype("f8")) <= self.bound * scale
        elif self.kind in ("bf16", "f16x2", "bf16x2", "f32x2"):
            same = self.same_halves(got, expected)
        else:
            same = got == expected
        where = np.flatnonzero(~same)
        if not len(where):
            return None
        lines = [f"{len(where)} of {len(got)} differ"]
        for index in where[:: max(len(where) // SHOWN, 1)][:SHOWN]:
            inputs = ", ".join(hex(int(operand[index])) for operand in self.operands)
            lines.append(f"of {inputs} the GPU makes {int(got[index]):#x}, the emulator {int(expected[index]):#x}")
        return "\n  ".join(lines)

    def same_halves(self, got, expected):
        base = PACKED.get(self.kind, self.kind)
        exponent, fraction = FLOATS[base]
        infinity = ((2**exponent) - 1) << fraction
        ones = 2 ** width(base) - 1
        same = np.ones(len(got), bool)
        for shift in (0, width(base)) if self.kind in PACKED else (0,):
            x, y = (value.astype("u8") >> np.uint64(shift) & np.uint64(ones) for value in (got, expected))
            both_nan = ((x & np.uint64(ones >> 1)) > infinity) & ((y & np.uint64(ones >> 1)) > infinity)
            same &= (x == y) | both_nan
        return same


def tests(capability=80):
    """All tests that a chip of this compute capability (80, 90, ...) can run."""
    found = []

    def add(instruction, result, *kinds, bound=0.0, rest="", target=80):
        if target > capability:
            return
        sources = ", ".join(f"%{name}" for name in "abc"[:len(kinds)])
        found.append(Test(instruction + rest, target, result, kinds,
                          f"{instruction} %d, {sources}{rest};", bound))

    def add_body(name, result, kinds, body, target=80):
        if target <= capability:
            found.append(Test(name, target, result, kinds, body))

    for rounding in ("rn", "rz", "rm", "rp"):
        for kind, modifiers in (("f32", ["", ".ftz", ".sat", ".ftz.sat"]), ("f64", [""])):
            for modifier in modifiers:
                for name in ("add", "sub", "mul"):
                    add(f"{name}.{rounding}{modifier}.{kind}", kind, kind, kind)
                add(f"fma.{rounding}{modifier}.{kind}", kind, kind, kind, kind)
                if "sat" not in modifier:
                    add(f"div.{rounding}{modifier}.{kind}", kind, kind, kind)
                    add(f"rcp.{rounding}{modifier}.{kind}", kind, kind)
                    add(f"sqrt.{rounding}{modifier}.{kind}", kind, kind)
    for rounding in ("rn", "rz", "rm", "rp"):
        for modifier in ("", ".ftz"):
            for name in ("add", "sub", "mul"):
                add(f"{name}.{rounding}{modifier}.f32x2", "f32x2", "f32x2", "f32x2", target=100)
            add(f"fma.{rounding}{modifier}.f32x2", *["f32x2"] * 4, target=100)
        # Operands of 16 bits, which are exact in f32.
        for kind in ("f16", "bf16"):
            for modifier in ("", ".sat"):
                for name in ("add", "sub"):
                    add(f"{name}.{rounding}{modifier}.f32.{kind}", "f32", kind, "f32", target=100)
                add(f"fma.{rounding}{modifier}.f32.{kind}", "f32", kind, kind, "f32", target=100)
    for name in ("add", "sub", "mul"):
        add(f"{name}.f32x2", "f32x2", "f32x2", "f32x2", target=100)
    for kind in ("f16", "f16x2"):
        for modifier in ("", ".ftz", ".sat"):
            for name in ("add", "sub", "mul"):
                add(f"{name}{modifier}.{kind}", kind, kind, kind)
            add(f"fma.rn{modifier}.{kind}", kind, kind, kind, kind)
    for kind in ("f16", "f16x2", "bf16", "bf16x2"):
        add(f"fma.rn.relu.{kind}", kind, kind, kind, kind)
    for kind in ("bf16", "bf16x2"):
        add(f"fma.rn.{kind}", kind, kind, kind, kind)
        for name in ("add", "sub", "mul"):
            add(f"{name}.rn.{kind}", kind, kind, kind, target=90)
    for kind in ("f16", "f16x2", "bf16", "bf16x2", "f32", "f64"):
        for name in ("min", "max"):
            add(f"{name}.{kind}", kind, kind, kind)
            if kind != "f64":
                add(f"{name}.NaN.{kind}", kind, kind, kind)
                add(f"{name}.xorsign.abs.{kind}", kind, kind, kind, target=86)
        for name in ("abs", "neg"):
            add(f"{name}.{kind}", kind, kind)

    # Conversions.
    integers = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
    for source in ("f16", "f32", "f64"):
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            for result in integers:
                add(f"cvt.{rounding}.{result}.{source}", result, source)
            add(f"cvt.{rounding}.{source}.{source}", source, source)
    for result in ("f16", "f32", "f64"):
        for source in integers:
            for rounding in ("rn", "rz", "rm", "rp"):
                add(f"cvt.{rounding}.{result}.{source}", result, source)
    for result, source in (("f16", "f32"), ("f16", "f64"), ("f32", "f64")):
        for rounding in ("rn", "rz", "rm", "rp"):
            add(f"cvt.{rounding}.{result}.{source}", result, source)
    for result, source in (("f32", "f16"), ("f64", "f16"), ("f64", "f32"), ("f32", "bf16")):
        add(f"cvt.{result}.{source}", result, source)
    for rounding in ("rn", "rz"):
        for modifier in ("", ".relu"):
            add(f"cvt.{rounding}{modifier}.bf16.f32", "bf16", "f32")
            add(f"cvt.{rounding}{modifier}.f16x2.f32", "f16x2", "f32", "f32")
            add(f"cvt.{rounding}{modifier}.bf16x2.f32", "bf16x2", "f32", "f32")
    add("cvt.rna.tf32.f32", "b32", "f32")
    for modifier in ("", ".relu"):
        for kind in ("e4m3x2", "e5m2x2"):
            add(f"cvt.rn.satfinite{modifier}.{kind}.f32", "b16", "f32", "f32", target=89)
            add(f"cvt.rn.satfinite{modifier}.{kind}.f16x2", "b16", "f16x2", target=89)
            add(f"cvt.rn{modifier}.f16x2.{kind}", "f16x2", "b16", target=89)
    for source in integers:
        for result in integers:
            if source != result:
                add(f"cvt.{result}.{source}", result, source)
    for result, source in (("u8", "s32"), ("s8", "u32"), ("s16", "s64"), ("u32", "s32")):
        add(f"cvt.sat.{result}.{source}", result, source)
    for kind in ("s8", "u8"):
        add(f"cvt.pack.sat.{kind}.s32.b32", "b32", "s32", "s32", "b32")
    for kind in ("s16", "u16"):
        add(f"cvt.pack.sat.{kind}.s32", "b32", "s32", "s32")

    # Products near the smallest normal number, where it matters what is rounded before a result counts as subnormal:
    # a in [1, 2), b next to 1 / a, each times 2^-63.
    near = ("and.b32 %t0, %a, 0x7fffff; or.b32 %t0, %t0, 0x3f800000; rcp.rn.f32 %t1, %t0; "
            "and.b32 %n, %b, 7; add.s32 %t1, %t1, %n; sub.s32 %t1, %t1, 4; "
            "mul.rn.f32 %t0, %t0, 0f20000000; mul.rn.f32 %t1, %t1, 0f20000000; ")
    for rounding in ("rn", "rz", "rm", "rp"):
        for modifier in ("", ".ftz"):
            add_body(f"mul.{rounding}{modifier}.f32 near the smallest", "f32", ["f32", "u32"],
                     f"{near}mul.{rounding}{modifier}.f32 %d, %t0, %t1;")
            add_body(f"fma.{rounding}{modifier}.f32 near the smallest", "f32", ["f32", "u32"],
                     f"{near}fma.{rounding}{modifier}.f32 %d, %t0, %t1, 0f80000000;")

    # Comparisons.
    for kind in ("f32", "f64"):
        for op in ("eq ne lt le gt ge equ neu ltu leu gtu geu num nan").split():
            add(f"set.{op}.u32.{kind}", "u32", kind, kind)
        for op in "finite infinite number notanumber normal subnormal".split():
            add_body(f"testp.{op}.{kind}", "u32", [kind],
                     f"testp.{op}.{kind} %q, %a; selp.b32 %d, 1, 0, %q;")
        add(f"copysign.{kind}", kind, kind, kind)

    # Integers.
    for kind in ("u16", "s16", "u32", "s32", "u64", "s64"):
        for name in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            add(f"{name}.{kind}", kind, kind, kind)
        add(f"sad.{kind}", kind, kind, kind, kind)
        add(f"mad.hi.{kind}", kind, kind, kind, kind)
        add(f"shr.{kind}", kind, kind, "u32")
    for kind, wide in (("u16", "u32"), ("s16", "s32"), ("u32", "u64"), ("s32", "s64")):
        add(f"mul.wide.{kind}", wide, kind, kind)
    for kind in ("u32", "s32"):
        for half in ("lo", "hi"):
            add(f"mul24.{half}.{kind}", kind, kind, kind)
            add(f"mad24.{half}.{kind}", kind, kind, kind, kind)
        for other in ("u32", "s32"):
            add(f"dp4a.{kind}.{other}", "b32", "b32", "b32", "b32")
            for half in ("lo", "hi"):
                add(f"dp2a.{half}.{kind}.{other}", "b32", "b32", "b32", "b32")
        for mode in ("clamp", "wrap"):
            add(f"szext.{mode}.{kind}", kind, kind, "u32")
        add(f"bfind.{kind}", "u32", kind)
        add(f"bfind.shiftamt.{kind}", "u32", kind)
    for kind in ("u64", "s64"):
        add(f"bfind.{kind}", "u32", kind)
    for name in ("add", "sub"):
        add(f"{name}.sat.s32", "s32", "s32", "s32")
    add("mad.hi.sat.s32", "s32", "s32", "s32", "s32")
    for bits in ("b16", "b32", "b64"):
        add(f"shl.{bits}", bits, bits, "u32")
    for bits in ("b32", "b64"):
        for name in ("popc", "clz"):
            add(f"{name}.{bits}", "u32", bits)
        add(f"brev.{bits}", bits, bits)
        kinds = ("u32", "s32") if bits == "b32" else ("u64", "s64")
        # Positions and lengths beyond 255 are not defined.
        for kind in kinds:
            add_body(f"bfe.{kind}", kind, [kind, "u32", "u32"],
                     f"and.b32 %t0, %b, 255; and.b32 %t1, %c, 255; bfe.{kind} %d, %a, %t0, %t1;")
        add_body(f"bfi.{bits}", bits, [bits, bits, "u32"],
                 "and.b32 %t0, %c, 63; shr.u32 %t1, %c, 7; and.b32 %t1, %t1, 255; "
                 f"bfi.{bits} %d, %a, %b, %t0, %t1;")
    for mode in ("clamp", "wrap"):
        add(f"shf.l.{mode}.b32", "b32", "b32", "b32", "u32")
        add(f"shf.r.{mode}.b32", "b32", "b32", "b32", "u32")
        add(f"bmsk.{mode}.b32", "b32", "u32", "u32")
    for table in (0x80, 0x96, 0xe8, 0xca, 0x3c, 0x01):
        add("lop3.b32", "b32", "b32", "b32", "b32", rest=f", {table:#x}")
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        add(f"prmt.b32{mode}", "b32", "b32", "b32", "b32")
    # The position of a bit, and a number of bits, that is not 0, from there.
    add_body("fns.b32", "b32", ["b32", "u32", "s32"],
             "and.b32 %t0, %b, 31; shr.s32 %t1, %c, 27; or.b32 %t1, %t1, 1; fns.b32 %d, %a, %t0, %t1;")
    add_body("addc.u32", "u32", ["u32", "u32", "u32"],
             "add.cc.u32 %t0, %a, %b; addc.u32 %d, %c, %b;")
    add_body("subc.u32", "u32", ["u32", "u32", "u32"],
             "sub.cc.u32 %t0, %a, %b; subc.u32 %d, %c, %b;")
    add_body("madc.hi.u32", "u32", ["u32", "u32", "u32"],
             "mad.lo.cc.u32 %t0, %a, %b, %c; madc.hi.u32 %d, %a, %b, %c;")

    # Approximations: both sides keep their bound, so they differ by twice as much at most.
    for ftz in ("", ".ftz"):
        add(f"rcp.approx{ftz}.f32", "f32", "f32", bound=2.0**-22)
        add(f"sqrt.approx{ftz}.f32", "f32", "f32", bound=2.0**-21)
        add(f"rsqrt.approx{ftz}.f32", "f32", "f32", bound=2.0**-21)
        add(f"ex2.approx{ftz}.f32", "f32", "f32", bound=2.0**-20)
        add(f"div.full{ftz}.f32", "f32", "f32", "f32", bound=2.0**-20)
    add("tanh.approx.f32", "f32", "f32", bound=2.0**-10)

    add_sequences(add_body)

    # Products of matrices, a fragment for each warp.
    declare = ".reg .b32 %x<4>, %y<4>;"
    for a in ("s8", "u8"):
        for b in ("s8", "u8"):
            for sat in ("", ".satfinite"):
                body = (f"mma.sync.aligned.m16n8k32.row.col{sat}.s32.{a}.{b}.s32 "
                        "{%x0, %x1, %x2, %x3}, {%a, %b, %a, %c}, {%b, %c}, {%c, %a, %c, %b}; "
                        "xor.b32 %x0, %x0, %x1; xor.b32 %x2, %x2, %x3; "
                        "shf.l.wrap.b32 %d, %x0, %x2, 7;")
                found.append(Test(f"mma.m16n8k32{sat}.{a}.{b}", 80, "b32", ["b32"] * 3, body,
                                  declare=declare))
    return found


def add_sequences(add_body):
    """Sequences of epilogues that an assembler may fuse: maximum, minimum, rounding, and pack.

    On sm_90, ptxas makes one instruction (F2IP.S8.F32.NTZ.RELU) of max, cvt and cvt.pack. That
    for unsigned bytes is illegal on an H200 (ptxas 13.0, driver 580.159), which ends the process:
    qcc does not emit what becomes it, and it is not tested.
    """
    zero, most = "0f00000000", "0f42FE0000"
    clamps = {"": ""}
    for nan in ("", ".NaN"):
        low = "".join(f"max{nan}.f32 %{x}, %{x}, {zero}; " for x in "ab")
        high = "".join(f"min{nan}.f32 %{x}, %{x}, {most}; " for x in "ab")
        clamps |= {f"max{nan} ": low, f"min{nan} ": high, f"max{nan} min{nan} ": low + high}
    for clamp, body in clamps.items():
        for rounding in ("rni", "rzi"):
            both = body + "".join(f"cvt.{rounding}.s32.f32 %t{i}, %{x}; " for i, x in enumerate("ab"))
            for kind in ("s8",) if clamp.strip() in ("max", "max.NaN") else ("s8", "u8"):
                add_body(f"{clamp}cvt.{rounding} pack.{kind}", "b32", ["f32", "f32", "b32"],
                         f"{both}cvt.pack.sat.{kind}.s32.b32 %d, %t0, %t1, %c;")
                add_body(f"{clamp}cvt.{rounding} twice pack.{kind}", "b32", ["f32", "f32"],
                         f"{both}cvt.pack.sat.{kind}.s32.b32 %d, %t0, %t1, 0; "
                         f"cvt.pack.sat.{kind}.s32.b32 %d, %t1, %t0, %d;")
            for kind in ("s16", "u16"):
                add_body(f"{clamp}cvt.{rounding} pack.{kind}", "b32", ["f32", "f32"],
                         f"{both}cvt.pack.sat.{kind}.s32 %d, %t0, %t1;")
        for kind in ("s8", "u8"):
            add_body(f"{clamp}cvt.rni.{kind}", "b32", ["f32", "f32"],
                     f".reg .b16 %h0, %h1; {body}cvt.rni.{kind}.f32 %h0, %a; cvt.rni.{kind}.f32 %h1, %b; "
                     "mov.b32 %d, {%h0, %h1};")
        for kind in ("f16x2", "bf16x2"):
            add_body(f"{clamp}cvt.rn.{kind}", kind, ["f32", "f32"], f"{body}cvt.rn.{kind}.f32 %d, %a, %b;")
    for kind in ("s8", "u8"):
        pack = f"cvt.pack.sat.{kind}.s32.b32 %d, %t0, %t1, 0;"
        add_body(f"max.s32 min.s32 pack.{kind}", "b32", ["s32", "s32"],
                 f"max.s32 %t0, %a, 0; max.s32 %t1, %b, 0; min.s32 %t0, %t0, 127; min.s32 %t1, %t1, 127; {pack}")
        for nan in ("", ".NaN") if kind == "s8" else ():
            add_body(f"cvt mul max{nan} cvt pack.{kind}", "b32", ["s32", "s32", "f32"],
                     "cvt.rn.f32.s32 %t0, %a; cvt.rn.f32.s32 %t1, %b; "
                     "mul.rn.f32 %t0, %t0, %c; mul.rn.f32 %t1, %t1, %c; "
                     f"max{nan}.f32 %t0, %t0, {zero}; max{nan}.f32 %t1, %t1, {zero}; "
                     f"cvt.rni.s32.f32 %t0, %t0; cvt.rni.s32.f32 %t1, %t1; {pack}")
        add_body(f"cvt mul add cvt pack.{kind}", "b32", ["s32", "f32", "f32"],
                 "cvt.rn.f32.s32 %t0, %a; mul.rn.f32 %t0, %t0, %b; add.rn.f32 %t0, %t0, %c; "
                 f"cvt.rni.s32.f32 %t0, %t0; cvt.rni.s32.f32 %t1, %b; {pack}")
    add_body("mul.rn add.rn", "f32", ["f32", "f32", "f32"], "mul.rn.f32 %t0, %a, %b; add.rn.f32 %d, %t0, %c;")
    add_body("mul.f32 add.rn", "f32", ["f32", "f32", "f32"], "mul.f32 %t0, %a, %b; add.rn.f32 %d, %t0, %c;")
