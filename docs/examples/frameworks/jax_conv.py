"""An int8 convolution of JAX, as a program that qcc reads: prints StableHLO.

    python docs/examples/frameworks/jax_conv.py > conv.stablehlo.mlir

It needs jax. docs/examples/frameworks/jax_conv.stablehlo.mlir is what it prints, behind a few comments.
"""

import jax
import jax.numpy as jnp
from jax import lax


def layer(x, w, scale):
    """Int8 image and weight; the sums are scaled, rounded and clamped to int8 again."""
    sums = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                    preferred_element_type=jnp.int32)
    return jnp.clip(jnp.round(sums.astype(jnp.float32) * scale), -128, 127).astype(jnp.int8)


if __name__ == "__main__":
    shapes = (jax.ShapeDtypeStruct((1, 28, 28, 32), jnp.int8), jax.ShapeDtypeStruct((3, 3, 32, 64), jnp.int8),
              jax.ShapeDtypeStruct((), jnp.float32))
    print(jax.jit(layer).lower(*shapes).as_text())
