"""Arguments by name: calls with keywords, and signatures."""

import inspect

import numpy as np
import pytest

from package import DOUBLE, LINEAR, identity_of, qcc

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.full((2, 3), 10, np.float32)


def subtract(first, second):
    """A program that subtracts its second argument from the first, with names for them."""
    of = [f' loc("{name}")' if name else "" for name in (first, second)]
    return f"""
func.func @subtract(%x: tensor<2x3xf32>{of[0]}, %b: tensor<2x3xf32>{of[1]}) -> (tensor<2x3xf32> {{qcc.name = "y"}}) {{
  %e = tensor.empty() : tensor<2x3xf32>
  %y = linalg.sub ins(%x, %b : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}}
"""


def compiled(first, second):
    return qcc.compile(subtract(first, second)).function(threads=1)


@pytest.fixture(scope="module")
def named():
    return compiled("image", "bias")


def refused(call, *args, **kwargs):
    """The message of a call that is refused."""
    with pytest.raises(qcc.InvalidArgumentError) as info:
        call(*args, **kwargs)
    message = str(info.value)
    assert "QCC_" not in message and "qccC" not in message
    return message


def test_names_in_any_order(named):
    expected = A - B
    for result in (named(A, B), named(A, bias=B), named(image=A, bias=B), named(bias=B, image=A)):
        assert (result == expected).all()
    out = np.empty_like(A)
    assert named(bias=B, image=A, out=out, timeout=60, cancel=qcc.CancelToken()) is out and (out == expected).all()


def test_start_and_profile_take_names(named):
    assert (named.start(A, bias=B).result() == A - B).all()
    assert named.profile(bias=B, image=A, runs=2).runs == 2
    assert "'imag'" in refused(named.start, imag=A, bias=B)
    assert "'bias' is missing" in refused(named.profile, A)
    assert "start() lacks the option 'stream' of calls" in refused(named.start, A, B, stream=0)
    assert "profile() lacks the option 'timeout' of calls" in refused(named.profile, A, B, timeout=1)


def test_a_name_that_is_no_identifier():
    function = compiled("input.1", "class")
    assert (function(**{"class": B, "input.1": A}) == A - B).all()
    message = refused(function, B, input_1=A)
    assert "'input_1'; did you mean 'input.1'? The names of arguments are input.1, class" in message


def test_self_is_a_name_like_others():
    assert (compiled("self", "arrays")(arrays=B, self=A) == A - B).all()
    assert (compiled("named", "function")(function=B, named=A) == A - B).all()
    assert (compiled("self", "runs").start(runs=B, self=A).result() == A - B).all()


def test_unknown_names(named):
    assert refused(named, imgae=A, bias=B) == (
        "'subtract' has no argument 'imgae'; did you mean 'image'? The names of arguments are image, bias")
    assert refused(named, A, other=B) == "'subtract' has no argument 'other'; the names of arguments are image, bias"
    assert "did you mean 'timeout'?" in refused(named, A, B, timeot=1)
    nameless = compiled("", "")
    assert refused(nameless, A, x=B) == (
        "'subtract' has no argument 'x'; its arguments have no names; give them by position")
    assert "did you mean 'out'? Its arguments have no names; give them by position" in refused(nameless, A, outt=B)
    assert "has no argument ''" in refused(nameless, A, **{"": B})


def test_arguments_given_twice_or_not_at_all(named):
    assert refused(named, A, image=B) == (
        "the argument 'image' of 'subtract' is given by position and by name; give it once")
    takes = "subtract(image: float32[2, 3], bias: float32[2, 3]) -> (y: float32[2, 3]) takes 2 arguments"
    assert refused(named) == f"{takes}, but the call has 0; 'image', 'bias' are missing"
    assert refused(named, A) == f"{takes}, but the call has 1; 'bias' is missing"
    assert refused(named, bias=A) == f"{takes}, but the call has 1; 'image' is missing"
    assert refused(named, A, B, A) == f"{takes}, but the call has 3"
    assert refused(named, A, B, A, bias=A) == f"{takes}, but the call has 4"
    assert "argument 1 is missing" in refused(compiled("", ""), A)
    assert "takes 1 argument, but the call has 0" in refused(qcc.compile(DOUBLE).function())


def test_a_name_that_two_arguments_have():
    function = compiled("same", "same")
    assert (function(A, B) == A - B).all()
    assert refused(function, A, same=B) == (
        "'subtract' has 2 arguments with the name 'same'; give them by position")


@pytest.mark.parametrize("option", ["out", "stream", "timeout", "cancel"])
def test_names_of_options_are_options(option):
    """An argument with such a name is given by position, and nothing runs where a caller thinks otherwise."""
    function = compiled("x", option)
    assert (function(A, B) == A - B).all()
    hint = f"'{option}' is missing; '{option}' is also an option, so give the argument by position"
    kept = B.copy()
    assert hint in refused(function, A, **{option: kept}) and hint in refused(function, x=A, **{option: kept})
    assert (kept == B).all()
    assert (function(A, B, **{option: None}) == A - B).all()
    parameters = inspect.signature(function).parameters
    assert list(parameters)[:2] == ["x", f"{option}_"] and parameters[option].kind is inspect.Parameter.KEYWORD_ONLY


def test_runs_of_profile_is_an_option():
    function = compiled("x", "runs")
    assert (function(A, runs=B) == A - B).all()
    assert function.profile(A, B, runs=1).runs == 1
    assert "'runs' is missing; 'runs' is also an option, so" in refused(function.profile, A, runs=B)


def test_errors_of_arrays_by_name(named):
    assert "argument 1 ('bias') has elements of type f64" in refused(named, bias=B.astype(np.float64), image=A)
    assert "argument 0 ('image') of 'subtract' is of type str" in refused(named, bias=B, image="no")


def test_signature(named):
    options = "*, out=None, stream=None, timeout=None, cancel=None"
    assert str(inspect.signature(named)) == (
        f"(image: 'float32[2, 3]', bias: 'float32[2, 3]', {options}) -> 'float32[2, 3]'")
    bound = inspect.signature(named).bind(A, bias=B)
    assert (named(*bound.args, **bound.kwargs) == A - B).all()
    assert str(inspect.signature(compiled("input.1", "bias"))).startswith("(input_1: 'float32[2, 3]', /, bias: ")
    reserved = str(inspect.signature(compiled("bias", "class")))
    assert reserved.startswith("(bias: 'float32[2, 3]', _class: 'float32[2, 3]', /, ")
    assert list(inspect.signature(compiled("same", "same")).parameters)[:2] == ["same", "same_"]
    assert list(inspect.signature(compiled("", "1st")).parameters)[:2] == ["argument0", "_1st"]
    assert list(inspect.signature(compiled("a.b", "a_b")).parameters)[:2] == ["a_b_", "a_b"]
    assert inspect.signature(qcc.compile(identity_of("f32")).function()).return_annotation == "(float32[3], float32[])"
    assert "arrays" in inspect.signature(qcc.Function.__call__).parameters
    assert inspect.signature(qcc.Function).parameters["threads"]


def test_documentation(named):
    assert repr(named) == "<qcc.Function subtract(image: float32[2, 3], bias: float32[2, 3]) -> (y: float32[2, 3])>"
    text = inspect.getdoc(named)
    assert text.startswith("subtract(image: float32[2, 3], bias: float32[2, 3]) -> (y: float32[2, 3])\n")
    assert "Arguments:\n    image: float32[2, 3]\n    bias: float32[2, 3]\n\nResults:\n    y: float32[2, 3]" in text
    layer = inspect.getdoc(qcc.compile(LINEAR).function())
    assert "int8[d0, 4], quantized: 0.5 * (stored - 3)" in layer, layer
    assert "any number of threads" in qcc.Function.__doc__
