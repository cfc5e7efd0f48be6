// SPDX-License-Identifier: Apache-2.0
// Cost of asking whether work is to stop, which is done for every node of every tree.
#include "core/support/errors/stop.h"

#include <benchmark/benchmark.h>

namespace {

void askWithoutScope(benchmark::State &state)
{
    for (auto each : state)
        nestwright::support::checkStop();
}

void askInScope(benchmark::State &state)
{
    const std::stop_source source;
    const nestwright::support::StopScope scope(source.get_token());
    for (auto each : state)
        nestwright::support::checkStop();
}

} // namespace

BENCHMARK(askWithoutScope);
BENCHMARK(askInScope);
