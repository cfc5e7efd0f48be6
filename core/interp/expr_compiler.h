// SPDX-License-Identifier: Apache-2.0
/// Compilation of expressions to code: variables become slots, buffers become views.
#pragma once

#include "core/interp/access.h"
#include "core/interp/access_tracer.h"
#include "core/interp/frame.h"
#include "core/ir/node/buffer.h"

#include <optional>
#include <set>

namespace nestwright::interp {

/// How a buffer is laid over a memory; done anew wherever the memory or the variables in the shape change.
struct ViewSetup {
    std::size_t view = 0;
    std::size_t memory = 0;
    std::int64_t elementBytes = 0; ///< all lanes of one element
    std::vector<Index> shape;
    std::vector<Index> strides; ///< empty: compact
    Index offset;

    void run(Frame &frame) const;
};

/// The setups that follow when a memory comes into being, by the memory's number.
using MemorySetups = std::vector<std::vector<ViewSetup>>;

/// Compiles expressions and keeps facts about variables and buffers. Throws UserError with the codes
/// "interp.undefined" and "interp.unsupported".
class ExprCompiler {
public:
    struct Variable {
        std::size_t slot;
        int lanes;
    };

    ValueCode compile(const ir::Expr &e);
    IntPtr compileInt(const ir::Expr &e);
    Index compileIndex(const ir::Expr &e);
    AccessTarget compileTarget(const ir::Buffer &buffer, const std::vector<ir::Expr> &indices, bool isWrite);
    /// The number of a loop among `sites().loops`.
    std::uint32_t addLoop(support::StmtId loop, const ir::Var &variable);

    /// The slots of a variable that is being defined (the same ones if it was defined before).
    std::size_t define(const ir::Var &var);
    bool isDefined(const ir::Var &var) const { return m_variables.contains(var); }

    /// A memory that `pointer` points to.
    std::size_t defineMemory(const ir::Var &pointer);
    void aliasMemory(const ir::Var &pointer, std::size_t memory)
    {
        m_memories.insert_or_assign(pointer, memory);
    }
    std::optional<std::size_t> knownMemory(const ir::Var &pointer) const;
    /// Accesses to the memory that are compiled from now on are watched for races between iterations.
    void watch(std::size_t memory) { m_watched.insert(memory); }
    std::size_t defineView(const ir::Buffer &buffer);
    /// The view of a buffer; one that nobody declared is laid over the memory of its pointer.
    std::size_t viewOf(const ir::Buffer &buffer);
    std::size_t memoryOf(const ir::Buffer &buffer);
    ViewSetup viewSetup(const ir::Buffer &buffer, std::size_t view, std::size_t memory);

    /// The type of a value of `dtype` in memory.
    ir::DataType elementsOf(ir::DataType dtype) const
    {
        return field && dtype.isFloating() ? ir::DataType::float_(64, dtype.lanes) : dtype;
    }

    const Field *field = nullptr; ///< as in Limits
    CodePlace place;              ///< of the code being compiled
    bool meets = false;           ///< set where threads meet in a call that was compiled

    std::size_t slotCount() const { return m_slotCount; }
    std::size_t viewCount() const { return m_viewCount; }
    MemorySetups &setups() { return m_setups; }
    TraceSites &sites() { return m_sites; }

private:
    std::optional<Index> affine(const ir::Expr &e) const;
    ValueCode compileVar(const ir::Var &var);
    ValueCode compileBinary(const ir::Expr &e);
    ValueCode compileLet(const ir::Let &node);
    ValueCode compileCast(const ir::Cast &node);
    ValueCode compileRamp(const ir::Ramp &node);
    ValueCode compileBroadcast(const ir::Broadcast &node);
    ValueCode compileCall(const ir::Call &node);
    /// `both`: the arm that is not chosen is evaluated too, so that a Select that guards an access shows.
    ValueCode compileChoice(const ir::Expr &condition, const ir::Expr &yes, const ir::Expr &no, bool both);

    ir::VarMap<Variable> m_variables;
    ir::VarMap<std::size_t> m_memories;
    ir::BufferMap<std::size_t> m_views;
    std::set<std::size_t> m_watched; ///< memories
    MemorySetups m_setups;
    TraceSites m_sites;
    std::size_t m_slotCount = 0;
    std::size_t m_viewCount = 0;
};

} // namespace nestwright::interp
