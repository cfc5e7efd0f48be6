// SPDX-License-Identifier: Apache-2.0
/// Makes PTX readable, and maps its lines to statements.
#pragma once

#include "core/backend/listing/listing.h"

#include <functional>
#include <span>

namespace nestwright::backend {

/// `ptx` without directives of the debugger, behind a comment. `statementOf` gives the statement of a line
/// that they name.
Listing cleanPtx(std::string_view ptx, std::string_view comment,
                 const std::function<support::StmtId(std::uint32_t line)> &statementOf);

/// The innermost statement of a line, counted from 1, of the text that has these spans; none where there is
/// none.
support::StmtId statementAt(std::uint32_t line, std::span<const script::LineSpan> spans);

} // namespace nestwright::backend
