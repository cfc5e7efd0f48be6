// SPDX-License-Identifier: Apache-2.0
/// Memory and variables of a function whose values may carry rounding errors.
#pragma once

#include "core/ir/build/walk.h"

namespace nestwright::measure {

/// Thrown where a program has no bounds on its errors.
struct NoBounds {};

/// Floating-point memory that is written, and integers that are computed from floating-point numbers.
class InexactMemory : private ir::Visitor {
public:
    /// Throws NoBounds where buffers of several types are written in one memory.
    explicit InexactMemory(const ir::PrimFunc &function);

    bool hasErrors(const ir::Buffer &b) const;
    /// Whether a floating-point number takes part in the value.
    bool comesFromFloats(const ir::Expr &value) const;

private:
    void stmt(const ir::Stmt &s) override;
    void noteStore(const ir::BufferStore &store);
    void noteBlock(const ir::Block &block);
    void write(const ir::Buffer &b);

    ir::VarMap<ir::DataType> m_written;
    ir::VarSet m_inexact; ///< integers: the pointers of buffers, and variables
};

} // namespace nestwright::measure
