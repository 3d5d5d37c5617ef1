# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments by name: calls with keywords, and signatures for notebooks and editors."""

from __future__ import annotations

import difflib
import inspect
import keyword
from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ._types import TensorType
from .errors import InvalidArgumentError

#: The keywords of a call that are options. They never name arguments of a program.
OPTIONS = ("out", "stream", "timeout", "cancel")

_MISSING = object()


def positions_by_name(arguments: Sequence[TensorType]) -> Dict[str, int]:
    """The positions of arguments that a call can give by name: names of options and names that occur twice cannot."""
    names = [argument.name for argument in arguments]
    return {name: position for position, name in enumerate(names)
            if name and name not in OPTIONS and names.count(name) == 1}


def order_arrays(function: Any, arrays: Sequence[Any], named: Mapping[str, Any], method: str = "") -> Tuple[Any, ...]:
    """The arrays of a call in the order of the arguments.

    Args:
        function: the `Function` that is called.
        arrays: the arrays that the call gives by position.
        named: the arrays that the call gives by name.
        method: the method that is called, such as "start"; "" is the function itself.

    Raises:
        InvalidArgumentError: there are too many arrays, an argument is missing or given twice, or a name is unknown.
    """
    arguments, positions = function.arguments, function.positions
    if len(arrays) > len(arguments):
        raise InvalidArgumentError(f"{_takes(function)}, but the call has {len(arrays) + len(named)}")
    values = [*arrays, *[_MISSING] * (len(arguments) - len(arrays))]
    for name, value in named.items():
        if name not in positions:
            raise InvalidArgumentError(_why_unknown(function, name, method))
        if values[positions[name]] is not _MISSING:
            raise InvalidArgumentError(f"the argument '{name}' of '{function.name}' is given by position and by name; "
                                       "give it once")
        values[positions[name]] = value
    missing = [index for index, value in enumerate(values) if value is _MISSING]
    if missing:
        raise InvalidArgumentError(f"{_takes(function)}, but the call has {len(arguments) - len(missing)}; "
                                   f"{_tell_missing(arguments, missing, method)}")
    return tuple(values)


def _takes(function: Any) -> str:
    count = len(function.arguments)
    return f"{function} takes {count} argument{'' if count == 1 else 's'}"


def _tell_missing(arguments: Sequence[TensorType], missing: Sequence[int], method: str) -> str:
    told = [f"'{arguments[index].name}'" if arguments[index].name else f"argument {index}" for index in missing]
    text = f"{', '.join(told)} {'is' if len(told) == 1 else 'are'} missing"
    of_method = [*OPTIONS, "runs"] if method == "profile" else OPTIONS
    options = [name for name in of_method if any(arguments[index].name == name for index in missing)]
    if options:
        text += f"; '{options[0]}' is also an option, so give the argument by position"
    return text


def _why_unknown(function: Any, name: str, method: str) -> str:
    """Why no argument can be given by a name, and what to do."""
    names = [argument.name for argument in function.arguments]
    if name in OPTIONS:
        return f"{method}() lacks the option '{name}' of calls; if an argument has this name, give it by position"
    if name and name in names:
        return f"'{function.name}' has {names.count(name)} arguments with the name '{name}'; give them by position"
    known = list(function.positions)
    near = difflib.get_close_matches(name, [*known, *OPTIONS], 1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    if known:
        hint += f"{'The' if near else 'the'} names of arguments are {', '.join(known)}"
    else:
        hint += f"{'Its' if near else 'its'} arguments have no names; give them by position"
    return f"'{function.name}' has no argument '{name}'; {hint}"


def _parameter_name(name: str, position: int, used: Sequence[str]) -> str:
    """An identifier like the name of an argument."""
    text = "".join(letter if f"_{letter}".isidentifier() else "_" for letter in name) or f"argument{position}"
    text = text if text.isidentifier() and not keyword.iskeyword(text) else f"_{text}"
    while text in used or text in OPTIONS:
        text += "_"
    return text


def make_signature(arguments: Sequence[TensorType], results: Sequence[TensorType]) -> inspect.Signature:
    """The signature of a function. Annotations are the types as text.

    An argument whose name a call cannot give as a keyword has a name like it, and is positional like those before it:
    Python has no other order.
    """
    usable = {name for name in positions_by_name(arguments) if name.isidentifier() and not keyword.iskeyword(name)}
    positional = max((index + 1 for index, argument in enumerate(arguments) if argument.name not in usable), default=0)
    kinds = inspect.Parameter
    parameters: List[inspect.Parameter] = []
    names: List[str] = sorted(usable)
    for index, argument in enumerate(arguments):
        name = argument.name if argument.name in usable else _parameter_name(argument.name, index, names)
        names.append(name)
        kind = kinds.POSITIONAL_ONLY if index < positional else kinds.POSITIONAL_OR_KEYWORD
        parameters.append(kinds(name, kind, annotation=_describe(argument)))
    parameters += [kinds(name, kinds.KEYWORD_ONLY, default=None) for name in OPTIONS]
    told = [_describe(result) for result in results]
    return inspect.Signature(parameters, return_annotation=told[0] if len(told) == 1 else f"({', '.join(told)})")


def _describe(tensor: TensorType) -> str:
    return f"{tensor.dtype}[{', '.join(str(size) for size in tensor.shape)}]"


def make_documentation(function: Any) -> str:
    """The text that notebooks and editors show for a function."""
    lines = [str(function), "", f"A function of a compiled program, for the device {function.device}. A call takes "
             "arrays by position or by", "name, and returns the result, or a tuple of several results."]
    for title, tensors in (("Arguments", function.arguments), ("Results", function.results)):
        if tensors:
            lines += ["", f"{title}:"]
            lines += [f"    {tensor.name or index}: {_describe(tensor)}{_tell_quantization(tensor)}"
                      for index, tensor in enumerate(tensors)]
    return "\n".join(lines)


def _tell_quantization(tensor: TensorType) -> str:
    q = tensor.quantization
    if q is None:
        return ""
    if q.axis is not None:
        return f", quantized along axis {q.axis}"
    return f", quantized: {q.scales[0]:g} * (stored - {q.zero_points[0]})"
