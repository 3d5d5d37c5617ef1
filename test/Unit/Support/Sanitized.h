//===- Sanitized.h - Whether a sanitizer allocates --------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QCC_TEST_UNIT_SUPPORT_SANITIZED_H
#define QCC_TEST_UNIT_SUPPORT_SANITIZED_H

/// Sanitizers replace malloc, and end the process where it would return null.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define QCC_TEST_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef QCC_TEST_SANITIZED
#define QCC_TEST_SANITIZED 1
#endif
#ifndef QCC_TEST_SANITIZED
#define QCC_TEST_SANITIZED 0
#endif

#endif // QCC_TEST_UNIT_SUPPORT_SANITIZED_H
