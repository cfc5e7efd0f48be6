// SPDX-License-Identifier: Apache-2.0
/// Compiled kernels and arrays as files, each under a name that tells its bytes.
#pragma once

#include "core/support/errors/result.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace nestwright::support {
class TemporaryFolder;
}

namespace nestwright::measure {

/// The files of one process, in a temporary folder that goes with it. For several threads at once.
class ContentStore {
public:
    ContentStore();
    ~ContentStore();
    ContentStore(const ContentStore &) = delete;
    ContentStore &operator=(const ContentStore &) = delete;

    /// The name of the file with these bytes, which is made where there is none. Equal bytes have one name,
    /// other bytes another. Errors: "backend.files", "file.write".
    support::Result<std::string> put(std::string_view bytes);

    /// Empty until something was put there.
    std::filesystem::path folder() const;

private:
    mutable std::mutex m_mutex;
    std::unique_ptr<support::TemporaryFolder> m_folder;
};

/// The file of that name in the folder of a store. A folder of its own holds it: as a kernel is loaded, its
/// code may read what lies beside it.
std::filesystem::path fileOf(const std::filesystem::path &store, const std::string &name);

/// Whether a store gives such names; others might lead out of its folder.
bool isContentName(std::string_view name);

} // namespace nestwright::measure
