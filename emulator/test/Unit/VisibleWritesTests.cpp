//===- VisibleWritesTests.cpp - Strong writes that others see late --------===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the memory model forbids is never read, whatever the seed; what it
// leaves open is read for some seed. RandomPrograms compares with a model of
// its own, written from the text of the PTX ISA ("Causality order",
// "Coherence", "Fence-SC").
//
//===----------------------------------------------------------------------===//

#include "Machine/VisibleWrites.h"

#include "gtest/gtest.h"

#include <array>
#include <cstring>
#include <map>
#include <random>

using namespace qcc::emu;

namespace {

constexpr uint64_t numSeeds = 64;
/// Reads after which the newest value must have come.
constexpr int enoughReads = 20000;

/// Words of memory, zeros at first, that CTAs access as CtaMemory does.
class Memory {
public:
  explicit Memory(uint64_t seed) : visible_(seed) {}

  uint32_t load(uint32_t cta, uint64_t address, bool isAcquire = false) {
    visible_.beginAccess();
    return loadOfLane(cta, address, isAcquire);
  }
  /// Of another lane of the instruction.
  uint32_t loadOfLane(uint32_t cta, uint64_t address, bool isAcquire = false) {
    const VisibleWrites::Past *past = visible_.read(cta, address, 4, isAcquire);
    uint32_t value = words_[address];
    if (past)
      memcpy(&value, past->value, 4);
    return value;
  }
  void store(uint32_t cta, uint64_t address, uint32_t value,
             bool isRelease = false) {
    write(cta, address, value, AccessKind::Store, false, isRelease);
  }
  /// Returns the value before.
  uint32_t exchange(uint32_t cta, uint64_t address, uint32_t value,
                    bool isAcquire = false, bool isRelease = false) {
    uint32_t before = words_[address];
    write(cta, address, value, AccessKind::Atomic, isAcquire, isRelease);
    return before;
  }
  void storeWeakly(uint64_t address, uint32_t value) {
    visible_.forget(address, 4);
    words_[address] = value;
  }
  void fence(uint32_t cta, FenceKind kind) { visible_.fence(cta, kind); }
  /// Reads until it gets the value, for as long as the emulator may take.
  bool waitFor(uint32_t cta, uint64_t address, uint32_t value,
               bool isAcquire = false) {
    for (int i = 0; i < enoughReads; ++i)
      if (load(cta, address, isAcquire) == value)
        return true;
    return false;
  }

private:
  void write(uint32_t cta, uint64_t address, uint32_t value, AccessKind kind,
             bool isAcquire, bool isRelease) {
    visible_.beginAccess();
    Access access;
    access.kind = kind;
    access.size = 4;
    access.isAcquire = isAcquire;
    access.isRelease = isRelease;
    uint8_t old[4];
    memcpy(old, &words_[address], 4);
    visible_.write(cta, address, access, old, SyncVariable());
    words_[address] = value;
  }

  VisibleWrites visible_;
  std::map<uint64_t, uint32_t> words_;
};

/// Of how many seeds the test gives true.
template <typename Test> uint64_t countSeeds(Test test) {
  uint64_t count = 0;
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    Memory memory(seed);
    count += test(memory);
  }
  return count;
}

constexpr uint64_t data = 64, flag = 128, other = 192;

/// CTA 0 writes data, then the flag; CTA 1 reads the flag, then data. Says
/// whether it gets old data.
template <typename Send, typename Receive>
uint64_t seedsWithOldData(Send send, Receive receive) {
  return countSeeds([&](Memory &memory) {
    memory.store(0, data, 7);
    send(memory);
    EXPECT_TRUE(receive(memory));
    return memory.load(1, data) != 7;
  });
}

} // namespace

TEST(VisibleWrites, ALocationIsCoherent) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    Memory memory(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    std::array<uint32_t, 3> seen = {};
    for (uint32_t value = 1; value < 200; ++value) {
      uint32_t writer = random() % 3;
      memory.store(writer, data, value);
      seen[writer] = value;
      for (int i = 0; i < 6; ++i) {
        uint32_t reader = random() % 3;
        uint32_t got = memory.load(reader, data);
        ASSERT_GE(got, seen[reader]) << "seed " << seed;
        ASSERT_LE(got, value);
        seen[reader] = got;
      }
    }
    for (uint32_t cta = 0; cta < 3; ++cta)
      EXPECT_TRUE(memory.waitFor(cta, data, 199));
  }
}

TEST(VisibleWrites, OthersMayReadOldValues) {
  EXPECT_GT(countSeeds([](Memory &memory) {
              memory.store(0, data, 1);
              return memory.load(1, data) == 0;
            }),
            numSeeds * 3 / 4);
  EXPECT_EQ(countSeeds([](Memory &memory) {
              memory.store(0, data, 1);
              return memory.load(0, data) == 0;
            }),
            0u);
}

TEST(VisibleWrites, LanesOfAnInstructionReadAlike) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    Memory memory(seed);
    memory.store(0, data, 1);
    memory.store(0, data, 2);
    for (int i = 0; i < 50; ++i) {
      uint32_t first = memory.load(1, data);
      for (int lane = 1; lane < 32; ++lane)
        ASSERT_EQ(memory.loadOfLane(1, data), first);
    }
  }
}

TEST(VisibleWrites, AReleaseThatIsAcquiredHandsOnData) {
  auto release = [](Memory &memory) { memory.store(0, flag, 1, true); };
  auto acquire = [](Memory &memory) {
    return memory.waitFor(1, flag, 1, true);
  };
  auto store = [](Memory &memory) { memory.store(0, flag, 1); };
  auto load = [](Memory &memory) { return memory.waitFor(1, flag, 1); };
  EXPECT_EQ(seedsWithOldData(release, acquire), 0u);
  EXPECT_GT(seedsWithOldData(store, acquire), numSeeds / 2);
  EXPECT_GT(seedsWithOldData(release, load), numSeeds / 2);
  EXPECT_GT(seedsWithOldData(store, load), numSeeds / 2);
}

TEST(VisibleWrites, FencesHandOnData) {
  for (FenceKind kind : {FenceKind::AcquireRelease, FenceKind::Release,
                         FenceKind::Acquire, FenceKind::Sequential})
    for (FenceKind otherKind : {FenceKind::AcquireRelease, FenceKind::Release,
                                FenceKind::Acquire, FenceKind::Sequential}) {
      uint64_t old = seedsWithOldData(
          [&](Memory &memory) {
            memory.fence(0, kind);
            memory.store(0, flag, 1);
          },
          [&](Memory &memory) {
            bool isThere = memory.waitFor(1, flag, 1);
            memory.fence(1, otherKind);
            return isThere;
          });
      bool isOrdered =
          kind != FenceKind::Acquire && otherKind != FenceKind::Release;
      // Two fence.sc are ordered even without the flag.
      if (isOrdered)
        EXPECT_EQ(old, 0u) << int(kind) << int(otherKind);
      else
        EXPECT_GT(old, numSeeds / 2) << int(kind) << int(otherKind);
    }
  // A fence behind the flag is too late.
  EXPECT_GT(
      seedsWithOldData(
          [](Memory &memory) {
            memory.store(0, flag, 1);
            memory.fence(0, FenceKind::AcquireRelease);
          },
          [](Memory &memory) { return memory.waitFor(1, flag, 1, true); }),
      numSeeds / 2);
}

TEST(VisibleWrites, AtomicsGoOnWithAReleaseAndStoresEndIt) {
  auto pass = [](bool isAtomic) {
    return countSeeds([&](Memory &memory) {
      memory.store(0, data, 7);
      memory.store(0, flag, 1, true);
      if (isAtomic)
        EXPECT_EQ(memory.exchange(2, flag, 2), 1u);
      else
        memory.store(2, flag, 2);
      // Only what comes of 2: a reader of 1 has acquired.
      bool hasSeenFirst = false;
      for (uint32_t got = 0; got != 2;) {
        got = memory.load(1, flag, true);
        hasSeenFirst |= got == 1;
      }
      return !hasSeenFirst && memory.load(1, data) != 7;
    });
  };
  EXPECT_EQ(pass(true), 0u);
  EXPECT_GT(pass(false), numSeeds / 2);
}

TEST(VisibleWrites, AtomicsReadTheLastValue) {
  EXPECT_EQ(countSeeds([](Memory &memory) {
              memory.store(0, data, 5);
              bool isLast = memory.exchange(1, data, 6) == 5;
              // And are not undone for who made them.
              return !isLast || memory.load(1, data) != 6;
            }),
            0u);
  // What they have read is acquired, at once or by a fence.
  for (bool isAcquire : {true, false})
    EXPECT_EQ(countSeeds([&](Memory &memory) {
                memory.store(0, data, 7);
                memory.store(0, flag, 1, true);
                memory.exchange(1, flag, 2, isAcquire);
                if (!isAcquire)
                  memory.fence(1, FenceKind::Acquire);
                return memory.load(1, data) != 7;
              }),
              0u);
}

TEST(VisibleWrites, CausalityIsTransitive) {
  EXPECT_EQ(countSeeds([](Memory &memory) {
              memory.store(0, data, 7);
              memory.store(0, flag, 1, true);
              EXPECT_TRUE(memory.waitFor(1, flag, 1, true));
              memory.store(1, other, 1, true);
              EXPECT_TRUE(memory.waitFor(2, other, 1, true));
              return memory.load(2, data) != 7;
            }),
            0u);
}

TEST(VisibleWrites, SequentialFencesExcludeEachOther) {
  auto bothAreIn = [](FenceKind first, FenceKind second) {
    return countSeeds([&](Memory &memory) {
      memory.store(0, data, 1);
      memory.store(1, other, 1);
      memory.fence(0, first);
      memory.fence(1, second);
      return memory.load(0, other) == 0 && memory.load(1, data) == 0;
    });
  };
  EXPECT_EQ(bothAreIn(FenceKind::Sequential, FenceKind::Sequential), 0u);
  EXPECT_GT(bothAreIn(FenceKind::AcquireRelease, FenceKind::AcquireRelease),
            numSeeds / 2);
  EXPECT_GT(bothAreIn(FenceKind::Sequential, FenceKind::AcquireRelease), 0u);
}

TEST(VisibleWrites, WeakStoresAreSeenByAll) {
  EXPECT_EQ(countSeeds([](Memory &memory) {
              memory.store(0, data, 1);
              memory.store(0, data, 2);
              memory.storeWeakly(data, 3);
              return memory.load(1, data) != 3;
            }),
            0u);
}

namespace {

/// The newest write of each location, by its number in the order of coherence,
/// that comes before some point in causality order.
using Known = std::array<uint32_t, 3>;

void join(Known &known, const Known &more) {
  for (size_t i = 0; i < known.size(); ++i)
    known[i] = std::max(known[i], more[i]);
}

/// What the text of the ISA asks of reads.
struct Model {
  static constexpr int ctas = 4;
  struct Cta {
    Known now = {}, fenced = {}, observed = {};
  };
  std::array<Cta, ctas> cta;
  /// What a reader of each write acquires.
  std::array<std::vector<Known>, 3> released = {
      std::vector<Known>(1), std::vector<Known>(1), std::vector<Known>(1)};
  Known sequential = {};

  void observe(int who, int location, uint32_t number, bool isAcquire) {
    Cta &reader = cta[who];
    reader.now[location] = std::max(reader.now[location], number);
    join(isAcquire ? reader.now : reader.observed, released[location][number]);
  }
  void write(int who, int location, bool isAtomic, bool isRelease) {
    Cta &writer = cta[who];
    auto number = static_cast<uint32_t>(released[location].size());
    writer.now[location] = number;
    Known known = isRelease ? writer.now : writer.fenced;
    if (isAtomic)
      join(known, released[location].back());
    released[location].push_back(known);
  }
  void fence(int who, FenceKind kind) {
    Cta &c = cta[who];
    if (kind != FenceKind::Release)
      join(c.now, c.observed);
    if (kind == FenceKind::Sequential) {
      join(c.now, sequential);
      sequential = c.now;
    }
    if (kind != FenceKind::Acquire)
      c.fenced = c.now;
  }
};

} // namespace

TEST(VisibleWrites, RandomPrograms) {
  int64_t reads = 0, old = 0, bounded = 0;
  for (uint32_t program = 0; program < 400; ++program) {
    Memory memory(program);
    Model model;
    std::mt19937 random(program);
    for (int step = 0; step < 200; ++step) {
      int who = static_cast<int>(random() % Model::ctas);
      int location = static_cast<int>(random() % 3);
      uint64_t address = 64 * (location + 1);
      bool isAcquire = random() % 3 == 0, isRelease = random() % 3 == 0;
      auto newest = static_cast<uint32_t>(model.released[location].size() - 1);
      switch (random() % 8) {
      case 0:
        memory.store(who, address, newest + 1, isRelease);
        model.write(who, location, /*isAtomic=*/false, isRelease);
        break;
      case 1:
        ASSERT_EQ(
            memory.exchange(who, address, newest + 1, isAcquire, isRelease),
            newest);
        model.observe(who, location, newest, isAcquire);
        model.write(who, location, /*isAtomic=*/true, isRelease);
        break;
      case 2: {
        auto kind = static_cast<FenceKind>(random() % 4);
        memory.fence(who, kind);
        model.fence(who, kind);
        break;
      }
      default: {
        uint32_t least = model.cta[who].now[location];
        uint32_t got = memory.load(who, address, isAcquire);
        ASSERT_GE(got, least) << "program " << program << ", step " << step;
        ASSERT_LE(got, newest);
        ++reads;
        old += got < newest;
        bounded += got == least && least < newest;
        model.observe(who, location, got, isAcquire);
        break;
      }
      }
    }
  }
  // It is not the newest value that is read, nor always a newer one than must.
  EXPECT_GT(old, reads / 4);
  EXPECT_GT(bounded, reads / 20);
}
