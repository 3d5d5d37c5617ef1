//===- SignatureTests.cpp -------------------------------------------------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sodium.h"
#include "TestFiles.h"
#include "qcc/Artifact/ArtifactNote.h"
#include "qcc/Runtime/Module.h"
#include "qcc/Runtime/Signature.h"
#include "gtest/gtest.h"

using namespace qcc::rt;
using namespace qcc::rt::test;

/// The first test vector of RFC 8032.
static constexpr char secretText[] =
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
static constexpr char publicText[] =
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

static Key keyOf(const char *text) {
  Result<Key> key = parseKey(text);
  EXPECT_TRUE(key.isOk()) << key.message();
  return key.isOk() ? *key : Key();
}

static Status load(const std::string &bytes, const char *publicKey) {
  ModuleOptions options;
  if (publicKey)
    options.publicKey = keyOf(publicKey);
  return Module::load(bytes.data(), bytes.size(), options).status();
}

TEST(Signature, ReadsKeys) {
  EXPECT_EQ(printKey(keyOf(publicText)), publicText);
  std::string upper = " \n" + std::string(publicText) + "\r\n";
  for (char &c : upper)
    c = toupper(c);
  EXPECT_EQ(printKey(keyOf(upper.c_str())), publicText);
  for (std::string wrong :
       {std::string(), std::string("  \n"), std::string(publicText) + "0",
        std::string(63, '0'), std::string(63, '0') + "g"}) {
    Result<Key> key = parseKey(wrong);
    ASSERT_FALSE(key.isOk()) << wrong;
    EXPECT_EQ(key.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(key.message().find("a key has "), 0u) << key.message();
  }
}

TEST(Signature, TellsSecretKeysFromPublicOnes) {
  Key key = keyOf(secretText);
  std::string text = printSecretKey(key);
  EXPECT_EQ(text, "qcc-secret-key " + std::string(secretText));
  Result<Key> read = parseSecretKey(" " + text + "\n");
  ASSERT_TRUE(read.isOk()) << read.message();
  EXPECT_EQ(*read, key);
  EXPECT_EQ(parseKey(text).message().find("this is a secret key, but"), 0u);
  EXPECT_EQ(
      parseSecretKey(publicText).message().find("this is a public key, but"),
      0u);
  for (std::string wrong : {"", "0", "qcc-secret-key ", "qcc-secret-key 0"})
    EXPECT_EQ(parseSecretKey(wrong).message().find("a key has "), 0u) << wrong;
}

/// Those that need the library.
class SignatureTest : public testing::Test {
protected:
  void SetUp() override {
    if (!Sodium::open().isOk())
      GTEST_SKIP() << Sodium::open().message();
  }

  const std::string bytes = readFile(QCC_TEST_ARTIFACT);

  std::string sign(const char *secretKey = secretText) {
    std::string copy = bytes;
    Status status = signArtifact(copy, keyOf(secretKey));
    EXPECT_TRUE(status.isOk()) << status.message();
    return copy;
  }
};

TEST_F(SignatureTest, MakesKeys) {
  Result<Key> publicKey = publicKeyOf(keyOf(secretText));
  ASSERT_TRUE(publicKey.isOk());
  EXPECT_EQ(printKey(*publicKey), publicText);
  Result<Key> first = makeSecretKey(), second = makeSecretKey();
  ASSERT_TRUE(first.isOk() && second.isOk());
  EXPECT_NE(*first, *second);
}

TEST_F(SignatureTest, IsAcceptedAndIgnored) {
  std::string signedBytes = sign();
  EXPECT_EQ(signedBytes.size(), bytes.size() + 80);
  EXPECT_EQ(load(signedBytes, publicText).message(), "");
  EXPECT_EQ(load(signedBytes, nullptr).message(), "");
  EXPECT_EQ(sign(), signedBytes);
  // Signed again, by another key as well.
  std::string again = signedBytes;
  ASSERT_TRUE(signArtifact(again, keyOf(publicText)).isOk());
  EXPECT_EQ(again.size(), signedBytes.size());
  EXPECT_EQ(load(again, publicText).code(), StatusCode::Untrusted);
  ASSERT_TRUE(signArtifact(again, keyOf(secretText)).isOk());
  EXPECT_EQ(again, signedBytes);
}

TEST_F(SignatureTest, IsMissingOrOfAnotherKey) {
  Status status = load(bytes, publicText);
  EXPECT_EQ(status.code(), StatusCode::Untrusted);
  EXPECT_NE(status.message().find("it has no signature"), std::string::npos)
      << status.message();
  // Bytes that are not a point, and a point of small order.
  for (const char *other : {secretText,
                            "ffffffffffffffffffffffffffffffff"
                            "ffffffffffffffffffffffffffffffff",
                            "00000000000000000000000000000000"
                            "00000000000000000000000000000000"}) {
    status = load(sign(), other);
    EXPECT_EQ(status.code(), StatusCode::Untrusted);
    EXPECT_NE(
        status.message().find("is not one of the key " + std::string(other)),
        std::string::npos)
        << status.message();
  }
}

/// Somebody who changes a file can make its hash right again.
TEST_F(SignatureTest, HoldsForEveryByte) {
  std::string signedBytes = sign();
  size_t numUntrusted = 0;
  for (size_t at = 0; at < signedBytes.size(); at += 7) {
    std::string changed = signedBytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_EQ(load(changed, publicText).isOk(), false) << at;
    // Not where this makes it no artifact, nor in what the stamp writes.
    if (!stampArtifact(changed.data(), changed.size()).isOk() ||
        changed == signedBytes)
      continue;
    Status status = load(changed, publicText);
    EXPECT_FALSE(status.isOk()) << at;
    numUntrusted += status.code() == StatusCode::Untrusted;
  }
  EXPECT_GT(numUntrusted, signedBytes.size() / 7 / 2);
}

TEST_F(SignatureTest, DoesNotOutliveItsContents) {
  std::string signedBytes = sign();
  // The trailer behind something else, twice, and alone.
  std::string trailer = signedBytes.substr(bytes.size()), other = bytes;
  other[other.find("by hand")] = 'B';
  for (std::string forged :
       {other + trailer, signedBytes + trailer, bytes + trailer.substr(1)}) {
    ASSERT_TRUE(stampArtifact(forged.data(), forged.size()).isOk());
    EXPECT_EQ(load(forged, nullptr).message(), "");
    EXPECT_EQ(load(forged, publicText).code(), StatusCode::Untrusted);
  }
}

/// What is checked is a copy, which nobody can change before it is loaded.
TEST_F(SignatureTest, IsCheckedOnAPrivateCopy) {
  TemporaryFile file;
  file.write(sign());
  ModuleOptions options;
  options.publicKey = keyOf(publicText);
  auto module = Module::open(file.path, options);
  ASSERT_TRUE(module.isOk()) << module.message();
  std::string maps = readFile("/proc/self/maps");
  EXPECT_EQ(maps.find(file.path), std::string::npos);
}

TEST_F(SignatureTest, IsNotMadeForDamage) {
  std::string damaged = bytes;
  damaged[damaged.size() / 2] ^= 1;
  std::string before = damaged;
  EXPECT_EQ(signArtifact(damaged, keyOf(secretText)).code(),
            StatusCode::Corrupt);
  EXPECT_EQ(damaged, before);
  std::string text = "no artifact";
  EXPECT_FALSE(signArtifact(text, keyOf(secretText)).isOk());
}
