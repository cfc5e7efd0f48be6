// SPDX-License-Identifier: Apache-2.0
/// From a function to the code that runs it.
#pragma once

#include "core/interp/stmt_code.h"
#include "core/ir/node/function.h"

namespace nestwright::interp {

/// A function ready to run; made once, run often.
struct Program {
    /// A symbolic size, found as the extent of a dimension of an argument.
    struct Symbol {
        std::size_t slot;
        std::size_t argument, dimension;
    };
    struct Argument {
        ir::Buffer buffer;
        ir::DataType elements; ///< in memory
        std::size_t memory;
        ViewSetup setup;
        std::vector<std::size_t>
            strideSlots; ///< of stride variables, by dimension; npos where it is no variable
        std::vector<std::size_t> offsetSlots;
    };
    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

    std::vector<Symbol> symbols;
    std::vector<Argument> arguments;
    std::vector<std::size_t> scalarSlots;
    std::vector<ir::Var> scalars;
    std::unique_ptr<MemorySetups> setups; ///< at a fixed place: statements refer to it
    std::size_t slotCount = 0, viewCount = 0;
    TraceSites sites;
    StmtPtr body;
};

/// Compiles a function. With `limits.findRaces`, threads run as threads even where they do not meet, and
/// accesses of parallel loops are watched; with `limits.field`, expressions compute in the field. Throws
/// UserError with the codes of ExprCompiler.
Program compileProgram(const ir::PrimFunc &function, const Limits &limits);

} // namespace nestwright::interp
