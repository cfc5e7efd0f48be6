// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"

#include "core/report/escapes.h"
#include "core/report/result_text.h"

#include <format>

namespace nestwright::report {

using measure::Measurement;
using session::Variant;

namespace {

std::string milliseconds(double seconds) { return std::format("{:.4g}", seconds * 1e3); }

std::string rowOf(const Variant &variant, const Variant &root)
{
    const Measurement &measured = *variant.measurement;
    std::string row = "| " + markdownCell(variant.name.empty() ? variant.label : variant.name) + " | ";
    if (!measured.ok())
        return row + "| | | | | "
               + markdownCell(measured.failure ? measured.failure->message : "not measured") + " |\n";
    row += std::format("{} | {} … {} | ", milliseconds(measured.time.median), milliseconds(measured.time.low),
                       milliseconds(measured.time.high));
    row += (measured.flops > 0 ? std::format("{:.1f}", measured.gflops()) : "") + " | ";
    row += (measured.peakFraction > 0 ? std::format("{:.0f} %", measured.peakFraction * 100) : "") + " | ";
    if (root.measurement && root.measurement->ok())
        row += std::format("{:.2f}×", root.measurement->time.median / measured.time.median);
    return row + " | " + markdownCell(resultText(measured)) + " |\n";
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
    return table + '\n' + markdownCell(originText(session)) + ".\n";
}

} // namespace nestwright::report
