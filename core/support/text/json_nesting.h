// SPDX-License-Identifier: Apache-2.0
/// A bound on the depth of JSON before it is parsed: values are copied, printed and read by recursion.
#pragma once

#include "core/support/errors/limits.h"
#include "core/support/errors/result.h"

#include <optional>
#include <string_view>

namespace nestwright::support {

/// The byte at which arrays and objects are nested deeper than `limits::jsonDepth`. Text that is no JSON may
/// give any answer; its parser refuses it.
inline std::optional<std::size_t> jsonTooDeepAt(std::string_view text)
{
    int depth = 0;
    bool isString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (isString) {
            i += c == '\\' ? 1 : 0;
            isString = c != '"';
        } else if (c == '"') {
            isString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > limits::jsonDepth)
                return i;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return std::nullopt;
}

/// Error `code` where the text is nested too deeply; the message calls it `what`.
inline Result<void> checkJsonNesting(std::string_view text, std::string_view what, std::string_view code)
{
    if (!jsonTooDeepAt(text))
        return {};
    return fail(diagnostic(code, std::string(what) + " nests arrays and objects more than "
                                     + std::to_string(limits::jsonDepth) + " deep")
                    .withHint("is it the right file?"));
}

} // namespace nestwright::support
