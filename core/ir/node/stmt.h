// SPDX-License-Identifier: Apache-2.0
/// Statements: loops, blocks and the statements in them.
#pragma once

#include "core/ir/node/attr.h"
#include "core/ir/node/buffer.h"
#include "core/support/stmt_id.h"

namespace nestwright::ir {

using support::IdCounter;
using support::StmtId;

enum class StmtKind : std::uint8_t {
    For,
    Block,
    BufferStore,
    Seq,
    IfThenElse,
    Evaluate,
    LetStmt,
    AttrStmt,
    Allocate,
    DeclBuffer,
    While,
    AssertStmt,
};

struct StmtNode {
    StmtKind kind;
};

/// A shared, immutable statement; copying is cheap, a default-made one is null.
class Stmt {
public:
    Stmt() = default;
    explicit Stmt(std::shared_ptr<const StmtNode> node) : m_node(std::move(node)) {}

    explicit operator bool() const { return m_node != nullptr; }
    const StmtNode *get() const { return m_node.get(); }
    StmtKind kind() const { return m_node->kind; }
    template <class T> const T *as() const
    {
        return m_node && m_node->kind == T::nodeKind ? static_cast<const T *>(m_node.get()) : nullptr;
    }
    bool same(const Stmt &other) const { return m_node == other.m_node; }

private:
    std::shared_ptr<const StmtNode> m_node;
};

template <StmtKind K> struct StmtNodeOf : StmtNode {
    static constexpr StmtKind nodeKind = K;
    StmtNodeOf() : StmtNode{K} {}
};

/// The step that made a loop or block, the part of the step's result that it is, and its source.
struct Origin {
    std::string step; ///< primitive name; empty for loops and blocks of the program as it came
    std::string part; ///< "outer", "inner", "init", "cache", …
    StmtId parent;
};

enum class ForKind : std::uint8_t { Serial, Parallel, Vectorized, Unrolled, ThreadBinding };

struct For : StmtNodeOf<StmtKind::For> {
    StmtId id;
    Origin origin;
    Expr min, extent;
    Var var;
    ForKind forKind = ForKind::Serial;
    std::string thread; ///< thread axis ("threadIdx.x") when forKind is ThreadBinding, else empty
    Attrs annotations;
    Stmt body;
    static constexpr auto fields()
    {
        return std::tuple{hint(&For::id), hint(&For::origin), &For::min,         &For::extent, def(&For::var),
                          &For::forKind,  &For::thread,       &For::annotations, &For::body};
    }
};

/// Spatial: data-parallel. Reduce: commutative reduction. Opaque: neither promised.
enum class IterKind : std::uint8_t { Spatial, Reduce, Opaque, Scan };

struct IterVar {
    Range domain;
    Var var;
    IterKind kind = IterKind::Spatial;
    static constexpr auto fields()
    {
        return std::tuple{&IterVar::domain, def(&IterVar::var), &IterVar::kind};
    }
};

/// A block together with its realisation: the values its iteration variables take here, and the predicate.
/// `iterValues` are in terms of the loops outside; everything below them is in terms of the iteration
/// variables.
struct Block : StmtNodeOf<StmtKind::Block> {
    StmtId id;
    Origin origin;
    std::vector<Expr> iterValues; ///< one per iterVar
    Expr predicate;               ///< boolean; constant true when there is none
    std::string name;
    std::vector<IterVar> iterVars;
    std::vector<BufferRegion> reads, writes;
    std::vector<Buffer> allocBuffers;
    std::vector<MatchBuffer> matchBuffers;
    Attrs annotations;
    Stmt init; ///< null when there is none
    Stmt body;
    static constexpr auto fields()
    {
        return std::tuple{
            hint(&Block::id),   hint(&Block::origin), &Block::iterValues,        &Block::predicate,
            hint(&Block::name), &Block::iterVars,     def(&Block::allocBuffers), &Block::reads,
            &Block::writes,     &Block::matchBuffers, &Block::annotations,       &Block::init,
            &Block::body};
    }
};

struct BufferStore : StmtNodeOf<StmtKind::BufferStore> {
    Buffer buffer;
    Expr value;
    std::vector<Expr> indices;
    Expr predicate; ///< lane mask, or null
    static constexpr auto fields()
    {
        return std::tuple{&BufferStore::buffer, &BufferStore::value, &BufferStore::indices,
                          &BufferStore::predicate};
    }
};

/// Two or more statements; never nested (use `seq()` of builder.h).
struct Seq : StmtNodeOf<StmtKind::Seq> {
    std::vector<Stmt> stmts;
    static constexpr auto fields() { return std::tuple{&Seq::stmts}; }
};

struct IfThenElse : StmtNodeOf<StmtKind::IfThenElse> {
    Expr condition;
    Stmt thenCase;
    Stmt elseCase; ///< null when there is none
    static constexpr auto fields()
    {
        return std::tuple{&IfThenElse::condition, &IfThenElse::thenCase, &IfThenElse::elseCase};
    }
};

struct Evaluate : StmtNodeOf<StmtKind::Evaluate> {
    Expr value;
    static constexpr auto fields() { return std::tuple{&Evaluate::value}; }
};

struct LetStmt : StmtNodeOf<StmtKind::LetStmt> {
    Expr value;
    Var var;
    Stmt body;
    static constexpr auto fields() { return std::tuple{&LetStmt::value, def(&LetStmt::var), &LetStmt::body}; }
};

/// An attribute `key` of `node` that holds for `body` (T.attr, launch_thread).
struct AttrStmt : StmtNodeOf<StmtKind::AttrStmt> {
    Expr node;
    std::string key;
    Expr value;
    Stmt body;
    static constexpr auto fields()
    {
        return std::tuple{&AttrStmt::node, &AttrStmt::key, &AttrStmt::value, &AttrStmt::body};
    }
};

/// Memory for `body`: the lowered form of allocBuffers.
struct Allocate : StmtNodeOf<StmtKind::Allocate> {
    std::vector<Expr> extents; ///< elements
    DataType dtype;
    std::string scope = "global";
    Var data;                 ///< the handle
    std::vector<Expr> values; ///< constants that the memory holds, row by row (T.allocate_const); else empty
    Attrs annotations;
    Stmt body;
    static constexpr auto fields()
    {
        return std::tuple{&Allocate::extents, &Allocate::dtype,       &Allocate::scope, def(&Allocate::data),
                          &Allocate::values,  &Allocate::annotations, &Allocate::body};
    }
};

/// Gives `body` a view of memory that exists already (`buffer->data` is in scope).
struct DeclBuffer : StmtNodeOf<StmtKind::DeclBuffer> {
    Buffer buffer;
    Stmt body;
    static constexpr auto fields() { return std::tuple{def(&DeclBuffer::buffer), &DeclBuffer::body}; }
};

struct While : StmtNodeOf<StmtKind::While> {
    Expr condition;
    Stmt body;
    static constexpr auto fields() { return std::tuple{&While::condition, &While::body}; }
};

struct AssertStmt : StmtNodeOf<StmtKind::AssertStmt> {
    Expr condition;
    std::string message;
    Stmt body;
    static constexpr auto fields()
    {
        return std::tuple{&AssertStmt::condition, &AssertStmt::message, &AssertStmt::body};
    }
};

} // namespace nestwright::ir
