// SPDX-License-Identifier: Apache-2.0
/// Kernels in this process's memory, ready to call. Only the worker and nestc load kernels: one may crash.
#pragma once

#include "core/backend/link/artifact.h"
#include "core/ir/ndarray.h"

#include <cstdint>
#include <memory>
#include <span>

namespace nestwright::backend {

/// The `void **` of one call. Buffers must outlive it.
class PackedArguments {
public:
    /// `buffers`: one per Buffer argument, in order; `scalars`: one per Scalar argument (a floating-point one
    /// as the bits of a double). Sizes are read off the shapes. Errors: "backend.arguments": a count, type or
    /// shape that does not fit, with both.
    static support::Result<PackedArguments> make(const Entry &entry, std::span<ir::NdArray *const> buffers,
                                                 std::span<const std::int64_t> scalars = {});
    void **data() { return m_pointers.data(); }
    /// Memory behind the pointers: the data of arrays, and scalars.
    std::span<std::byte> bytes(std::size_t argument) { return m_bytes[argument]; }

private:
    std::vector<std::unique_ptr<std::uint64_t>> m_scalars;
    std::vector<void *> m_pointers;
    std::vector<std::span<std::byte>> m_bytes;
};

/// A function of a kernel with its arguments, ready to be called again and again.
class BoundCall {
public:
    virtual ~BoundCall() = default;
    /// Calls it and waits for its end; gives 0 or a code of runtime.h. May throw support::UserError.
    virtual std::int32_t run() = 0;
    /// Brings what the function works on up to date with the arrays, where they are not the same memory.
    virtual void update() {}
    /// Brings the arrays up to date, where they are not what the function works on.
    virtual void fetch() {}
};

/// An artifact loaded; unloaded with the object.
class LoadedKernel {
public:
    virtual ~LoadedKernel() = default;
    using Packed = std::int32_t (*)(void **args);

    const std::vector<Entry> &entries() const { return m_entries; }
    /// The packed function of an entry; null when there is none of that name, or a device runs it.
    virtual Packed find(std::string_view name) const = 0;
    /// `arguments` must outlive the call, as the kernel must. Null when there is none of that name. May throw
    /// support::UserError.
    virtual std::unique_ptr<BoundCall> bind(std::string_view name, PackedArguments &arguments) const;

protected:
    explicit LoadedKernel(std::vector<Entry> entries) : m_entries(std::move(entries)) {}

private:
    std::vector<Entry> m_entries;
};

/// Errors: "backend.load" (the linker's message, e.g. a symbol not found), "backend.not-built".
support::Result<std::unique_ptr<LoadedKernel>> load(const Artifact &artifact);

/// Calls `entry` once. Errors: those of PackedArguments; "kernel.error": the code it returned, in words.
support::Result<void> call(const LoadedKernel &kernel, std::string_view entry,
                           std::span<ir::NdArray *const> buffers, std::span<const std::int64_t> scalars = {});

} // namespace nestwright::backend
