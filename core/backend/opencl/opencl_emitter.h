// SPDX-License-Identifier: Apache-2.0
/// Kernels as OpenCL C.
#pragma once

#include "core/codegen/kernel_emitter.h"

namespace nestwright::backend {

/// OpenCL C 1.2.
class OpenClEmitter final : public codegen::KernelEmitter {
protected:
    std::string head(const codegen::Kernel &kernel) const override;
    std::string pointer(const std::string &element, bool isWritten, bool isNoAlias) const override;
    std::string index(const ir::ThreadAxis &axis) const override;
    std::string_view sharedWord() const override { return "__local __attribute__((aligned(16)))"; }
    std::string_view alignedWord() const override { return "__attribute__((aligned(16)))"; }
    std::string_view spaceWord(ir::MemoryRank rank) const override;
    std::string barrier(bool sharesDevice) const override;
    std::string mathName(std::string_view function, ir::DataType type) const override;
    std::string definition(std::string_view name, std::string_view text) const override;
};

} // namespace nestwright::backend
