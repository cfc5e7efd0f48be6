// SPDX-License-Identifier: Apache-2.0
/// Kernels in this process's memory, ready to call. Only the worker and nestc load kernels: one may crash.
#pragma once

#include "core/backend/artifact.h"
#include "core/ir/ndarray.h"

#include <cstdint>
#include <memory>
#include <span>

namespace nestwright::backend {

/// An artifact loaded; unloaded with the object.
class LoadedKernel {
public:
    virtual ~LoadedKernel() = default;
    using Packed = std::int32_t (*)(void **args);

    const std::vector<Entry> &entries() const { return m_entries; }
    /// The packed function of an entry; null when there is none of that name.
    virtual Packed find(std::string_view name) const = 0;

protected:
    explicit LoadedKernel(std::vector<Entry> entries) : m_entries(std::move(entries)) {}

private:
    std::vector<Entry> m_entries;
};

/// Errors: "backend.load" (the linker's message, e.g. a symbol not found), "backend.not-built".
support::Result<std::unique_ptr<LoadedKernel>> load(const Artifact &artifact);

/// The `void **` of one call. Buffers must outlive it.
class PackedArguments {
public:
    /// `buffers`: one per Buffer argument, in order; `scalars`: one per Scalar argument (a floating-point one
    /// as the bits of a double). Sizes are read off the shapes. Errors: "backend.arguments": a count, type or
    /// shape that does not fit, with both.
    static support::Result<PackedArguments> make(const Entry &entry, std::span<ir::NdArray *const> buffers,
                                                 std::span<const std::int64_t> scalars = {});
    void **data() { return m_pointers.data(); }

private:
    std::vector<std::unique_ptr<std::uint64_t>> m_scalars;
    std::vector<void *> m_pointers;
};

/// Calls `entry` once. Errors: those of PackedArguments; "kernel.error": the code it returned, in words.
support::Result<void> call(const LoadedKernel &kernel, std::string_view entry,
                           std::span<ir::NdArray *const> buffers, std::span<const std::int64_t> scalars = {});

} // namespace nestwright::backend
