// SPDX-License-Identifier: Apache-2.0
/// Folders for files that are of use while a program runs, and their removal when it is killed.
#pragma once

#include <filesystem>

namespace nestwright::support {

/// A folder of its own below the system's temporary folder; removed with the object. Throws UserError
/// "backend.files" where none can be made. The first one of a process also removes those that processes left
/// behind which are gone.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    const std::filesystem::path &path() const { return m_path; }

private:
    std::filesystem::path m_path;
    int m_handle = -1; ///< of the lock, which the system lets go of when the process ends
};

/// Removes folders of TemporaryFolder below `parent` whose lock no process holds any more; folders of others,
/// and those that only look like ours, stay. Gives how many it removed.
int sweepTemporaryFolders(const std::filesystem::path &parent);

} // namespace nestwright::support
