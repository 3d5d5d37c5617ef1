/*===- qcc-c/Status.h - Results of calls that can fail -----------*- C -*-===*\
|*                                                                            *|
|* Part of the qcc project, under the Apache License v2.0 with LLVM           *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A qccStatus is null on success, which costs nothing. A failure is an       *|
|* object with a code and a message that says what is wrong, why, and what to *|
|* do about it; whoever receives it destroys it. No call prints, throws or    *|
|* ends the process.                                                          *|
|*                                                                            *|
|* What holds for all of this API: handles are opaque; a function that makes  *|
|* one has a matching Destroy, which accepts null; strings are UTF-8 and end  *|
|* with a null character; a failed call leaves its outputs as they were.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef QCC_C_STATUS_H
#define QCC_C_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define QCC_EXPORTED __attribute__((visibility("default")))
#define QCC_NODISCARD __attribute__((warn_unused_result))
#else
#define QCC_EXPORTED
#define QCC_NODISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this interface: what is compiled against it needs a library
/// of this version. The minor version counts what was added since; the symbols
/// of a function say by which it came, so that an application which calls newer
/// functions than a library has is refused when it is started.
#define QCC_API_VERSION 1
#define QCC_API_MINOR_VERSION 3

typedef enum qccStatusCode {
  QCC_STATUS_OK = 0,
  QCC_STATUS_INVALID_ARGUMENT = 1, ///< The caller handed over something wrong.
  QCC_STATUS_UNSUPPORTED = 2,      ///< This host or this version cannot do it.
  QCC_STATUS_NOT_FOUND = 3,        ///< No such file, entry or tensor.
  QCC_STATUS_IO_ERROR = 4,         ///< The system refused to read or write.
  QCC_STATUS_CORRUPT = 5,          ///< An artifact contradicts its own format.
  QCC_STATUS_OUT_OF_MEMORY = 6,    ///< An allocation failed.
  QCC_STATUS_BUSY = 7,             ///< The context is in use by another thread.
  QCC_STATUS_CANCELLED = 8,        ///< The caller asked for an end.
  QCC_STATUS_KERNEL_FAILED = 9, ///< A step of the program reported a failure.
  QCC_STATUS_INTERNAL = 10,     ///< A bug in qcc.
  QCC_STATUS_INVALID_PROGRAM = 11, ///< The compiler rejected the program.
  QCC_STATUS_TIMED_OUT = 12,       ///< The caller's time limit has passed.
  /// An artifact lacks the signature that the caller asks for.
  QCC_STATUS_UNTRUSTED = 13,
  /// A signal from outside ended the process that compiled: somebody sent it,
  /// or the kernel did for want of memory.
  QCC_STATUS_KILLED = 14
} qccStatusCode;

/// Null is success.
typedef struct qccStatusImpl *qccStatus;

/// Never null, also for success. The message is empty then; otherwise it lives
/// as long as the status.
QCC_EXPORTED qccStatusCode qccStatusGetCode(qccStatus status);
QCC_EXPORTED const char *qccStatusGetMessage(qccStatus status);

/// "ok", "invalid argument", ...; "unknown" for a code of a later version.
QCC_EXPORTED const char *qccStatusCodeGetName(qccStatusCode code);

/// A status with a copy of `message`; null if the code is QCC_STATUS_OK.
QCC_EXPORTED QCC_NODISCARD qccStatus qccStatusCreate(qccStatusCode code,
                                                     const char *message);
QCC_EXPORTED void qccStatusDestroy(qccStatus status);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // QCC_C_STATUS_H
