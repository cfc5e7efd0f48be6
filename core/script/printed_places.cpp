// SPDX-License-Identifier: Apache-2.0
#include "core/script/printed_places.h"

#include "core/script/print/printer.h"

#include <algorithm>
#include <string_view>

namespace nestwright::script {

support::Diagnostic withPrintedPlaces(support::Diagnostic reason, const ir::Module &module)
{
    const auto needsPlace = [](const support::Location &each) { return each.stmt && each.line == 0; };
    if (std::ranges::none_of(reason.locations, needsPlace))
        return reason;
    const Printed program = print(module, {.columns = readableColumns});
    for (support::Location &location : reason.locations) {
        const auto span = std::ranges::find(program.spans, location.stmt, &LineSpan::stmt);
        if (!needsPlace(location) || span == program.spans.end())
            continue;
        std::string_view rest = program.text;
        for (int line = 0; line < span->firstLine; ++line)
            rest.remove_prefix(rest.find('\n') + 1);
        location.file = "printed program";
        location.line = span->firstLine + 1;
        location.column = static_cast<int>(rest.find_first_not_of(' ')) + 1;
    }
    return reason;
}

} // namespace nestwright::script
