// RUN: qcc-opt %s --rewrite-amx-to-vector --verify-diagnostics

// Only integer products are exact in any order.
func.func @floats(%a: !amx.tile<1x2xbf16>, %b: !amx.tile<1x2xbf16>,
                  %c: !amx.tile<1x1xf32>) -> !amx.tile<1x1xf32> {
  // expected-error @below {{failed to legalize operation 'amx.tile_mulf'}}
  %r = amx.tile_mulf %a, %b, %c
      : !amx.tile<1x2xbf16>, !amx.tile<1x2xbf16>, !amx.tile<1x1xf32>
  return %r : !amx.tile<1x1xf32>
}
