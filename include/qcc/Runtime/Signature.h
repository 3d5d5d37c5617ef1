//===- Signature.h - Who made an artifact -----------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hash in the note of an artifact finds damage; a signature says who made
// the artifact. It is one of Ed25519, and stands at the end of the file, in a
// trailer that the size and the hash of the note count as well. So a runtime
// that knows nothing of signatures, or is given no key, loads signed artifacts
// like others.
//
// What is signed is the SHA-512 of all bytes before the trailer, the hash of
// the note as zero. libsodium computes both. It is opened when the first
// signature is made or checked, so whoever does neither does not need it.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_RUNTIME_SIGNATURE_H
#define QCC_RUNTIME_SIGNATURE_H

#include "qcc/Base/Status.h"

#include <array>
#include <string>
#include <string_view>

namespace qcc::rt {

/// A public key of Ed25519, or a secret one (which RFC 8032 says: the seed).
using Key = std::array<unsigned char, 32>;

/// The key of a text of 64 hexadecimal digits; white space around them is left
/// out. Messages do not repeat the text, which may be secret.
Result<Key> parseKey(std::string_view text);
std::string printKey(const Key &key);

/// The same for a secret key, whose text begins with "qcc-secret-key ". Neither
/// function takes the text of the other, so that no key serves as the other
/// kind.
Result<Key> parseSecretKey(std::string_view text);
std::string printSecretKey(const Key &key);

/// A secret key by chance.
Result<Key> makeSecretKey();
Result<Key> publicKeyOf(const Key &secretKey);

/// Signs the bytes of a complete artifact; a signature that they have already
/// is replaced. Fails where they are no artifact, or damaged.
Status signArtifact(std::string &bytes, const Key &secretKey);

} // namespace qcc::rt

#endif // QCC_RUNTIME_SIGNATURE_H
