// SPDX-License-Identifier: Apache-2.0
/// Parsing of JSON files, with errors that name the place.
#pragma once

#include "core/support/text/json.h"
#include "core/support/text/json_nesting.h"
#include "core/support/text/text_position.h"

namespace nestwright::support {

/// Details of an error in the text.
struct JsonText {
    std::string_view what; ///< "the trace"
    const std::string &fileName;
    const char *code, *hint;
};

/// The text as a Json or an OrderedJson. Errors, with the code and hint given: text that nests too deeply,
/// ends too early or is no JSON, and numbers that no double holds.
template <class J> Result<J> parseJson(std::string_view text, const JsonText &of)
{
    const std::string what(of.what);
    if (auto nesting = checkJsonNesting(text, what + " '" + of.fileName + "'", of.code); !nesting)
        return fail(std::move(nesting.error()).at(of.fileName, 1, 1));
    try {
        return J::parse(text);
    } catch (const typename J::parse_error &error) { // counts bytes from 1
        const auto [line, column] = positionAt(text, error.byte == 0 ? 0 : error.byte - 1);
        return fail(diagnostic(of.code, error.byte > text.size()
                                            ? what + " ends in the middle; it is not complete"
                                            : what + " is no valid JSON here")
                        .at(of.fileName, line, column)
                        .withHint(of.hint));
    } catch (const typename J::out_of_range &) {
        return fail(diagnostic(of.code, what + " holds a number that is greater than any that can be kept")
                        .at(of.fileName, 1, 1)
                        .withHint(of.hint));
    }
}

} // namespace nestwright::support
