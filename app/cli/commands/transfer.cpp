// SPDX-License-Identifier: Apache-2.0
#include "core/session/reuse/transfer.h"
#include "app/cli/command.h"
#include "app/cli/effort_options.h"
#include "app/cli/input.h"
#include "app/cli/shown_percent.h"
#include "core/session/reuse/transfer_text.h"
#include "core/support/files/input_file.h"
#include "core/support/text/json_output.h"
#include "core/target/most_threads.h"
#include "core/workbench/opening/module_names.h"

#include <CLI/CLI.hpp>

namespace nestwright::cli {

using session::TransferRequest;
using support::diagnostic;
using support::fail;
using support::Result;

namespace {

struct TransferOptions : CommonOptions {
    std::string base;
    std::vector<std::string> sizes, targets;
    std::vector<int> threads;
    EffortOptions effort;
    bool json = false, csv = false;
};

Result<TransferRequest> requestOf(const TransferOptions &options)
{
    if (options.schedule.empty())
        return fail(diagnostic("usage.schedule", "there is no schedule to carry over")
                        .withHint("give one with --schedule S.py or --recipe NAME"));
    auto schedule = opener().loadSteps(options.schedule);
    if (!schedule)
        return fail(schedule.error());
    TransferRequest request{.kernelText = options.module,
                            .kernelName = options.module,
                            .shapes = {},
                            .targets = {},
                            .schedule = std::move(*schedule)};
    if (!options.base.empty()) {
        auto base = opener().loadSteps(options.base);
        if (!base)
            return fail(base.error());
        request.base = std::move(*base);
    }
    if (workbench::isSession(options.module)) {
        const auto session = opener().openSession(options.module);
        if (!session)
            return fail(session.error());
        request.kernelText = session->source().text;
    } else if (!options.module.starts_with("op:")) {
        auto text = support::readText(options.module);
        if (!text)
            return fail(text.error());
        request.kernelText = std::move(*text);
    }
    for (const std::string &sizes : options.sizes) {
        auto shape = session::parseKernelSizes(sizes);
        if (!shape)
            return fail(shape.error());
        request.shapes.push_back(std::move(*shape));
    }
    if (request.shapes.empty())
        request.shapes.emplace_back();
    std::vector<target::Target> targets;
    for (const std::string &text : options.targets) {
        auto target = target::parseTarget(text);
        if (!target)
            return fail(target.error());
        targets.push_back(std::move(*target));
    }
    request.targets = session::withThreads(targets, options.threads);
    options.effort.applyTo(request);
    return request;
}

int transfer(const TransferOptions &options)
{
    const auto request = requestOf(options);
    if (!request)
        return report(request.error());
    // A shape that the kernel does not have at all is bad input.
    for (const session::KernelSizes &shape : request->shapes) {
        if (const auto kernel = session::openWithSizes(request->kernelText, request->kernelName, shape);
            !kernel)
            return report(kernel.error());
    }
    measure::Measurer measurer;
    const auto table = [&] {
        const ShownPercent shown;
        return session::measureTransfer(
            *request, measurer,
            [&](const session::TransferTable &, double fraction) { shown.tell(fraction); });
    }();
    if (!table)
        return report(table.error());
    const std::string text = options.json  ? support::jsonText(session::toJson(*table), 2) + '\n'
                             : options.csv ? session::csvOf(*table)
                                           : session::printedTable(*table);
    if (const int status = writeOutput({}, text))
        return status;
    return table->isWhole() ? Done : No;
}

} // namespace

std::function<int()> declareTransfer(CLI::App &app)
{
    auto options = std::make_shared<TransferOptions>();
    options->targets = {"llvm"};
    options->addModule(app);
    options->addSchedule(app);
    app.add_option("--base", options->base,
                   "schedule that the ratios are over; else the unscheduled program");
    app.add_option("--sizes", options->sizes,
                   "a shape, as M=256,N=256: parameters of op:NAME, numbers or parameters of a TE script, "
                   "symbolic sizes; once for each shape")
        ->allow_extra_args(false);
    app.add_option("--threads", options->threads, "numbers of threads, as 1,2")
        ->delimiter(',')
        ->check(CLI::Range(1, target::mostPoolThreads));
    app.add_option("--target", options->targets, "llvm, c, opencl or cuda; once for each")
        ->allow_extra_args(false)
        ->capture_default_str();
    options->effort.addTo(app);
    auto *json = app.add_flag("--json", options->json, "print it as JSON, with every sample");
    app.add_flag("--csv", options->csv, "print a line per cell")->excludes(json);
    return [options] { return transfer(*options); };
}

} // namespace nestwright::cli
