// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"

#include "core/report/result_text.h"
#include "core/support/visible.h"

#include <algorithm>
#include <format>

namespace nestwright::report {

using measure::Measurement;
using session::Variant;

namespace {

/// As the text of a cell: nothing in it is a link, a picture, an element or the end of the row.
std::string cell(std::string_view text)
{
    constexpr std::string_view marks = "|\\`*_<>[]()!&#~";
    std::string line(text);
    std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    std::string result;
    for (const char c : support::visibleName(line)) {
        if (marks.contains(c))
            result += '\\';
        result += c;
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
    return row + " | " + cell(resultText(measured)) + " |\n";
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
    return table + '\n' + cell(originText(session)) + ".\n";
}

} // namespace nestwright::report
