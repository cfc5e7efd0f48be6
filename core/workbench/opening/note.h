// SPDX-License-Identifier: Apache-2.0
/// Remarks on what was opened: for people, and no reason to stop.
#pragma once

#include "core/support/errors/result.h"

#include <string>

namespace nestwright::workbench {

struct Note {
    support::Diagnostic remark;
    std::string difference{}; ///< of two programs, where the file itself asks for it: lines with - and +

    /// "file:line:column: note: …", and the difference below it. Ends with a line break.
    std::string text() const;
};

/// "file:line:column: note: …", without a line break.
std::string noteText(const support::Diagnostic &remark);

} // namespace nestwright::workbench
