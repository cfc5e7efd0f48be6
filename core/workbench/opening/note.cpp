// SPDX-License-Identifier: Apache-2.0
#include "core/workbench/opening/note.h"

#include <format>

namespace nestwright::workbench {

std::string noteText(const support::Diagnostic &remark)
{
    std::string text;
    if (!remark.locations.empty())
        text = std::format("{}:{}:{}: ", remark.locations[0].file, remark.locations[0].line,
                           remark.locations[0].column);
    return text + "note: " + remark.message;
}

std::string Note::text() const { return noteText(remark) + '\n' + difference; }

} // namespace nestwright::workbench
