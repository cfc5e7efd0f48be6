// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/whole_file.h"

#include "core/support/errors/errors.h"
#include "core/support/errors/system_reason.h"
#include "core/support/files/atomic_file.h"

#include <cerrno>
#include <format>
#include <fstream>
#include <sstream>

namespace nestwright::support {

std::string readFile(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw UserError(
            diagnostic("file.read", std::format("'{}' cannot be read: {}", path.string(), reasonOf(errno)))
                .withHint(remedyOf(errno, "look whether something removes files of the temporary folder")));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void writeFile(const std::filesystem::path &path, std::string_view bytes)
{
    if (const auto written = writeAtomically(path, bytes, {.durable = false}); !written)
        throw UserError(written.error());
}

} // namespace nestwright::support
