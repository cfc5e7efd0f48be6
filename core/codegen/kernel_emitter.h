// SPDX-License-Identifier: Apache-2.0
/// Functions that a device runs, as text of the C family. Differences between OpenCL C and CUDA are virtual
/// functions.
#pragma once

#include "core/analysis/device/shared_layout.h"
#include "core/codegen/c_family.h"
#include "core/ir/threads.h"

#include <array>
#include <limits>

namespace nestwright::codegen {

/// A kernel as text, and how its host must call it.
struct Kernel {
    CodeWriter text;
    std::array<std::int64_t, ir::threadDimensions> threads{1, 1,
                                                           1}; ///< of a block; −1 where it is not constant
    bool tellsErrors = false; ///< takes, last, the memory of one int32 for a code of runtime.h
    /// Bytes of shared memory that a launch must give it; 0 where it has its arrays of itself.
    std::int64_t sharedAtLaunch = 0;
};

/// Writes kernels of a module that split-host-device left. Indices have the width that they have in the
/// program. Throws as CFamilyEmitter does.
class KernelEmitter : public CFamilyEmitter {
public:
    Kernel kernel(const std::string &name, const ir::PrimFunc &function);

    /// Definitions of the names of stdint.h that `text` has, for a language without that header.
    static std::vector<std::string> integerNames(std::string_view text);

    /// Words before helpers, which C declares `static inline`.
    virtual std::string_view helperWords() const { return "static inline"; }

    std::string memoryType(ir::DataType type) const override;
    std::string valueType(ir::DataType type) const override;

protected:
    /// The line before the function: "__kernel" …
    virtual std::string head(const Kernel &kernel) const = 0;
    /// The type of a parameter that points to memory of the device.
    virtual std::string pointer(const std::string &element, bool isWritten, bool isNoAlias) const = 0;
    /// The number of a block or of a thread in its block.
    virtual std::string index(const ir::ThreadAxis &axis) const = 0;
    /// Words before the type of an array of the block.
    virtual std::string_view sharedWord() const = 0;
    /// Word before the type that a pointer into a memory points to: "__local " …
    virtual std::string_view spaceWord(ir::MemoryRank) const { return {}; }
    /// Bytes that a kernel may have of itself; where it needs more it declares memory that a launch gives.
    virtual std::int64_t mostShared() const { return std::numeric_limits<std::int64_t>::max(); }
    /// Word before the type of an array so that it begins at a multiple of 16 bytes.
    virtual std::string_view alignedWord() const = 0;
    /// All threads of a block wait; `sharesDevice`: they hand over memory of the device too.
    virtual std::string barrier(bool sharesDevice) const = 0;

    void store(const ir::BufferStore &node) override;
    void loop(const ir::For &node) override;
    void loopPragma(const ir::For &node, bool setsError) override;
    void allocate(const ir::Allocate &node) override;
    std::string counterType(const ir::For &node) const override { return valueType(node.var.dtype()); }
    Text call(const ir::Call &node) override;
    Text division(const ir::Binary &node) override;

private:
    Text shifted(const ir::Binary &node, std::int64_t power);
    int copiedAtOnce(const ir::BufferStore &node, const ir::BufferLoad &load);
    std::string vectorAt(const ir::Buffer &buffer, const ir::Expr &index, int bytes, bool isWritten);

    bool m_sharesDevice = false;
    analysis::SharedLayout m_layout;
    bool m_isPiece = false; ///< shared arrays lie in one piece of memory
    /// Declarations of arrays of the block, with the bytes of those that lie for themselves.
    std::vector<std::pair<std::int64_t, std::string>> m_shared;
};

} // namespace nestwright::codegen
