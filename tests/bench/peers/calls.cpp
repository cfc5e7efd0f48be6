// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/peers/calls.h"
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>

peers::Call *peers::made(const std::function<Call()> &make)
{
    try {
        return new Call(make());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return nullptr;
    }
}

/// Seconds that so many calls take together.
extern "C" double peerSeconds(const peers::Call *call, std::int64_t count)
{
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < count; ++i)
        (*call)();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
