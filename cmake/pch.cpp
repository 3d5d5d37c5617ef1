// Exists to own the precompiled header that all MLIR targets share.
