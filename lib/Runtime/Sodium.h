//===- Sodium.h - The library that computes signatures ----------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime uses of libsodium, which is opened by its name at run time:
// neither building nor running needs it unless signatures are asked for.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_RUNTIME_SODIUM_H
#define QCC_LIB_RUNTIME_SODIUM_H

#include "qcc/Base/Status.h"

#include <cstddef>

namespace qcc::rt {

/// NAME(symbol, member, result, parameters): the functions of the library,
/// whose declarations have not changed since version 1.0.12.
#define QCC_SODIUM_FUNCTIONS(NAME)                                             \
  NAME(sodium_init, init, int, ())                                             \
  NAME(randombytes_buf, random, void, (void *, size_t))                        \
  NAME(crypto_hash_sha512_statebytes, hashStateBytes, size_t, ())              \
  NAME(crypto_hash_sha512_init, hashInit, int, (void *))                       \
  NAME(crypto_hash_sha512_update, hashUpdate, int,                             \
       (void *, const unsigned char *, unsigned long long))                    \
  NAME(crypto_hash_sha512_final, hashFinal, int, (void *, unsigned char *))    \
  NAME(crypto_sign_ed25519_seed_keypair, makeKeys, int,                        \
       (unsigned char *, unsigned char *, const unsigned char *))              \
  NAME(crypto_sign_ed25519_detached, sign, int,                                \
       (unsigned char *, unsigned long long *, const unsigned char *,          \
        unsigned long long, const unsigned char *))                            \
  NAME(crypto_sign_ed25519_verify_detached, verify, int,                       \
       (const unsigned char *, const unsigned char *, unsigned long long,      \
        const unsigned char *))

struct Sodium {
#define QCC_SODIUM_MEMBER(symbol, member, result, parameters)                  \
  result(*member) parameters = nullptr;
  QCC_SODIUM_FUNCTIONS(QCC_SODIUM_MEMBER)
#undef QCC_SODIUM_MEMBER

  /// The library, which stays open.
  static Result<const Sodium *> open();
};

} // namespace qcc::rt

#endif // QCC_LIB_RUNTIME_SODIUM_H
