// SPDX-License-Identifier: Apache-2.0
#include "app/cli/in_child.h"

#include "core/graph/program/weight_files.h"

#include <chrono>
#include <cstring>
#include <iostream>
#include <stop_token>

namespace nestwright::cli {

using measure::Enclosure;
using measure::Line;
using measure::Message;
using support::Diagnostic;
using support::diagnostic;
using support::fail;
using support::Result;
using Clock = std::chrono::steady_clock;

namespace {

constexpr char partMark = '\x1f'; ///< between the parts of an error

Message messageOf(const Result<void> &outcome)
{
    Message message;
    message.kind = static_cast<std::int32_t>(outcome ? ChildWord::Done : ChildWord::Failed);
    if (!outcome)
        message.setText(outcome.error().code + partMark + outcome.error().message + partMark
                        + outcome.error().hint);
    return message;
}

Diagnostic errorIn(const Message &message)
{
    const std::string text(message.text, strnlen(message.text, sizeof message.text));
    const std::size_t first = text.find(partMark), second = text.find(partMark, first + 1);
    const auto shown = [](const std::string &part) {
        Message clean;
        clean.setText(part);
        return clean.cleanText();
    };
    if (first == std::string::npos || second == std::string::npos)
        return diagnostic("kernel.crash", shown(text));
    return diagnostic(shown(text.substr(0, first)), shown(text.substr(first + 1, second - first - 1)))
        .withHint(shown(text.substr(second + 1)));
}

} // namespace

Result<void> inChild(int timeout, const std::function<Result<void>(const Line &line)> &body,
                     const std::function<void(const Message &)> &hear)
{
    std::cout << std::flush;
    auto child = Enclosure::start([&](const Line &line) {
        line.send(messageOf(body(line)));
        return 0;
    });
    if (!child)
        return std::unexpected(child.error());
    const auto end = Clock::now() + std::chrono::seconds(timeout);
    std::stop_source late;
    const auto look = [&] {
        if (Clock::now() > end)
            late.request_stop();
    };
    while (true) {
        look();
        const auto message = child->receive(std::chrono::hours(1000), look, late.get_token());
        if (!message && late.stop_requested())
            return fail(diagnostic("kernel.time-out",
                                   "the kernel did not finish within " + std::to_string(timeout) + " s")
                            .withHint("raise --timeout if it is only slow"));
        if (!message)
            return fail("kernel.crash", message.error().message);
        if (message->kind == static_cast<std::int32_t>(ChildWord::Done))
            return graph::WeightFiles().check();
        if (message->kind == static_cast<std::int32_t>(ChildWord::Failed))
            return fail(errorIn(*message));
        if (hear)
            hear(*message);
    }
}

} // namespace nestwright::cli
