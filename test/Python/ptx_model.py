"""What the instructions of utils/ptx_arithmetic.py compute, in Python's integers and fractions.

Written from the PTX ISA alone. compute(name, operands) takes the bits of each operand and
returns the bits of the result, or NAN where any NaN will do. It raises KeyError for
instructions that it does not know.
"""

import re
from fractions import Fraction
from math import isqrt

NAN = "nan"
#: Exponent and fraction bits, and zero bits below.
FORMATS = {"f16": (5, 10, 0), "bf16": (8, 7, 0), "tf32": (8, 10, 13), "f32": (8, 23, 0),
           "f64": (11, 52, 0), "e4m3": (4, 3, 0), "e5m2": (5, 2, 0)}


#
# Floats: (negative, magnitude), the magnitude a Fraction, "inf" or NAN.
#


def width(kind):
    return int(re.search(r"\d+", kind)[0])


def decode(kind, bits):
    exponent, fraction, zeros = FORMATS[kind]
    bits >>= zeros
    negative = bool(bits >> (exponent + fraction) & 1)
    field, rest = bits >> fraction & (2**exponent - 1), bits & (2**fraction - 1)
    top, bias = 2**exponent - 1, 2 ** (exponent - 1) - 1
    if kind == "e4m3":
        if field == top and rest == 7:
            return negative, NAN
    elif field == top:
        return negative, NAN if rest else "inf"
    if field == 0:
        return negative, Fraction(rest, 2 ** (bias - 1 + fraction))
    return negative, (Fraction(2**fraction + rest, 2**fraction) * Fraction(2) ** (field - bias))


def integral(value, negative, mode):
    """A positive fraction as an integer."""
    low = value.numerator // value.denominator
    rest = value - low
    up = {"rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1),
          "rz": False, "rm": negative and rest > 0, "rp": not negative and rest > 0,
          "rna": rest >= Fraction(1, 2)}[mode]
    return low + up


def encode(kind, negative, magnitude, mode="rn", satfinite=False):
    if magnitude == NAN:
        return NAN
    exponent, fraction, zeros = FORMATS[kind]
    bias = 2 ** (exponent - 1) - 1
    infinity = (2**exponent - 1) << fraction
    largest = infinity - 1 if kind != "e4m3" else infinity + 6
    if magnitude == "inf":
        bits = largest if satfinite else infinity
    elif magnitude == 0:
        bits = 0
    else:
        power = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if Fraction(2) ** power > magnitude:
            power -= 1
        power = max(power, 1 - bias)
        units = integral(magnitude / Fraction(2) ** (power - fraction), negative, mode)
        bits = units + ((power + bias - 1) << fraction)
        if bits > largest:
            to_largest = satfinite or mode == "rz" or mode == ("rp" if negative else "rm")
            bits = largest if to_largest else infinity
    return (negative << (exponent + fraction) | bits) << zeros


def signed(value):
    return -value[1] if value[0] else value[1]


def plus(a, b, mode):
    if NAN in (a[1], b[1]):
        return False, NAN
    if "inf" in (a[1], b[1]):
        if a[1] == b[1] and a[0] != b[0]:
            return False, NAN
        return a if a[1] == "inf" else b
    total = signed(a) + signed(b)
    if total == 0:
        return (a[0] if a[0] == b[0] and a[1] == 0 == b[1] else mode == "rm"), Fraction(0)
    return total < 0, abs(total)


def times(a, b):
    negative = a[0] != b[0]
    if NAN in (a[1], b[1]) or ("inf" in (a[1], b[1]) and 0 in (a[1], b[1])):
        return False, NAN
    return negative, "inf" if "inf" in (a[1], b[1]) else a[1] * b[1]


def over(a, b):
    negative = a[0] != b[0]
    if NAN in (a[1], b[1]) or (a[1] == b[1] and a[1] in (0, "inf")):
        return False, NAN
    if a[1] == "inf" or b[1] == 0:
        return negative, "inf"
    return negative, Fraction(0) if b[1] == "inf" else a[1] / b[1]


def root(a):
    if a[1] == NAN or (a[0] and a[1] != 0):
        return False, NAN
    if a[1] in (0, "inf"):
        return a
    # Enough bits of the root, and a sticky one.
    scale = 2 ** (2 * (1100 + 64))
    scaled = a[1] * scale
    whole = scaled.numerator // scaled.denominator
    found = isqrt(whole)
    sticky = found * found != scaled
    return False, Fraction(2 * found + sticky, 2 * isqrt(scale))


def flushed(kind, value):
    least = Fraction(1, 2 ** (2 ** (FORMATS[kind][0] - 1) - 2))
    if value[1] not in (NAN, "inf") and value[1] < least:
        return value[0], Fraction(0)
    return value


def is_tiny(kind, value, mode):
    """Whether a value is subnormal once it is rounded to the digits of a format with more exponents, as on an H200."""
    negative, magnitude = value
    if magnitude in (NAN, "inf", 0):
        return False
    exponent, fraction, _ = FORMATS[kind]
    power = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** power > magnitude:
        power -= 1
    unit = Fraction(2) ** (power - fraction)
    return integral(magnitude / unit, negative, mode) * unit < Fraction(1, 2 ** (2 ** (exponent - 1) - 2))


def finish(kind, value, mode, modifiers):
    """Rounds, and applies ftz, sat and relu."""
    bits = encode(kind, *value, mode, "satfinite" in modifiers)
    if bits == NAN:
        return 0 if "sat" in modifiers else NAN
    tiny = "ftz" in modifiers and is_tiny(kind, value, mode)
    value = decode(kind, bits)
    if tiny:
        value = value[0], Fraction(0)
    if ("sat" in modifiers or "relu" in modifiers) and value[0]:
        value = False, Fraction(0)
    if "sat" in modifiers and (value[1] == "inf" or value[1] > 1):
        value = False, Fraction(1)
    return encode(kind, *value)


def float_operation(name, kind, modifiers, operands):
    mode = next((m for m in modifiers if m in ("rn", "rz", "rm", "rp")), "rn")
    values = [decode(kind, bits) for bits in operands]
    if "ftz" in modifiers:
        values = [flushed(kind, value) for value in values]
    if name in ("min", "max"):
        return least_or_greatest(name, kind, modifiers, values)
    if name in ("abs", "neg"):
        a = values[0]
        if a[1] == NAN:
            return NAN
        return encode(kind, name == "neg" and not a[0], a[1])
    if name == "sub":
        values[1] = not values[1][0], values[1][1]
    result = {"add": lambda a, b: plus(a, b, mode), "sub": lambda a, b: plus(a, b, mode),
              "mul": times, "fma": lambda a, b, c: plus(times(a, b), c, mode), "div": over,
              "rcp": lambda a: over((False, Fraction(1)), a), "sqrt": root}[name](*values)
    return finish(kind, result, mode, modifiers)


def least_or_greatest(name, kind, modifiers, values):
    (a, b) = values
    sign = a[0] != b[0]
    if "xorsign" in modifiers:
        a, b = (False, a[1]), (False, b[1])
    nans = [a[1] == NAN, b[1] == NAN]
    if all(nans) or ("NaN" in modifiers and any(nans)):
        return NAN
    if any(nans):
        result = b if nans[0] else a
    else:
        key = lambda v: (float("inf") if v[1] == "inf" else v[1]) * (-1 if v[0] else 1)
        first = (key(a), not a[0]) <= (key(b), not b[0])
        result = a if first == (name == "min") else b
    if "xorsign" in modifiers:
        result = sign, result[1]
    return encode(kind, *result)


#
# Integers
#


def wrap(kind, value):
    """A value modulo the type's range, as an integer with its sign."""
    bits = width(kind)
    value %= 2**bits
    return value - 2**bits if kind[0] == "s" and value >= 2 ** (bits - 1) else value


def clamp(kind, value):
    bits = width(kind)
    low = -(2 ** (bits - 1)) if kind[0] == "s" else 0
    return max(low, min(low + 2**bits - 1, value))


def truncated(a, b):
    """The quotient towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def convert(result, source, modifiers, bits):
    mode = next((m.removesuffix("i") for m in modifiers if m.startswith("r") and m != "relu"), "rn")
    to_integer = any(m in ("rni", "rzi", "rmi", "rpi") for m in modifiers)
    if source in FORMATS:
        value = decode(source, bits)
        if result in FORMATS:
            if to_integer and value[1] not in (NAN, "inf"):
                value = value[0], Fraction(integral(value[1], value[0], mode))
            return finish(result, value, mode, modifiers)
        if value[1] == NAN:
            return (0 if source != "f64" and width(result) < 64
                    else wrap(result, 2 ** (width(result) - 1)))
        number = 2**70 if value[1] == "inf" else integral(value[1], value[0], mode)
        return clamp(result, -number if value[0] else number)
    number = wrap(source, bits)
    if result in FORMATS:
        return finish(result, (number < 0, Fraction(abs(number))), mode, modifiers)
    return clamp(result, number) if "sat" in modifiers else wrap(result, number)


def bit_field(kind, a, start, length):
    bits, start, length = width(kind), start & 255, length & 255
    at = lambda i: a >> i & 1
    fill = 0 if kind[0] == "u" or length == 0 else at(min(start + length - 1, bits - 1))
    return sum((at(start + i) if i < length and start + i < bits else fill) << i
               for i in range(bits))


def find_bit(kind, a, shift_amount):
    bits = width(kind)
    if kind[0] == "s" and a >> (bits - 1):
        a ^= 2**bits - 1
    if a == 0:
        return 2**32 - 1
    return bits - a.bit_length() if shift_amount else a.bit_length() - 1


def pieces(kind, word, bits):
    """Elements of a word, low to high."""
    return [wrap(f"{kind[0]}{bits}", word >> (bits * i)) for i in range(32 // bits)]


def permute(mode, a, b, c):
    everything = [(b << 32 | a) >> (8 * i) & 255 for i in range(8)]
    if mode:
        chosen = {"f4e": lambda n: [n, n + 1, n + 2, n + 3],
                  "b4e": lambda n: [n % 8, (n - 1) % 8, (n - 2) % 8, (n - 3) % 8],
                  "rc8": lambda n: [n] * 4, "ecl": lambda n: [max(n, i) for i in range(4)],
                  "ecr": lambda n: [min(n, i) for i in range(4)],
                  "rc16": lambda n: [n % 2 * 2, n % 2 * 2 + 1] * 2}[mode](c & 3)
        return sum(everything[i] << 8 * k for k, i in enumerate(chosen))
    result = 0
    for k in range(4):
        nibble = c >> (4 * k) & 15
        byte = everything[nibble & 7]
        result |= ((255 if byte & 128 else 0) if nibble & 8 else byte) << 8 * k
    return result


def nth_set(mask, base, offset):
    base, offset = base & 31, wrap("s32", offset)
    if offset == 0:
        return base if mask >> base & 1 else 2**32 - 1
    step = 1 if offset > 0 else -1
    for i in range(base, 32 if step > 0 else -1, step):
        if mask >> i & 1:
            offset -= step
            if offset == 0:
                return i
    return 2**32 - 1


def integer_operation(name, kind, modifiers, operands):
    bits = width(kind)
    a, *rest = [wrap(kind, x) for x in operands]
    b, c = (rest + [None, None])[:2]
    if name in ("div", "rem"):
        if b == 0:
            return -1
        return truncated(a, b) if name == "div" else a - b * truncated(a, b)
    if name == "mul":
        return a * b >> bits if "hi" in modifiers else a * b
    if name == "mad":
        total = (a * b >> bits) + c
        return clamp(kind, total) if "sat" in modifiers else total
    if name in ("mul24", "mad24"):
        low = [wrap(f"{kind[0]}24", x) for x in (a, b)]
        product = low[0] * low[1] >> (16 if "hi" in modifiers else 0)
        return wrap(kind, product) + (c or 0)
    if name in ("add", "sub"):
        total = a + b if name == "add" else a - b
        return clamp(kind, total) if "sat" in modifiers else total
    return {"min": lambda: min(a, b), "max": lambda: max(a, b),
            "sad": lambda: c + abs(a - b)}[name]()


def shift(name, kind, a, amount):
    if name == "shl":
        return a << min(amount, 64)
    return wrap(kind, a) >> min(amount, 64)


def funnel(direction, mode, a, b, c):
    amount = c & 31 if mode == "wrap" else min(c, 32)
    pair = b << 32 | a
    return (pair << amount >> 32 if direction == "l" else pair >> amount) & (2**32 - 1)


def extend(mode, kind, a, b):
    if mode == "clamp" and b >= 32:
        return a
    length = b & 31
    return wrap(f"{kind[0]}{length}", a) if length else 0


def mask(mode, a, b):
    a, b = (min(a, 32), min(b, 32)) if mode == "clamp" else (a & 31, b & 31)
    return (2**b - 1) << a


#
# Names
#


def halves(kind, operands, function):
    base = kind.removesuffix("x2")
    bits = width(base)
    results = [function(base, [x >> s & 2**bits - 1 for x in operands]) for s in (0, bits)]
    return results[0], results[1]


def mixed(base, kind, modifiers, operands):
    """add, sub or fma of f32 whose operands but the last are of 16 bits."""
    widened = [encode("f32", *decode(kind, x)) for x in operands[:-1]]
    nan = 0x7fc00000
    return float_operation(base, "f32", modifiers,
                           [nan if x == NAN else x for x in widened] + [operands[-1]])


def special(name, operands):
    """Instructions that are more than their parts' names say."""
    a, b, c = (list(operands) + [0, 0])[:3]
    if name == "addc.u32":
        return c + b + (a + b >> 32)
    if name == "subc.u32":
        return c - b - (a < b)
    if name == "madc.hi.u32":
        return (a * b >> 32) + c + ((a * b % 2**32) + c >> 32)
    if name.startswith("bfi."):
        start, length, bits = c & 63, (c >> 7) & 255, width(name)
        field = ((2**length - 1) << start) % 2**bits
        return (a << start & field) | (b & ~field)
    if name == "fns.b32":
        return nth_set(a, b & 31, wrap("s32", c) >> 27 | 1)
    if name.endswith(" near the smallest"):
        return near_the_smallest(name.split()[0], a, b)
    pairs = ("cvt.rni.s8", "cvt.rni.u8", "cvt.rn.f16x2", "cvt.rn.bf16x2")  # sequences of one step
    if name in pairs or (" " in name and not name.startswith("lop3")):
        return sequence(name.split(), [a, b, c])
    if name.startswith("lop3"):
        table = int(name.split(", ")[1], 16)
        return sum((table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i
                   for i in range(32))
    raise KeyError(name)


#: Bits of a NaN between two instructions.
SOME_NAN = 0x7fffffff


def follow(name, *operands):
    """The bits that an instruction hands to the next one."""
    bits = compute(name, operands)
    return SOME_NAN if bits == NAN else bits % 2**32


def near_the_smallest(name, a, b):
    """A product of a number in [1, 2) and one next to its reciprocal, each times 2^-63."""
    x = a & 0x7fffff | 0x3f800000
    y = follow("rcp.rn.f32", x) + (b & 7) - 4
    x, y = (follow("mul.rn.f32", bits, 0x20000000) for bits in (x, y))
    return compute(name, [x, y, 0x80000000] if name.startswith("fma") else [x, y])


def sequence(words, operands):
    """What ptx_arithmetic.add_sequences() makes: `words` are the instructions, or what they do."""
    a, b, c = operands
    if words[-1] == "add.rn":
        return compute("add.rn.f32", [follow("mul.rn.f32", a, b), c])
    if words[0] == "cvt":  # an epilogue of two accumulators, or of one and a float
        scaled = [follow("mul.rn.f32", follow("cvt.rn.f32.s32", x), c if words[2] != "add" else b) for x in (a, b)]
        if words[2] == "add":
            a = follow("add.rn.f32", scaled[0], c)
        else:
            a, b = (follow(f"{words[2]}.f32", x, 0) for x in scaled)
        words, c = ["cvt.rni", words[-1]], 0
    elif words[-1].startswith("pack") and ("twice" in words or len(operands) < 3):
        c = 0
    for word in words:
        if word in ("max", "max.NaN", "min", "min.NaN"):
            bound = 0 if word.startswith("max") else 0x42fe0000
            a, b = (follow(f"{word}.f32", x, bound) for x in (a, b))
        elif word in ("max.s32", "min.s32"):
            a, b = (follow(word, x, 0 if word == "max.s32" else 127) for x in (a, b))
        elif word in ("cvt.rni", "cvt.rzi"):
            a, b = (follow(f"{word}.s32.f32", x) for x in (a, b))
        elif word in ("cvt.rni.s8", "cvt.rni.u8"):
            low, high = (compute(f"{word}.f32", [x]) & 0xffff for x in (a, b))
            return high << 16 | low
        elif word.startswith("cvt.rn."):
            return compute(f"{word}.f32", [a, b])
        elif word.startswith("pack."):
            pack = f"cvt.{word.replace('pack.', 'pack.sat.')}.s32" + (".b32" if word[-1] == "8" else "")
            packed = compute(pack, [a, b, c])
            return compute(pack, [b, a, packed]) if "twice" in words else packed
    raise KeyError(" ".join(words))


def compute(name, operands):
    try:
        return special(name, operands)
    except KeyError:
        pass
    base, *parts = name.split(".")
    kind, modifiers = parts[-1], parts[:-1]
    a, b, c = (list(operands) + [0, 0])[:3]
    if base == "cvt" and "pack" not in modifiers:
        source, result, rest = parts[-1], parts[-2], parts[:-2]
        if result == "tf32" and "rna" in rest and decode("f32", a)[1] == NAN:
            return a & 0xffffe000  # as on an H200
        if result in ("f16x2", "bf16x2") and source == "f32":
            return tuple(convert(result[:-2], source, rest, x) for x in (b, a))
        if result in ("e4m3x2", "e5m2x2"):
            low, high = (b, a) if source == "f32" else (a & 0xffff, a >> 16)
            done = [convert(result[:-2], source.removesuffix("x2"), rest, x) for x in (low, high)]
            return sum((0x7f if x == NAN else x) << 8 * i for i, x in enumerate(done))
        if source in ("e4m3x2", "e5m2x2"):
            return tuple(convert("f16", source[:-2], rest, x) for x in (a & 255, a >> 8))
        return convert(result, source, rest, a)
    if base == "cvt":
        to = parts[2]
        bits = width(to)
        packed = sum((clamp(to, wrap("s32", x)) % 2**bits) << bits * i for i, x in enumerate((b, a)))
        return packed | (c << 16 if bits == 8 else 0)
    if base in ("set", "testp", "copysign"):
        return predicate(base, kind, modifiers, operands)
    if "f32" in modifiers and kind in ("f16", "bf16") and base in ("add", "sub", "fma"):
        return mixed(base, kind, [m for m in modifiers if m != "f32"], operands)
    if kind in ("f16x2", "bf16x2", "f32x2"):
        return halves(kind, operands, lambda k, x: float_operation(base, k, modifiers, x))
    if kind in FORMATS and base not in ("tanh", "ex2", "rsqrt") and not (
            set(modifiers) & {"approx", "full"}):
        return float_operation(base, kind, modifiers, operands)
    simple = {
        "popc": lambda: bin(a).count("1"), "clz": lambda: width(kind) - a.bit_length(),
        "brev": lambda: int(format(a, f"0{width(kind)}b")[::-1], 2),
        "bfind": lambda: find_bit(kind, a, "shiftamt" in modifiers),
        "bfe": lambda: bit_field(kind, a, b, c), "fns": lambda: nth_set(a, b, c),
        "prmt": lambda: permute(parts[1] if len(parts) > 1 else None, a, b, c),
        "shl": lambda: shift(base, kind, a, b), "shr": lambda: shift(base, kind, a, b),
        "shf": lambda: funnel(parts[0], parts[1], a, b, c),
        "szext": lambda: extend(parts[0], kind, a, b), "bmsk": lambda: mask(parts[0], a, b),
        "dp4a": lambda: c + sum(x * y for x, y in zip(pieces(parts[0], a, 8),
                                                      pieces(parts[1], b, 8))),
        "dp2a": lambda: c + sum(x * y for x, y in zip(
            pieces(parts[1], a, 16), pieces(parts[2], b, 8)[2 * (parts[0] == "hi"):])),
    }
    if base in simple:
        return simple[base]()
    if base == "mul" and parts[0] == "wide":
        return wrap(kind, a) * wrap(kind, b)
    if kind[0] in "us":
        return integer_operation(base, kind, modifiers, operands)
    raise KeyError(name)


def predicate(base, kind, modifiers, operands):
    values = [decode(kind, x) for x in operands]
    if base == "copysign":
        bits = width(kind)
        return operands[1] % 2 ** (bits - 1) | operands[0] >> (bits - 1) << (bits - 1)
    if base == "testp":
        negative, magnitude = values[0]
        exponent, fraction, _ = FORMATS[kind]
        field = operands[0] >> fraction & (2**exponent - 1)
        subnormal = field == 0 and magnitude != 0
        return int({"finite": magnitude not in (NAN, "inf"), "infinite": magnitude == "inf",
                    "number": magnitude != NAN, "notanumber": magnitude == NAN,
                    "normal": magnitude not in (NAN, "inf") and not subnormal,
                    "subnormal": subnormal}[modifiers[0]])
    op = modifiers[0]
    unordered = NAN in (values[0][1], values[1][1])
    if op in ("num", "nan"):
        return 2**32 - 1 if unordered == (op == "nan") else 0
    if unordered:
        return 2**32 - 1 if len(op) == 3 else 0
    x, y = [(float("inf") if v[1] == "inf" else v[1]) * (-1 if v[0] else 1) for v in values]
    truth = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}
    return 2**32 - 1 if truth[op[:2]] else 0
