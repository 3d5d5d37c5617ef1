//===- DamagedArtifactTests.cpp - Files that must not be loaded -----------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is refused with a message, and none brings the process down. The
// process's end would be the test's: nothing here catches signals.
//
//===----------------------------------------------------------------------===//

#include "FakeArtifact.h"
#include "TestFiles.h"
#include "qcc/Artifact/ArtifactNote.h"

#include <elf.h>
#include <random>
#include <set>
#include <sys/stat.h>

using namespace qcc::rt;
using namespace qcc::rt::test;

namespace {

/// Refuses files, and counts them.
class Refusals {
public:
  /// The status of a file with these bytes.
  Status open(const std::string &bytes) {
    file_.write(bytes);
    return Module::open(file_.path).status();
  }
  void expect(const std::string &bytes, const std::string &what) {
    Status status = open(bytes);
    ++count_;
    EXPECT_TRUE(status.code() == StatusCode::Corrupt ||
                status.code() == StatusCode::Unsupported)
        << what << ": " << status.message();
    EXPECT_EQ(status.message().find(file_.path + ": "), 0u) << what;
    EXPECT_GT(status.message().size(), file_.path.size() + 20) << what;
  }
  void expect(const std::string &bytes, StatusCode code,
              const std::string &message) {
    Status status = open(bytes);
    ++count_;
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_NE(status.message().find(message), std::string::npos)
        << status.message();
  }
  int count() const { return count_; }

private:
  TemporaryFile file_;
  int count_ = 0;
};

struct Artifact {
  std::string bytes = readFile(QCC_TEST_ARTIFACT);

  template <typename T> T &at(uint64_t offset) {
    return *reinterpret_cast<T *>(&bytes[offset]);
  }
  Elf64_Ehdr &header() { return at<Elf64_Ehdr>(0); }
  Elf64_Phdr &segment(int i) {
    return at<Elf64_Phdr>(header().e_phoff + i * sizeof(Elf64_Phdr));
  }
  Elf64_Shdr &section(int i) {
    return at<Elf64_Shdr>(header().e_shoff + i * sizeof(Elf64_Shdr));
  }
  ArtifactNote &note() {
    for (int i = 0; i < header().e_phnum; ++i)
      if (segment(i).p_type == PT_NOTE)
        return at<ArtifactNote>(segment(i).p_offset);
    ADD_FAILURE() << "no note";
    return at<ArtifactNote>(0);
  }
  std::string stamped() {
    Status status = stampArtifact(bytes.data(), bytes.size());
    EXPECT_TRUE(status.isOk()) << status.message();
    return bytes;
  }
};

std::string flipped(std::string bytes, size_t at, unsigned char mask) {
  bytes[at] = char(bytes[at] ^ mask);
  return bytes;
}

} // namespace

TEST(ContentHash, IsXxh64) {
  auto hash = [](const std::string &text, size_t piece) {
    ContentHash hash;
    for (size_t at = 0; at < text.size(); at += piece)
      hash.update(&text[at], std::min(piece, text.size() - at));
    return hash.finish();
  };
  // From the specification and its implementations.
  EXPECT_EQ(hash("", 1), 0xef46db3751d8e999u);
  EXPECT_EQ(hash("a", 1), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(hash("abc", 3), 0x44bc2cf5ad770999u);
  std::string text = "Nobody inspects the spammish repetition";
  for (size_t piece : {1, 3, 8, 31, 32, 33, 39})
    EXPECT_EQ(hash(text, piece), 0xfbcea83c8a378bf1u) << piece;
}

TEST(DamagedArtifact, TheUndamagedOneLoads) {
  Artifact artifact;
  Refusals refusals;
  EXPECT_TRUE(refusals.open(artifact.bytes).isOk());
  // Stamping is idempotent.
  std::string before = artifact.bytes;
  EXPECT_EQ(artifact.stamped(), before);
  EXPECT_TRUE(
      Module::load(artifact.bytes.data(), artifact.bytes.size()).isOk());
}

TEST(DamagedArtifact, TruncatedAtAnyBoundaryOrAnywhere) {
  Artifact artifact;
  ASSERT_FALSE(artifact.bytes.empty()) << "there is no " << QCC_TEST_ARTIFACT;
  std::set<uint64_t> sizes;
  auto add = [&](uint64_t boundary) {
    for (int64_t delta : {-1, 0, 1})
      if (boundary + delta < artifact.bytes.size())
        sizes.insert(boundary + delta);
  };
  const Elf64_Ehdr &header = artifact.header();
  for (int i = 0; i < header.e_phnum; ++i) {
    add(header.e_phoff + i * sizeof(Elf64_Phdr));
    add(artifact.segment(i).p_offset);
    add(artifact.segment(i).p_offset + artifact.segment(i).p_filesz);
  }
  for (int i = 0; i < header.e_shnum; ++i) {
    add(header.e_shoff + i * sizeof(Elf64_Shdr));
    add(artifact.section(i).sh_offset);
    add(artifact.section(i).sh_offset + artifact.section(i).sh_size);
  }
  add(artifact.bytes.size());
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i)
    sizes.insert(random() % artifact.bytes.size());
  Refusals refusals;
  for (uint64_t size : sizes)
    refusals.expect(artifact.bytes.substr(0, size),
                    "the first " + std::to_string(size) + " bytes");
  EXPECT_GT(refusals.count(), 250);
  for (size_t more : {1, 7, 4096})
    refusals.expect(artifact.bytes + std::string(more, '\0'),
                    StatusCode::Corrupt, "copied incompletely or changed");
}

TEST(DamagedArtifact, FlippedInAnyHeaderOrAnywhere) {
  Artifact artifact;
  std::string bytes = artifact.bytes;
  Refusals refusals;
  auto flip = [&](uint64_t begin, uint64_t size, const char *what) {
    for (uint64_t at = begin; at < begin + size; ++at)
      for (unsigned char mask : {0x01, 0x80, 0xff})
        refusals.expect(flipped(bytes, at, mask),
                        what + (" at " + std::to_string(at)));
  };
  const Elf64_Ehdr &header = artifact.header();
  flip(0, sizeof(header), "ELF header");
  flip(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr), "program header");
  flip(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr), "section header");
  uint64_t note =
      reinterpret_cast<char *>(&artifact.note()) - artifact.bytes.data();
  flip(note, sizeof(ArtifactNote), "note");
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    size_t at = random() % bytes.size();
    refusals.expect(flipped(bytes, at, 1 << random() % 8),
                    "anywhere, at " + std::to_string(at));
  }
  EXPECT_GT(refusals.count(), 1000);
}

TEST(DamagedArtifact, OverwrittenInPlaces) {
  std::string bytes = readFile(QCC_TEST_ARTIFACT);
  Refusals refusals;
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    std::string damaged = bytes;
    size_t at = random() % bytes.size();
    size_t size = std::min<size_t>(1 + random() % 512, bytes.size() - at);
    for (size_t j = at; j < at + size; ++j)
      damaged[j] = i % 2 ? char(random()) : 0;
    if (damaged != bytes)
      refusals.expect(damaged, "block at " + std::to_string(at));
  }
  EXPECT_GT(refusals.count(), 80);
}

TEST(DamagedArtifact, OfAnotherVersion) {
  Refusals refusals;
  for (uint32_t version : {0u, 2u, 0x10001u, 0xffffffffu}) {
    Artifact artifact;
    artifact.note().version = version;
    refusals.expect(artifact.stamped(), StatusCode::Unsupported,
                    "the artifact's form has version " +
                        std::to_string(version) +
                        ", this runtime reads version 1; use the compiler and "
                        "the runtime of one release");
  }
}

TEST(DamagedArtifact, ForAnotherMachine) {
  Refusals refusals;
  Artifact artifact;
  artifact.note().machine = EM_AARCH64;
  refusals.expect(artifact.stamped(), StatusCode::Unsupported,
                  "the artifact is for another machine, number 183 of ELF");
  for (int machine : {EM_AARCH64, EM_RISCV, EM_386, 0, 0xffff}) {
    Artifact other;
    other.header().e_machine = machine;
    refusals.expect(other.bytes, StatusCode::Unsupported,
                    "it is for another machine, number " +
                        std::to_string(machine) + " of ELF");
  }
  Artifact narrow;
  narrow.header().e_ident[EI_CLASS] = ELFCLASS32;
  refusals.expect(narrow.bytes, StatusCode::Unsupported, "a 32-bit ELF file");
  Artifact swapped;
  swapped.header().e_ident[EI_DATA] = ELFDATA2MSB;
  refusals.expect(swapped.bytes, StatusCode::Unsupported,
                  "a big-endian ELF file");
}

TEST(DamagedArtifact, NoArtifactAtAll) {
  Refusals refusals;
  constexpr StatusCode corrupt = StatusCode::Corrupt;
  refusals.expect("", corrupt, "this is no artifact of qcc: the file is empty");
  for (const char *text : {"x", "module {}",
                           "a text that is longer than the header of an ELF "
                           "file, by some words at least"})
    refusals.expect(text, corrupt, "it is no ELF file; make an artifact with");
  refusals.expect(std::string(10000, '\0'), corrupt, "it is no ELF file");
  refusals.expect("\x7f"
                  "ELF",
                  corrupt, "it ends within its header");
  refusals.expect(readFile(QCC_TEST_NO_ARTIFACT), corrupt,
                  "the shared object has no note of qcc");
  for (auto [type, message] :
       {std::pair(ET_REL, "an object that is not linked yet"),
        std::pair(ET_EXEC, "it is a program"),
        std::pair(ET_CORE, "no shared object")}) {
    Artifact artifact;
    artifact.header().e_type = type;
    refusals.expect(artifact.bytes, corrupt, message);
  }
}

TEST(DamagedArtifact, ThatIsNotOnItsOwn) {
  Refusals refusals;
  constexpr StatusCode corrupt = StatusCode::Corrupt;
  refusals.expect(readFile(QCC_TEST_NEEDS_LIBRARY), corrupt,
                  "it needs other libraries");
  refusals.expect(readFile(QCC_TEST_NEEDS_SYMBOL), corrupt,
                  "it needs symbols of other libraries");
  refusals.expect(readFile(QCC_TEST_EXPORTS_MORE), corrupt,
                  "it exports more than qcc_artifact");
  Artifact renamed;
  size_t name = renamed.bytes.find("\0qcc_artifact", 0, 13);
  ASSERT_NE(name, std::string::npos);
  renamed.bytes[name + 1] = 'Q';
  refusals.expect(renamed.stamped(), corrupt, "exports more than");
}

TEST(DamagedArtifact, NoFile) {
  auto open = [](const std::string &path) {
    return Module::open(path).status();
  };
  EXPECT_EQ(open("/no/such/file.so").code(), StatusCode::NotFound);
  EXPECT_EQ(open("/no/such/file.so").message(),
            "/no/such/file.so: there is no such file; check the name");
  EXPECT_EQ(open("/").code(), StatusCode::InvalidArgument);
  EXPECT_NE(open("/").message().find("it is a directory"), std::string::npos);
  EXPECT_EQ(open("/dev/null").code(), StatusCode::InvalidArgument);
  EXPECT_NE(open("/dev/null").message().find("it is a device"),
            std::string::npos);
  TemporaryFile file;
  ASSERT_EQ(mkfifo(file.path.c_str(), 0600), 0);
  EXPECT_EQ(open(file.path).code(), StatusCode::InvalidArgument);
  EXPECT_NE(open(file.path).message().find("it is a device"),
            std::string::npos);
  file.write("x");
  ASSERT_EQ(chmod(file.path.c_str(), 0), 0);
  if (geteuid() != 0) {
    EXPECT_EQ(open(file.path).code(), StatusCode::IOError);
    EXPECT_NE(open(file.path).message().find("check the permissions"),
              std::string::npos);
  }
}

TEST(DamagedArtifact, StampingNeedsANote) {
  std::string bytes = readFile(QCC_TEST_NO_ARTIFACT);
  EXPECT_FALSE(stampArtifact(bytes.data(), bytes.size()).isOk());
  EXPECT_FALSE(stampArtifact(bytes.data(), 10).isOk());
}
