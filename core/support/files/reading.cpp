// SPDX-License-Identifier: Apache-2.0
#include "core/support/files/reading.h"

#include "core/support/errors/system_reason.h"

#include <cerrno>
#include <filesystem>

namespace nestwright::support {

Diagnostic outOfMemory(const std::string &what)
{
    Diagnostic exhausted = diagnostic("memory.exhausted", what + " needs more memory than there is");
    const auto limit = limitBehind(ENOMEM);
    if (limit)
        exhausted.message += ": " + limit->sentence;
    exhausted.hint =
        limit ? "use smaller sizes, or " + limit->remedy : "use smaller sizes, or a machine with more memory";
    return exhausted;
}

Diagnostic systemRefused(const std::string &what, const std::system_error &error)
{
    std::string place;
    if (const auto *file = dynamic_cast<const std::filesystem::filesystem_error *>(&error))
        place = " (\"" + file->path1().string() + "\")";
    const int number = error.code().value();
    const bool isOfSystem = error.code().category() == std::generic_category()
                            || error.code().category() == std::system_category();
    return diagnostic("system.refused", what + ": the system refuses it" + place + ": "
                                            + (isOfSystem ? reasonOf(number) : error.code().message()))
        .withHint(
            remedyOf(isOfSystem ? number : 0, "check the rights of the files and folders that are named"));
}

} // namespace nestwright::support
