/*===- qcc-c/DLPack.h - Tensors as DLPack says them --------------*- C -*-===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The structures of DLPack 1.1 (https://dmlc.github.io/dlpack), by which     *|
|* libraries hand tensors to each other: same names, same layout. The guard   *|
|* is that of dlpack.h, so whichever of the two comes first serves both.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stddef.h>
#include <stdint.h>

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1

#define DLPACK_DLL
#ifdef __cplusplus
#define DLPACK_EXTERN_C extern "C"
#else
#define DLPACK_EXTERN_C
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Another major version is another layout of DLManagedTensorVersioned; another
/// minor one only adds devices and types.
typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

/// Where memory is. qcc takes kDLCPU, kDLCUDAHost, and kDLCUDA of programs that
/// run there.
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3, ///< Host memory that is pinned for CUDA.
  kDLOpenCL = 4,
  kDLVulkan = 7,
  kDLMetal = 8,
  kDLVPI = 9,
  kDLROCM = 10,
  kDLROCMHost = 11,
  kDLExtDev = 12,
  kDLCUDAManaged = 13,
  kDLOneAPI = 14,
  kDLWebGPU = 15,
  kDLHexagon = 16,
  kDLMAIA = 17
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id; ///< 0 for host memory.
} DLDevice;

/// What the bits of an element mean. qcc has integers, floats, bfloat and
/// booleans.
typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLOpaqueHandle = 3U,
  kDLBfloat = 4U,
  kDLComplex = 5U,
  kDLBool = 6U,
  kDLFloat8_e3m4 = 7U,
  kDLFloat8_e4m3 = 8U,
  kDLFloat8_e4m3b11fnuz = 9U,
  kDLFloat8_e4m3fn = 10U,
  kDLFloat8_e4m3fnuz = 11U,
  kDLFloat8_e5m2 = 12U,
  kDLFloat8_e5m2fnuz = 13U,
  kDLFloat8_e8m0fnu = 14U,
  kDLFloat6_e2m3fn = 15U,
  kDLFloat6_e3m2fn = 16U,
  kDLFloat4_e2m1fn = 17U
} DLDataTypeCode;

/// An element: {kDLInt, 8, 1} is int8_t, {kDLBool, 8, 1} a boolean in a byte.
typedef struct {
  uint8_t code;   ///< A DLDataTypeCode.
  uint8_t bits;   ///< Of one lane.
  uint16_t lanes; ///< 1 unless elements are vectors; qcc takes 1.
} DLDataType;

/// A view of memory that somebody else owns.
typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;       ///< `ndim` sizes.
  int64_t *strides;     ///< `ndim` distances in elements; null: row-major.
  uint64_t byte_offset; ///< From `data` to the first element.
} DLTensor;

/// A tensor with its memory. Whoever holds it calls `deleter`, once, unless
/// that is null.
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx; ///< The producer's own.
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

/// The same with a version and flags, for exchange between frameworks.
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // DLPACK_DLPACK_H_
