// SPDX-License-Identifier: Apache-2.0
/// A table of transfers for people and for machines.
#pragma once

#include "core/session/reuse/transfer.h"
#include "core/support/text/json_fwd.h"

namespace nestwright::session {

/// "llvm, 2 threads".
std::string textOf(const target::Target &target);
/// "12.3× (11.9 … 12.8), 45.1 GFLOPS", "1.02× not significant, …", or why there is no ratio.
std::string textOf(const TransferCell &cell);
/// "12.3× (11.9 … 12.8)", "1.02× (0.97 … 1.06) not significant".
std::string ratioText(const measure::Speedup &speedup);
/// Why the cell has no ratio, with the step that was refused: "split(…): …".
std::string reasonOf(const TransferCell &cell);

/// Reasons below a table, each once, which its cells refer to by number.
class Reasons {
public:
    /// Number of a reason, from 1.
    std::size_t place(const std::string &reason);
    /// A line each: "[1] …".
    std::string text() const;

private:
    std::vector<std::string> m_reasons;
};

/// A row per shape, a column per target, reasons below.
std::string printedTable(const TransferTable &table);
/// A line per cell, with a header.
std::string csvOf(const TransferTable &table);
support::Json toJson(const TransferTable &table);

} // namespace nestwright::session
