// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/kernel_pages.h"

#include "core/session/model/model.h"

#include <QCoreApplication>

namespace nestwright::app {

std::vector<models::KernelRow> kernelRows(const session::Model &model,
                                          const std::optional<document::ModelTime> &time)
{
    std::vector<models::KernelRow> rows;
    for (std::size_t i = 0; i < model.program.kernels.size(); ++i) {
        const graph::Kernel &kernel = model.program.kernels[i];
        models::KernelRow row;
        row.kernel = static_cast<int>(i);
        row.name = QString::fromStdString(kernel.name);
        row.nodes = static_cast<int>(kernel.nodes.size());
        if (time && time->kernels.contains(kernel.name)) {
            const document::KernelTime &own = time->kernels.at(kernel.name);
            row.seconds = row.gain = own.seconds;
            row.share = own.seconds / time->seconds.median;
            if (own.speedup) {
                row.change = 1 / own.speedup->ratio.median - 1;
                row.isNoise = !own.speedup->significant;
            }
            row.gflops = own.seconds > 0 ? own.work.flops / own.seconds * 1e-9 : 0;
            const measure::Throughput &machine = time->machine;
            if (const auto fraction = measure::peakFraction(own.work, own.seconds, machine)) {
                row.memoryBound = measure::isMemoryBound(own.work, machine);
                row.peakFraction = *fraction;
                row.gain = own.seconds * (1 - *fraction);
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

QString modelTimeText(const document::ModelTime &time)
{
    const double ms = 1e3;
    QString text =
        QCoreApplication::translate("KernelPages", "model %1 ms").arg(time.seconds.median * ms, 0, 'f', 2);
    if (time.seconds.high > time.seconds.low)
        text += QCoreApplication::translate("KernelPages", " (%1 … %2)")
                    .arg(time.seconds.low * ms, 0, 'f', 2)
                    .arg(time.seconds.high * ms, 0, 'f', 2);
    if (time.speedup)
        text +=
            u' '
            + (time.speedup->significant ? models::percentChange(1 / time.speedup->ratio.median - 1)
                                         : QCoreApplication::translate("KernelPages", "≈ not significant"));
    if (!time.storedOn.empty())
        text += QCoreApplication::translate("KernelPages", ", stored %1")
                    .arg(QString::fromStdString(time.storedOn).left(10));
    if (time.disturbed)
        text += QCoreApplication::translate("KernelPages", ", busy machine");
    return text;
}

int nodeOfKernel(const session::Model &model, int kernel, int preferred)
{
    int first = -1;
    for (const int place : model.program.kernels[static_cast<std::size_t>(kernel)].nodes) {
        const int id = static_cast<int>(model.program.function.at(place).id.value);
        if (id == preferred)
            return id;
        if (first < 0)
            first = id;
    }
    return first;
}

} // namespace nestwright::app
