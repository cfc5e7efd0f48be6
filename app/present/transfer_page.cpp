// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/transfer_page.h"

#include "core/measure/statistics.h"
#include "core/session/reuse/transfer_text.h"
#include "widgets/document/text.h"

#include <QCoreApplication>

namespace nestwright::app {

using document::toQt;

namespace {
struct TransferText {
    Q_DECLARE_TR_FUNCTIONS(TransferPage)
};
} // namespace

charts::RatioData ratiosOf(const session::TransferTable &table)
{
    charts::RatioData data;
    data.title = TransferText::tr("times of %1 over times of %2").arg(toQt(table.base), toQt(table.schedule));
    for (const session::KernelSizes &shape : table.shapes)
        data.rows << toQt(session::textOf(shape));
    for (const target::Target &target : table.targets)
        data.columns << toQt(session::textOf(target));
    for (const session::TransferCell &cell : table.cells) {
        charts::RatioCell made{.isDone = cell.isDone};
        if (const measure::Speedup *speedup = cell.ratio()) {
            made.ratio = speedup->ratio.median;
            made.low = speedup->ratio.low;
            made.high = speedup->ratio.high;
            made.isSignificant = speedup->significant;
            if (cell.scheduled->flops > 0)
                made.detail = TransferText::tr("%1 GFLOPS").arg(cell.scheduled->gflops(), 0, 'f', 1);
        }
        made.refused = toQt(session::reasonOf(cell));
        data.cells.push_back(std::move(made));
    }
    return data;
}

QString transferSummary(const session::TransferTable &table)
{
    int faster = 0, slower = 0, open = 0, refused = 0;
    for (const session::TransferCell &cell : table.cells) {
        const measure::Speedup *speedup = cell.ratio();
        if (!speedup)
            ++refused;
        else if (const auto change = measure::changeOf(*speedup); change == measure::Change::NotSignificant)
            ++open;
        else
            ++(change == measure::Change::Faster ? faster : slower);
    }
    return TransferText::tr("Faster in %1 of %2 cells, slower in %3, not significant in %4; no ratio in %5.")
        .arg(faster)
        .arg(table.cells.size())
        .arg(slower)
        .arg(open)
        .arg(refused);
}

} // namespace nestwright::app
