// SPDX-License-Identifier: Apache-2.0
#include "core/measure/peers/peer.h"
#include "app/cli/command.h"
#include "app/cli/input.h"
#include "core/measure/machine/other_load.h"
#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/measure/peers/cublas_peer.h"
#include "core/support/text/json_output.h"

#include <CLI/CLI.hpp>
#include <format>
#include <iostream>

namespace nestwright::cli {

namespace {

struct PeerOptions : CommonOptions {
    bool json = false;
};

int runPeer(const PeerOptions &options)
{
    const auto target = target::parseTarget(options.target);
    if (!target)
        return report(target.error());
    const auto state = opener().loadUnscheduled(options.module);
    if (!state)
        return report(state.error());
    const auto kernel = analysis::libraryKernelOf(*state->module.mainEntry()->function);
    const bool isCuda = target->kind == target::TargetKind::Cuda;
    if (!kernel || (isCuda && !std::holds_alternative<analysis::MatrixProduct>(*kernel)))
        return report(measure::noLibraryFor(options.module));
    const auto time = isCuda ? measure::timeCublas(std::get<analysis::MatrixProduct>(*kernel))
                             : measure::timeFastestPeer(*kernel, measure::threadsOf(*target));
    if (!time)
        return report(time.error());
    if (options.json) {
        std::cout << support::jsonText(measure::toJson(*time)) << std::endl;
        return Done;
    }
    std::cout << std::format("{}: {:.3f} ms ({:.3f} .. {:.3f}), {:.1f} GFLOPS\n", time->library,
                             time->seconds.median * 1e3, time->seconds.low * 1e3, time->seconds.high * 1e3,
                             time->gflops());
    if (time->disturbed)
        std::cerr << "note: " << measure::disturbance(time->otherLoad) << '\n';
    return Done;
}

} // namespace

std::function<int()> declarePeer(CLI::App &app)
{
    auto options = std::make_shared<PeerOptions>();
    options->addModule(app);
    options->addTarget(app);
    app.add_flag("--json", options->json, "print it as one line of JSON");
    return [options] { return runPeer(*options); };
}

} // namespace nestwright::cli
