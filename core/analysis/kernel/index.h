// SPDX-License-Identifier: Apache-2.0
/// Derived facts of one function: where each loop and block stands, and how the blocks of a scope depend on
/// each other.
#pragma once

#include "core/ir/node/function.h"
#include "core/support/errors/result.h"

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nestwright::analysis {

using ir::StmtId;

/// The kind of a dependence: the later block reads the elements written (RAW), overwrites the elements
/// written (WAW), or overwrites the elements read (WAR).
enum class DependenceKind : std::uint8_t { Raw, Waw, War };

/// `to` must run after `from` because of `buffer`.
struct Dependence {
    StmtId from, to;
    DependenceKind kind = DependenceKind::Raw;
    ir::Buffer buffer;
};

/// The blocks that stand directly in a scope (not within another block of it), in program order.
struct Scope {
    StmtId root; ///< the block whose scope it is
    std::vector<StmtId> blocks;
    ir::BufferMap<std::vector<StmtId>> writers, readers; ///< by the regions that the blocks declare
    std::vector<Dependence> dependences; ///< between different blocks, sorted by `to` in program order
};

/// Immutable once made, so that it can be shared between threads. Loops and blocks must have ids (State gives
/// them). Functions that take an id of another function throw support::InternalError unless said otherwise.
class FunctionIndex {
public:
    explicit FunctionIndex(ir::Function function);

    const ir::Function &function() const { return m_function; }
    /// The root block's id; none after lowering.
    StmtId root() const { return m_root; }
    /// All loops and blocks in pre-order.
    const std::vector<StmtId> &all() const { return m_all; }

    bool contains(StmtId id) const { return m_entries.contains(id); }
    /// The For or Block; null where there is none of that id.
    ir::Stmt find(StmtId id) const;
    /// Null where `id` is none, or is the other kind.
    const ir::For *loop(StmtId id) const { return find(id).as<ir::For>(); }
    const ir::Block *block(StmtId id) const { return find(id).as<ir::Block>(); }

    /// The body of a loop or block.
    const ir::Stmt &bodyOf(StmtId id) const;

    /// The nearest enclosing loop or block; none for the outermost.
    StmtId parent(StmtId id) const;
    /// Enclosing loops and blocks, innermost first.
    std::vector<StmtId> ancestors(StmtId id) const;
    /// Loops and blocks whose parent is `id`, in program order. The init of a block comes first.
    const std::vector<StmtId> &children(StmtId id) const;
    /// Whether `outer` is `inner` or encloses it.
    bool encloses(StmtId outer, StmtId inner) const;
    /// The innermost loop or block that encloses both (or is one of them); none where there is none.
    StmtId lowestCommonAncestor(StmtId a, StmtId b) const;

    /// The loops between a block (or loop) and its scope's root, outermost first.
    std::vector<StmtId> loopsOf(StmtId id) const;
    /// The block whose scope `id` is in: the nearest enclosing block; none for the root block.
    StmtId scopeRoot(StmtId id) const;
    /// The blocks below a loop, or in a block's scope, that are not within another block below it; in program
    /// order. Blocks in the init of a block are outside its scope.
    std::vector<StmtId> childBlocks(StmtId id) const;
    /// The block of that name. Codes "analysis.unknown-block" (the hint lists near names),
    /// "analysis.ambiguous-block".
    support::Result<StmtId> blockByName(std::string_view name) const;

    /// The scope of a block; throws InternalError for anything else.
    const Scope &scope(StmtId block) const;
    /// The blocks of the block's scope that it must wait for because of values (RAW, WAW), and those that
    /// wait for it; in the order of the dependences, each once.
    std::vector<StmtId> producers(StmtId block) const;
    std::vector<StmtId> consumers(StmtId block) const;
    /// Blocks of the scope of `root` that write a buffer which lives on outside that scope.
    std::vector<StmtId> outputBlocks(StmtId root) const;

private:
    struct Entry {
        ir::Stmt stmt;
        StmtId parent;
        std::vector<StmtId> children;
        bool isInInit = false; ///< directly in the init of the block `parent`
    };
    class Builder;

    const Entry &entry(StmtId id) const;

    ir::Function m_function;
    StmtId m_root;
    std::vector<StmtId> m_all;
    std::unordered_map<StmtId, Entry> m_entries;
    std::unordered_map<StmtId, Scope> m_scopes;
};

} // namespace nestwright::analysis
