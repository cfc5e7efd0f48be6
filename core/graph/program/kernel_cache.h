// SPDX-License-Identifier: Apache-2.0
/// Compiled kernels on disk, so that a model that was opened before runs at once.
#pragma once

#include "core/backend/link/artifact.h"
#include "core/target/target.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace nestwright::graph {

/// One file of the cache: magic, sizes and checksum, then all that the code depends on, then the code.
struct CachedKernel {
    std::string_view key;
    std::string_view code;
};
std::string cachedKernelText(std::string_view key, std::string_view code);
/// The contents of a cached file; nothing where a byte is missing or differs from what was written.
std::optional<CachedKernel> readCachedKernel(std::string_view text);

/// A kernel is found again when its scheduled program, the target, this machine, the versions of LLVM or the
/// C compiler and this build of the program are the same. Its code is run, so only files of this user count
/// that nobody else may write, in a folder that is so as well; one that others could write to is emptied and
/// closed to them. Nothing that goes wrong with the files is an error: the kernel is compiled then.
class KernelCache {
public:
    /// "kernels" in support::cacheFolder; empty (no cache) where there is none.
    static std::filesystem::path defaultFolder();

    explicit KernelCache(std::filesystem::path folder = defaultFolder());

    /// The reason why nothing is kept there: the folder is another user's, or a link. Empty where there is
    /// none.
    const std::string &refusal() const { return m_refusal; }

    std::optional<backend::Artifact> find(const ir::Module &scheduled, const target::Target &target) const;
    void put(const ir::Module &scheduled, const target::Target &target,
             const backend::Artifact &artifact) const;
    /// Removes the files that were used least recently until at most `bytes` are left.
    void trim(std::uintmax_t bytes) const;
    /// Trims to the usual size, but not more often than once in an hour: there may be many files to look at.
    void trimNowAndThen() const;

private:
    std::filesystem::path m_folder;
    std::string m_refusal;
};

} // namespace nestwright::graph
