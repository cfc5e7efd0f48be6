// SPDX-License-Identifier: Apache-2.0
#include "tests/support/session_readers.h"

#include "core/graph/program/kernel_cache.h"
#include "core/session/files/project_file.h"
#include "core/session/model/model_project.h"

#include <array>

namespace nestwright::tests {

namespace {

std::string refusalFault(const support::Diagnostic &found)
{
    return found.code.empty() || found.message.empty() ? "a Diagnostic without a code or a message" : "";
}

/// Writing a session that was read, and reading that, comes to an end at once.
template <class Read, class Write>
std::string roundTripFault(std::string_view text, const Read &read, const Write &write)
{
    const auto first = read(text);
    if (!first)
        return refusalFault(first.error());
    const std::string written = write(*first);
    const auto again = read(written);
    if (!again)
        return "what is written cannot be read: " + again.error().render();
    return write(*again) == written ? "" : "what is written reads as something else\n" + written;
}

} // namespace

std::string checkNest(std::string_view text)
{
    if (text.contains("nestwright-model-session"))
        return roundTripFault(
            text, [](std::string_view t) { return session::readModelProject(t, "fuzz.nest"); },
            session::writeModelProject);
    return roundTripFault(
        text, [](std::string_view t) { return session::readProject(t, "fuzz.nest"); }, session::writeProject);
}

std::string checkKernel(std::string_view text)
{
    const auto kernel = graph::readCachedKernel(text);
    if (!kernel)
        return {};
    return graph::cachedKernelText(kernel->key, kernel->code) == text
               ? ""
               : "a file that was never written is read";
}

std::span<const Reader> sessionReaders()
{
    static constexpr std::array<Reader, 2> table{{{"nest", checkNest}, {"kernel", checkKernel}}};
    return table;
}

} // namespace nestwright::tests
