//===- Signature.cpp - Who made an artifact -------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "qcc/Runtime/Signature.h"

#include "ArtifactContents.h"
#include "Sodium.h"
#include "qcc/Artifact/ElfFile.h"

#include <vector>

namespace qcc::rt {

namespace {
/// The last bytes of a signed file.
struct Trailer {
  char name[16] = "qcc signature 1";
  unsigned char signature[64] = {};
};
static_assert(sizeof(Trailer) == 80, "the trailer is a format");

/// What Ed25519 signs. It begins with what the digest is of, so that nobody can
/// use a signature of something else.
struct Statement {
  char name[16] = "qcc artifact 1";
  unsigned char digest[64];
};
static_assert(sizeof(Statement) == 80, "the statement is a format");
} // namespace

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static int valueOfDigit(char digit) {
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  if (digit >= 'a' && digit <= 'f')
    return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F')
    return digit - 'A' + 10;
  return -1;
}

/// What the text of a secret key begins with.
static constexpr std::string_view kSecret = "qcc-secret-key ";

static std::string_view trim(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  size_t begin = text.find_first_not_of(space);
  if (begin == text.npos)
    return text;
  return text.substr(begin, text.find_last_not_of(space) + 1 - begin);
}

Result<Key> parseKey(std::string_view text) {
  text = trim(text);
  Key key;
  if (text.substr(0, kSecret.size()) == kSecret)
    return invalidArgument("this is a secret key, but a public one is wanted; "
                           "give what qcc make-key has printed");
  if (text.size() != 2 * key.size())
    return invalidArgument(
        "a key has 64 hexadecimal digits, but this text has " +
        std::to_string(text.size()) +
        " characters; give the key as it was printed");
  for (size_t i = 0; i < key.size(); ++i) {
    int high = valueOfDigit(text[2 * i]), low = valueOfDigit(text[2 * i + 1]);
    if (high < 0 || low < 0)
      return invalidArgument("a key has hexadecimal digits only, but this text "
                             "has another character; give the key as it was "
                             "printed");
    key[i] = static_cast<unsigned char>(high * 16 + low);
  }
  return key;
}

std::string printKey(const Key &key) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : key) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Result<Key> parseSecretKey(std::string_view text) {
  text = trim(text);
  if (text.substr(0, kSecret.size()) == kSecret)
    return parseKey(text.substr(kSecret.size()));
  Result<Key> key = parseKey(text);
  if (!key.isOk())
    return key;
  return invalidArgument(
      "this is a public key, but a secret one is wanted, whose text begins "
      "with '" +
      std::string(kSecret) + "'; give the file that qcc make-key wrote");
}

std::string printSecretKey(const Key &key) {
  return std::string(kSecret) + printKey(key);
}

Result<Key> makeSecretKey() {
  Result<const Sodium *> sodium = Sodium::open();
  if (!sodium.isOk())
    return sodium.status();
  Key key;
  (*sodium)->random(key.data(), key.size());
  return key;
}

namespace {
/// Both keys, as libsodium has them.
struct KeyPair {
  Key publicKey;
  unsigned char secret[64];

  KeyPair(const Sodium &sodium, const Key &secretKey) {
    sodium.makeKeys(publicKey.data(), secret, secretKey.data());
  }
};
} // namespace

Result<Key> publicKeyOf(const Key &secretKey) {
  Result<const Sodium *> sodium = Sodium::open();
  if (!sodium.isOk())
    return sodium.status();
  return KeyPair(**sodium, secretKey).publicKey;
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// Reads the last bytes; whether they are a trailer.
static Result<bool> readTrailer(const ByteSource &bytes, Trailer &trailer) {
  if (bytes.size() < sizeof(trailer))
    return false;
  Status status =
      bytes.read(&trailer, sizeof(trailer), bytes.size() - sizeof(trailer));
  if (!status.isOk())
    return status;
  return memcmp(trailer.name, Trailer().name, sizeof(trailer.name)) == 0;
}

/// What is signed of a file whose contents end at `size`.
static Result<Statement> makeStatement(const Sodium &sodium,
                                       const ByteSource &bytes, uint64_t size,
                                       uint64_t noteOffset) {
  std::vector<uint64_t> state(sodium.hashStateBytes() / sizeof(uint64_t) + 1);
  sodium.hashInit(state.data());
  Status status =
      readContents(bytes, size, noteOffset, [&](const char *part, size_t size) {
        sodium.hashUpdate(state.data(),
                          reinterpret_cast<const unsigned char *>(part), size);
      });
  if (!status.isOk())
    return status;
  Statement statement;
  sodium.hashFinal(state.data(), statement.digest);
  return statement;
}

Status checkSignature(const ByteSource &bytes, uint64_t noteOffset,
                      const Key &publicKey) {
  Result<const Sodium *> sodium = Sodium::open();
  if (!sodium.isOk())
    return sodium.status();
  Trailer trailer;
  Result<bool> isSigned = readTrailer(bytes, trailer);
  if (!isSigned.isOk())
    return isSigned.status();
  if (!*isSigned)
    return untrusted("it has no signature, but a key was given; sign it with "
                     "qcc sign, or load it without a key if you trust it");
  Result<Statement> statement = makeStatement(
      **sodium, bytes, bytes.size() - sizeof(trailer), noteOffset);
  if (!statement.isOk())
    return statement.status();
  if ((*sodium)->verify(trailer.signature,
                        reinterpret_cast<unsigned char *>(&*statement),
                        sizeof(*statement), publicKey.data()) != 0)
    return untrusted("its signature is not one of the key " +
                     printKey(publicKey) +
                     ": it was signed with another key, or changed after it "
                     "was signed; do not load it unless you know which");
  return Status::ok();
}

Status signArtifact(std::string &bytes, const Key &secretKey) {
  Result<const Sodium *> sodium = Sodium::open();
  if (!sodium.isOk())
    return sodium.status();
  MemorySource whole(bytes.data(), bytes.size());
  Result<ElfFile> elf = ElfFile::read(whole);
  if (!elf.isOk())
    return elf.status();
  Result<ElfPlace> place = elf->findNote();
  if (!place.isOk())
    return place.status();
  ArtifactNote note;
  Status status = readNote(whole, place->offset, note);
  if (status.isOk())
    status = checkContents(whole, place->offset, note);
  if (!status.isOk())
    return status;
  Trailer trailer;
  Result<bool> isSigned = readTrailer(whole, trailer);
  if (!isSigned.isOk())
    return isSigned.status();
  size_t size = bytes.size() - (*isSigned ? sizeof(trailer) : 0);
  bytes.resize(size + sizeof(trailer));
  // The size in the note is signed, too.
  status = stampArtifact(bytes.data(), bytes.size());
  if (!status.isOk())
    return status;
  Result<Statement> statement = makeStatement(
      **sodium, MemorySource(bytes.data(), bytes.size()), size, place->offset);
  if (!statement.isOk())
    return statement.status();
  KeyPair keys(**sodium, secretKey);
  trailer = Trailer();
  (*sodium)->sign(trailer.signature, nullptr,
                  reinterpret_cast<unsigned char *>(&*statement),
                  sizeof(*statement), keys.secret);
  memcpy(bytes.data() + size, &trailer, sizeof(trailer));
  return stampArtifact(bytes.data(), bytes.size());
}

} // namespace qcc::rt
