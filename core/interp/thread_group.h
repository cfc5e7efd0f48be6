// SPDX-License-Identifier: Apache-2.0
/// The threads of one block of a device, run in step: each statement by all of them before the next, where
/// they meet at barriers or exchange values; all else by one after the other.
#pragma once

#include "core/interp/stmt_code.h"

#include <array>

namespace nestwright::interp {

/// Threads x, y and z, as "threadIdx.x" … name them.
inline constexpr std::size_t threadAxes = 3;

class ThreadGroup {
public:
    /// Each thread begins with the variables and memories of `outer`.
    ThreadGroup(const Frame &outer, const std::array<std::int64_t, threadAxes> &extents);
    /// Gives the steps and the memory of the threads back.
    ~ThreadGroup();
    ThreadGroup(const ThreadGroup &) = delete;
    ThreadGroup &operator=(const ThreadGroup &) = delete;

    std::size_t size() const { return m_frames.size(); }
    Frame &frame(std::size_t thread) { return m_frames[thread]; }
    /// "threadIdx" of the thread along an axis; x varies fastest.
    std::int64_t index(std::size_t thread, std::size_t axis) const;
    /// "thread 5", or "thread (1, 2, 0)" where there are several axes.
    std::string name(std::size_t thread) const;

    ActiveThreads active; ///< those that run the present statement
    bool isActive(std::size_t thread) const;

private:
    std::array<std::int64_t, threadAxes> m_extents;
    std::vector<Frame> m_frames;
};

/// A launch of blocks of threads: all that came before is done.
class LaunchCode final : public StmtCode {
public:
    StmtPtr body;
    void run(Frame &frame) const override;
};

/// The outermost loop over the threads of a block, with all loops over them in it.
class ThreadsCode final : public StmtCode {
public:
    /// The extents of the loops over each axis; the largest counts, one where there is none.
    std::array<std::vector<Index>, threadAxes> extents;
    StmtPtr body;
    CodePlace place;
    void run(Frame &frame) const override;
};

/// A loop over an axis of the threads: each thread runs the iteration that has its number, if there is one.
class ThreadAxisCode final : public StmtCode {
public:
    std::size_t axis = 0, slot = 0;
    Index min, extent;
    StmtPtr body;
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;

private:
    bool enter(Frame &frame) const;
};

/// T.tvm_storage_sync: no thread goes on before all have come, those of a warp or of the whole group.
class BarrierCode final : public StmtCode {
public:
    bool ofWarp = false;
    CodePlace place;
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;
};

} // namespace nestwright::interp
