// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/kernel_pages.h"

#include "core/session/model/model.h"

#include <QCoreApplication>

namespace nestwright::app {

std::vector<models::KernelRow> kernelRows(const session::Model &model,
                                          const document::ModelMeasuring &measuring)
{
    std::vector<models::KernelRow> rows;
    for (std::size_t i = 0; i < model.program.kernels.size(); ++i) {
        const graph::Kernel &kernel = model.program.kernels[i];
        models::KernelRow row;
        row.kernel = static_cast<int>(i);
        row.name = QString::fromStdString(kernel.name);
        row.nodes = static_cast<int>(kernel.nodes.size());
        if (measuring.last() && measuring.last()->kernels.contains(kernel.name)) {
            const document::KernelTime &time = measuring.last()->kernels.at(kernel.name);
            row.seconds = row.gain = time.seconds;
            row.share = time.seconds / measuring.last()->seconds.median;
            if (time.speedup) {
                row.change = 1 / time.speedup->ratio.median - 1;
                row.isNoise = !time.speedup->significant;
            }
            row.gflops = time.work.flops / time.seconds * 1e-9;
            const measure::Throughput &machine = measuring.last()->machine;
            if (const auto fraction = measure::peakFraction(time.work, time.seconds, machine)) {
                row.memoryBound = measure::isMemoryBound(time.work, machine);
                row.peakFraction = *fraction;
                row.gain = time.seconds * (1 - *fraction);
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

QString modelTimeText(const document::ModelMeasuring &measuring)
{
    const document::ModelTime &last = *measuring.last();
    const double ms = 1e3;
    QString text =
        QCoreApplication::translate("KernelPages", "model %1 ms").arg(last.seconds.median * ms, 0, 'f', 2);
    if (last.seconds.high > last.seconds.low)
        text += QCoreApplication::translate("KernelPages", " (%1 … %2)")
                    .arg(last.seconds.low * ms, 0, 'f', 2)
                    .arg(last.seconds.high * ms, 0, 'f', 2);
    if (last.speedup)
        text +=
            u' '
            + (last.speedup->significant ? models::percentChange(1 / last.speedup->ratio.median - 1)
                                         : QCoreApplication::translate("KernelPages", "≈ not significant"));
    if (!last.storedOn.empty())
        text += QCoreApplication::translate("KernelPages", ", stored %1")
                    .arg(QString::fromStdString(last.storedOn).left(10));
    if (last.disturbed)
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
