// SPDX-License-Identifier: Apache-2.0
/// Code of statements.
#pragma once

#include "core/interp/expr_compiler.h"
#include "core/interp/frame.h"

namespace nestwright::interp {

/// Allocates memory, filled so that reads before writes show.
struct Allocation {
    std::size_t memory = 0;
    std::vector<Index> extents; ///< elements
    ir::DataType dtype;
    std::string name;
    CodePlace place;
    bool isShared = false; ///< by the threads of a group

    void run(Frame &frame, const MemorySetups &setups) const;
    /// One memory for all threads where it is shared, one for each else.
    void runInStep(ThreadGroup &group, ActiveThreads active, const MemorySetups &setups) const;
};

class SeqCode final : public StmtCode {
public:
    std::vector<StmtPtr> stmts;
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;
};

/// T.break_loop and T.continue_loop.
class JumpCode final : public StmtCode {
public:
    Jump jump = Jump::Loop;
    void run(Frame &frame) const override;
};

class ForCode final : public StmtCode {
public:
    std::size_t slot = 0;
    Index min, extent;
    StmtPtr body;
    std::uint32_t site = 0;       ///< number among TraceSites::loops
    bool isOfBlocks = false;      ///< each iteration is another block of threads
    bool isParallel = false;      ///< iterations may run at the same time
    std::string name;             ///< of the variable
    std::vector<std::size_t> own; ///< memories that each iteration has for itself once lowered
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;
};

class WhileCode final : public StmtCode {
public:
    IntPtr condition;
    StmtPtr body;
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;
};

class IfCode final : public StmtCode {
public:
    IntPtr condition;
    StmtPtr thenCase, elseCase; ///< elseCase may be null
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;
};

class LetCode final : public StmtCode {
public:
    std::size_t slot = 0;
    int lanes = 1;
    ValueCode value;
    StmtPtr body;
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;

private:
    void bind(Frame &frame) const;
};

class EvaluateCode final : public StmtCode {
public:
    ValueCode value;
    void run(Frame &frame) const override;
};

class AssertCode final : public StmtCode {
public:
    IntPtr condition;
    std::string message;
    CodePlace place;
    StmtPtr body;
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;

private:
    void check(Frame &frame) const;
};

class AllocateCode final : public StmtCode {
public:
    Allocation allocation;
    const MemorySetups *setups = nullptr;
    StmtPtr body;
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;
};

class DeclareCode final : public StmtCode {
public:
    ViewSetup setup;
    StmtPtr body;
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;
};

/// A view of a part of another buffer; variables among its strides and offset get their values here.
struct Match {
    std::size_t source = 0, view = 0; ///< views
    std::vector<Index> mins;          ///< of the part, one per dimension of the source
    std::vector<Index> extents;       ///< of the part
    std::vector<std::pair<std::size_t, std::size_t>>
        shapeSlots; ///< slot, dimension of the source whose extent it gets
    std::vector<std::pair<std::size_t, std::size_t>>
        strideSlots; ///< slot, dimension of the source whose stride it gets
    std::vector<std::size_t> offsetSlots;
    std::vector<Index> shape; ///< of the view

    void run(Frame &frame) const;
};

class BlockCode final : public StmtCode {
public:
    struct Iter {
        std::size_t slot = 0;
        Index value, min, extent;
        bool isReduce = false;
        bool staysInside = false; ///< the value is known to be in the domain
        std::string name;
    };
    CodePlace place;
    IntPtr predicate; ///< null when always true
    std::vector<Iter> iters;
    std::vector<Allocation> allocations;
    std::vector<Match> matches;
    const MemorySetups *setups = nullptr;
    StmtPtr init; ///< null when there is none
    StmtPtr body;
    void run(Frame &frame) const override;

protected:
    void runInStep(ThreadGroup &group, ActiveThreads active) const override;

private:
    void checkDomain(Frame &frame, const Iter &iter, std::int64_t value) const;
    /// Gives the iteration variables their values. Whether the block runs here, and whether its init does.
    struct Entered {
        bool runs = false, isFirst = false;
    };
    Entered enter(Frame &frame) const;
};

} // namespace nestwright::interp
