// SPDX-License-Identifier: Apache-2.0
#include "core/measure/build/content_store.h"

#include "core/support/errors/errors.h"
#include "core/support/files/atomic_file.h"
#include "core/support/files/checksum.h"
#include "core/support/files/temporary_folder.h"
#include "core/support/files/whole_file.h"

#include <algorithm>
#include <format>
#include <system_error>

namespace nestwright::measure {

using support::fail;
using support::Result;

namespace {

/// Whether the file holds these bytes; it is not read where the sizes differ.
bool holds(const std::filesystem::path &file, std::string_view bytes)
{
    std::error_code failed;
    return std::filesystem::file_size(file, failed) == bytes.size() && !failed
           && support::readFile(file) == bytes;
}

} // namespace

ContentStore::ContentStore() = default;

ContentStore::~ContentStore() = default;

std::filesystem::path ContentStore::folder() const
{
    const std::scoped_lock lock(m_mutex);
    return m_folder ? m_folder->path() : std::filesystem::path();
}

Result<std::string> ContentStore::put(std::string_view bytes)
try {
    const std::scoped_lock lock(m_mutex);
    if (!m_folder)
        m_folder = std::make_unique<support::TemporaryFolder>();
    const std::string sum = std::format("{:016x}", support::checksum(bytes));
    // A checksum is no proof: other bytes with the same one get the next name.
    for (int number = 0;; ++number) {
        const std::string name = number == 0 ? sum : std::format("{}-{}", sum, number);
        const std::filesystem::path file = fileOf(m_folder->path(), name);
        std::error_code failed;
        if (std::filesystem::create_directory(file.parent_path(), failed) || failed) { // told by the writing
            if (auto written = support::writeAtomically(file, bytes, {.durable = false}); !written)
                return fail(written.error());
            return name;
        }
        if (holds(file, bytes))
            return name;
    }
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

std::filesystem::path fileOf(const std::filesystem::path &store, const std::string &name)
{
    return store / name / "content";
}

bool isContentName(std::string_view name)
{
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-';
    });
}

} // namespace nestwright::measure
