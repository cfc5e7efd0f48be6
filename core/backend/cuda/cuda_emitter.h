// SPDX-License-Identifier: Apache-2.0
/// Kernels as CUDA C++.
#pragma once

#include "core/codegen/kernel_emitter.h"

namespace nestwright::backend {

/// Text that stands alone: NVRTC compiles it without any header.
class CudaEmitter final : public codegen::KernelEmitter {
public:
    /// `mostShared`: bytes of shared arrays that a kernel may have of itself.
    explicit CudaEmitter(std::int64_t mostShared) : m_mostShared(mostShared) {}

    /// Definitions before the kernels: names that `text` has and C's headers would bring.
    static std::vector<std::string> prelude(std::string_view text);

    std::string_view helperWords() const override { return "static __device__ __forceinline__"; }

protected:
    std::string head(const codegen::Kernel &kernel) const override;
    std::string pointer(const std::string &element, bool isWritten, bool isNoAlias) const override;
    std::string index(const ir::ThreadAxis &axis) const override;
    std::string_view sharedWord() const override { return "__shared__ __align__(16)"; }
    std::int64_t mostShared() const override { return m_mostShared; }
    std::string_view alignedWord() const override { return "__align__(16)"; }
    std::string barrier(bool) const override { return "__syncthreads()"; }
    Text call(const ir::Call &node) override;
    Text arithmetic(const ir::Binary &node) override;
    std::string definition(std::string_view name, std::string_view text) const override;

private:
    std::int64_t m_mostShared;
};

} // namespace nestwright::backend
