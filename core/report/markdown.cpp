// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"

#include <format>

namespace nestwright::report {

using measure::Measurement;
using session::Variant;

namespace {

/// As the text of a cell.
std::string cell(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '<')
            result += '\\';
        result += c == '\n' ? ' ' : c;
    }
    return result;
}

std::string milliseconds(double seconds) { return std::format("{:.4g}", seconds * 1e3); }

std::string rowOf(const Variant &variant, const Variant &root)
{
    const Measurement &measured = *variant.measurement;
    std::string row = "| " + cell(variant.name.empty() ? variant.label : variant.name) + " | ";
    if (!measured.ok())
        return row + "| | | | | " + cell(measured.failure ? measured.failure->message : "not measured")
               + " |\n";
    row += std::format("{} | {} … {} | ", milliseconds(measured.time.median), milliseconds(measured.time.low),
                       milliseconds(measured.time.high));
    row += (measured.flops > 0 ? std::format("{:.1f}", measured.gflops()) : "") + " | ";
    row += (measured.peakFraction > 0 ? std::format("{:.0f} %", measured.peakFraction * 100) : "") + " | ";
    if (root.measurement && root.measurement->ok())
        row += std::format("{:.2f}×", root.measurement->time.median / measured.time.median);
    return row + (measured.verdict == measure::Verdict::Verified ? " | verified |\n" : " | not verified |\n");
}

} // namespace

std::string markdownTable(const session::Session &session)
{
    std::string table = "| variant | ms | 95 % interval | GFLOPS | of peak | vs naive | result |\n"
                        "|---|--:|---|--:|--:|--:|---|\n";
    for (const Variant &variant : session.tree().all()) {
        if (variant.ok() && variant.measurement)
            table += rowOf(variant, session.tree().root());
    }
    return table;
}

} // namespace nestwright::report
