//===- Warp.h - 32 lanes that run one program -------------------*- C++ -*-===//
//
// Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp is a set of splits: lanes that are at the same instruction and go on
// together. At first there is one. A branch that only some lanes of a split
// take makes two, which run independently, in an order that the seed decides,
// so that none can starve another (a lane may spin until another lane writes).
// Both carry the same meeting: the instruction where the branch's paths join
// (its nearest common post-dominator), and the lanes that were expected there
// when they parted. Who gets there waits, until all have come or have exited;
// then they go on as one split.
//
//   @p bra ELSE;     split {0-31} becomes {0-7} at ELSE and {8-31} here,
//   ...              meeting at JOIN, 32 lanes expected
//   bra JOIN;
//   ELSE: ...
//   JOIN: ...        {8-31} waits, {0-7} comes: {0-31} goes on
//
// Lanes that leave a loop meet in the same way: those that go on looping part
// again and again with the same meeting, so that its depth does not grow.
//
// Lanes may wait in a loop for what lanes at a meeting have yet to do. Where
// nothing else can go on (Waiting.h) the meeting ends for those who are there.
// From then on the warp is scattered: splits that stand at one instruction, in
// one frame and with one meeting, become one again, and those behind run first.
//
// A call is a frame with registers of its own, and a meeting at which the lanes
// of the call return.
//
//===----------------------------------------------------------------------===//

#ifndef QCC_LIB_EMULATOR_MACHINE_WARP_H
#define QCC_LIB_EMULATOR_MACHINE_WARP_H

#include "Check/Clocks.h"
#include "Machine/LeftOutLanes.h"
#include "Machine/LocalMemory.h"
#include "Machine/Waiting.h"
#include "PTX/Program.h"

#include <memory>
#include <vector>

namespace qcc::emu {

class Cta;
struct Access;
struct Launch;

/// "0-7,16": the lanes of a mask.
std::string laneText(uint32_t mask);

/// Lanes at the barrier of their cluster.
struct ClusterLanes {
  uint32_t arrived = 0; ///< In this phase.
  uint32_t ready = 0;   ///< Their phase has ended; they have yet to wait.
};

/// What a register is to products of warpgroups (WarpRegisters.cpp).
struct AsyncRegister {
  uint32_t accessed = 0; ///< Fences of the warp before its last access.
  uint32_t product = 0;  ///< The last product that uses it.
  bool isAccumulator = false;
  const Instruction *inst = nullptr; ///< The product's.
};

/// A call of a function by lanes of a warp.
struct Frame {
  const Function *function = nullptr;
  Frame *caller = nullptr;
  int depth = 0;
  /// Of each lane's local memory.
  int64_t localBegin = 0, localEnd = 0;
  std::unique_ptr<uint64_t[]> registers;
  /// By the place of a register: the lanes whose value is undefined. Empty
  /// where values are not followed.
  std::vector<uint32_t> undefined;
  /// Where these values come from: an index of the warp's origins.
  std::vector<uint16_t> origins;
  /// Whether there may be any such lane.
  bool hasUndefined = false;
  /// By place; empty if the function has no products of warpgroups.
  std::vector<AsyncRegister> asyncRegisters;

  uint8_t *bytes() const {
    return reinterpret_cast<uint8_t *>(registers.get());
  }
};

/// Where undefined values come from.
struct UndefinedOrigin {
  enum Kind : uint8_t { Register, Shuffle, Carry, Memory };
  Kind kind = Register;
  const Instruction *inst = nullptr; ///< Null for registers.
  /// Of memory: the report to make if the value matters.
  std::string message;
  StateSpace space = StateSpace::Generic;
  uint64_t address = 0;
};

/// Where lanes that parted go on together.
struct Meeting {
  uint32_t pc = noTarget; ///< Of a return: the instruction after the call.
  uint32_t expected = 0, arrived = 0;
  Meeting *outer = nullptr;
  Frame *frame = nullptr; ///< To go on in.
  /// Of a return: the frame that ends. Its lanes arrive by ret.
  Frame *callee = nullptr;
  int64_t spins = 0; ///< Of the warp, when the first lanes arrived.
  Idleness idleness; ///< Of those who have arrived.
};

struct Split {
  enum State : uint8_t {
    Ready,
    AtBarrier,  ///< For threads of other warps.
    AtWarpSync, ///< For lanes of this warp.
    AtWarpgroup ///< For other warps of its warpgroup.
  };

  uint32_t pc = 0; ///< To run next; the one after that which waits.
  uint32_t lanes = 0;
  Frame *frame = nullptr;
  Meeting *meeting = nullptr;
  State state = Ready;
  uint8_t barrier = 0;
  /// Of AtWarpSync: who executes the instruction, and who must come.
  uint32_t executing = 0, awaited = 0;
  ReportKind stuckKind = ReportKind::WarpDivergence;
  /// It executes the instruction at which it waited once more: the lanes that
  /// it waited for are gone, or will never come.
  bool isRetry = false, isForced = false;
  Idleness idleness;

  bool isIdle() const { return idleness.isIdle(); }
};

class Warp {
public:
  Warp(Cta &cta, int index);
  Warp(const Warp &) = delete;
  Warp &operator=(const Warp &) = delete;

  //===------------------------------------------------------------------===//
  // For the machine
  //===------------------------------------------------------------------===//

  /// Runs some ready split, for `budget` instructions at most.
  void run(int budget);
  bool isReady() const { return activity() != Activity::Blocked; }
  enum class Activity : uint8_t {
    Blocked, ///< At a barrier, or finished.
    Waits,   ///< All that can go on seem to wait for memory.
    Works
  };
  Activity activity() const;
  enum class Patience : uint8_t {
    Left,
    Lost, ///< It has waited for long.
    Never ///< It waits, and will forever if nobody else changes memory.
  };
  /// Of a warp that waits.
  Patience patience() const;
  bool isFinished() const { return splits_.empty() && meetings_.empty(); }
  /// Wakes what waits at a barrier, handing over the result of bar.red.
  void leaveBarrier(int barrier, uint32_t reduction);
  /// Where lanes wait for others of the warp that will never come, makes a
  /// report and lets them go on. False if there are none.
  bool releaseStuck();
  /// Lets lanes go on that wait at meetings. False if there are none.
  bool releaseMeetings();
  /// A barrier at which it waits is complete, and nothing has changed since the
  /// one before.
  void noteBarrenBarrier(int barrier);
  /// Stops everything.
  void kill();

  //===------------------------------------------------------------------===//
  // Operands, for executors
  //===------------------------------------------------------------------===//

  /// The 32 lanes of a register or constant whose lanes have type T.
  template <typename T> const T *in(const Operand &operand) const {
    const uint8_t *base =
        operand.kind == OperandKind::Constant ? constants_ : registers_;
    return reinterpret_cast<const T *>(base + operand.slot);
  }
  template <typename T> T *out(const Operand &operand) {
    return reinterpret_cast<T *>(registers_ + operand.slot);
  }
  /// A predicate, as one bit for each lane.
  uint32_t predicate(const Operand &operand) const {
    uint32_t bits = *in<uint32_t>(operand);
    return operand.negated ? ~bits : bits;
  }
  /// Writes the lanes of `mask`. A sink takes nothing.
  void setPredicate(const Operand &operand, uint32_t mask, uint32_t bits) {
    if (!operand.isPresent())
      return;
    uint32_t *out = this->out<uint32_t>(operand);
    *out = (*out & ~mask) | (bits & mask);
  }
  /// A lane of a register or constant of any width, extended with zeros.
  uint64_t lane(const Operand &operand, int lane) const;
  /// Writes a lane; a narrower register takes the low bits.
  void setLane(const Operand &operand, int lane, uint64_t value);
  /// Base plus displacement, of a lane.
  uint64_t address(const Operand &operand, int lane) const;

  /// The base of the generic addresses of a space, for a lane.
  uint64_t window(StateSpace space, int lane) const;

  /// The lanes for which the value of an operand is undefined.
  uint32_t undefinedLanes(const Operand &operand) const;
  /// Of the result of a shuffle: what it has taken from lanes whose values are
  /// undefined, and what it has made up.
  void shuffleUndefined(const Instruction &inst, uint32_t mask,
                        uint32_t undefined, uint32_t madeUp);
  /// A load has read bytes that nothing has written (Access::unwritten).
  void noteUnwritten(const Instruction &inst, const Access &access);
  /// Of ldmatrix: the rows that have such bytes.
  void noteUnwrittenRows(const Instruction &inst, const Access &access);
  /// Of a store that has been carried out: the lanes that leave their memory
  /// unwritten, as `source` is undefined. Others whose value is are reported.
  uint32_t undefinedStore(const Instruction &inst, const Operand &source,
                          const Access &access);
  /// The state space of a lane's address, and the address within it.
  std::pair<StateSpace, uint64_t> resolve(const Access &access, int lane) const;

  //===------------------------------------------------------------------===//
  // Control, for executors
  //===------------------------------------------------------------------===//

  uint32_t active() const { return active_; }
  void branch(const Instruction &inst, uint32_t taken, uint32_t target);
  /// Each lane to a target of its own.
  void branchIndexed(const Instruction &inst, uint32_t mask,
                     const uint32_t *targets);
  void call(const Instruction &inst, uint32_t mask);
  void returnFrom(uint32_t mask);
  void exitLanes(uint32_t mask);
  void trap(const Instruction &inst, uint32_t mask, const char *message);
  /// Lanes execute griddepcontrol.wait.
  void waitForKernels(uint32_t mask) { haveWaited_ |= mask; }
  bool hasWaited(int lane) const { return haveWaited_ >> lane & 1; }
  /// Ends the time slice.
  void yield() { stopped_ = true; }
  /// The lanes of `mask`, which have come to an instruction together.
  void waitAtBarrier(int barrier, uint32_t mask);

  /// Lets lanes with different values execute the instruction one value after
  /// the other, and meet behind it.
  void partByValue(uint32_t mask, const uint32_t *values);
  /// Brings those lanes of `required` that have not exited to a warp-wide
  /// instruction that `mask` executes. Returns the lanes to execute it for, or
  /// 0: they wait. With `anywhere`, other instructions of the same kind will
  /// do.
  uint32_t gather(const Instruction &inst, uint32_t mask, uint32_t required,
                  bool anywhere);
  /// The same for .aligned instructions, which all lanes of the warp that have
  /// not exited execute together. Where they do not, a report of `kind`, and
  /// those who are here go on.
  uint32_t gatherAligned(const Instruction &inst, uint32_t mask,
                         ReportKind kind);
  /// A strong read, or an atomic operation that has changed nothing: lanes may
  /// spin on it. `seen` is a hash of the values; `isLatest`: no other value can
  /// be read the next time if nobody writes.
  void noteRead(const Access &access, uint64_t seen, bool isLatest);
  /// Lanes have waited for an mbarrier in vain. After try_wait they get few
  /// turns until its phase ends.
  void noteMBarrierWait(const Instruction &inst, uint64_t offset,
                        uint32_t lanes);
  /// Lanes have waited with success.
  void endMBarrierWaits(uint32_t lanes);
  /// A phase has ended.
  void wakeFromMBarrier(uint64_t offset);
  /// The split that runs executes the instruction once more, when others have
  /// had their turns.
  void tryAgain(const Instruction &inst, uint32_t mask);
  /// Something may have ended the waits of all splits.
  void wake();
  /// A change of memory or of a barrier.
  void noteChange() {
    idleness_.stop();
    ++progress_.changes;
  }
  /// A change that only the warp sees, or a value that does not follow from
  /// registers and memory.
  void noteOwnChange() { proof_.forget(); }
  /// Whether it is worth to find out that a store changes nothing.
  bool mayBeIdle() const { return idleness_.repeats > 0; }

  //===------------------------------------------------------------------===//
  // Products of warpgroups
  //===------------------------------------------------------------------===//

  /// wgmma.fence
  void fenceRegisters();
  /// An instruction touches registers of products.
  void watchRegisters(const Instruction &inst);
  /// A product takes its registers of a frame ...
  void takeRegisters(const Instruction &inst, Frame &frame, uint32_t product);
  /// ... and the warp has waited for all products up to one.
  void returnRegisters(uint32_t product);
  /// The split that runs waits for other warps of the warpgroup.
  void waitInWarpgroup();
  void leaveWarpgroup();
  /// Of the lanes that execute an instruction of the warpgroup.
  Frame *frameOfWarpgroup();

  //===------------------------------------------------------------------===//
  // Who it is
  //===------------------------------------------------------------------===//

  Cta &cta() { return cta_; }
  int index() const { return index_; }
  /// Lanes that have a thread, and those of them that are gone.
  uint32_t lanes() const { return lanes_; }
  uint32_t exited() const { return exited_; }
  const Frame &frame() const { return *frame_; }
  WarpClock &clock() { return clock_; }
  const WarpClock &clock() const { return clock_; }
  LocalMemory &local() { return local_; }
  int64_t executed() const { return executed_; }
  /// The carry of each lane, from add.cc and similar instructions, and the
  /// lanes that have one.
  uint32_t carry = 0, hasCarry = 0;
  ClusterLanes clusterLanes;
  /// After an instruction that reads the carry: makes its result undefined in
  /// lanes without a carry.
  void followCarry(const Instruction &inst, uint32_t mask);

  /// A report with its place and thread; null if it was made before. A negative
  /// lane: the warp as a whole.
  Report *report(ReportKind kind, const Instruction &inst, int lane,
                 int64_t count = 1);
  /// An instruction at which it waits, or is; null once it has finished.
  const Instruction *place() const;
  /// What its splits are doing, for deadlocks.
  std::string describeState() const;

private:
  void followValues(const Instruction &inst, uint32_t mask);
  void reportUndefined(const Instruction &inst, uint32_t lanes,
                       uint16_t origin);
  uint16_t originOf(UndefinedOrigin origin);
  uint16_t originOf(const Instruction &inst, const Access &access);
  void markUndefined(const Operand &operand, uint32_t lanes, uint16_t origin);
  uint16_t originOfAny(const Instruction &inst, uint32_t mask) const;
  void followMatrix(const Instruction &inst);
  uint32_t undefinedFactors(const Instruction &inst) const;
  void enter(size_t split);
  /// Puts the state of the running split back.
  void leave();
  void endSplit();
  void retryWaits();
  void reportLeftOut(const Instruction &inst, uint32_t lanes, uint32_t gone);
  void addSplit(uint32_t pc, uint32_t lanes, Frame *frame, Meeting *meeting,
                Idleness idleness = {});
  /// Goes on from the meeting if all are there.
  void arriveAt(Meeting *meeting, uint32_t lanes);
  void completeMeetings();
  void losePatience();
  void releaseMeeting(Meeting &meeting);
  size_t chooseSplit();
  bool mergeHere();
  bool canMerge(const Split &split) const;
  WaitProof::State stateForProof() const;
  uint32_t gatherHere(const Instruction &inst, uint32_t mask, uint32_t required,
                      bool anywhere, ReportKind stuckKind);
  Meeting *makeMeeting(uint32_t pc, uint32_t expected);
  Frame *makeFrame(const Function &function, Frame *caller, uint32_t lanes);
  void fillSpecials(Frame &frame);

  Cta &cta_;
  const Launch &launch_;
  int index_;
  uint32_t lanes_ = 0, exited_ = 0;
  int64_t executed_ = 0;
  int64_t spins_ = 0;
  bool isScattered_ = false;
  uint32_t haveWaited_ = 0; ///< Lanes that executed griddepcontrol.wait.
  LeftOutLanes leftOut_;
  /// Fences of registers, and products that were waited for.
  uint32_t registerTime_ = 0, doneProduct_ = 0;
  /// Lanes whose last wait for an mbarrier was in vain.
  struct MBarrierWait {
    uint32_t lanes;
    uint64_t offset;
  };
  std::vector<MBarrierWait> mbarrierWaits_;
  Progress &progress_;
  std::vector<UndefinedOrigin> origins_ = {UndefinedOrigin()};
  SeenReads seen_;
  WaitProof proof_;

  std::vector<Split> splits_;
  std::vector<std::unique_ptr<Meeting>> meetings_;
  std::vector<std::unique_ptr<Frame>> frames_;
  WarpClock clock_;
  LocalMemory local_;

  // The split that runs.
  size_t current_ = 0;
  bool isRunning_ = false, stopped_ = false;
  uint32_t pc_ = 0, active_ = 0, meetingPc_ = noTarget;
  Frame *frame_ = nullptr;
  Meeting *meeting_ = nullptr;
  Idleness idleness_;
  uint8_t *registers_ = nullptr;
  const uint8_t *constants_ = nullptr;
};

} // namespace qcc::emu

#endif // QCC_LIB_EMULATOR_MACHINE_WARP_H
