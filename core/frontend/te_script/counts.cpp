// SPDX-License-Identifier: Apache-2.0
/// Steps and items of a script, counted so that one that goes on for ever ends with a word.
#include "core/frontend/te_script/interpreter.h"
#include "core/frontend/te_script/limits.h"
#include "core/support/errors/stop.h"

#include <format>

namespace nestwright::te {

void Interpreter::countStep(py::Position at)
{
    support::checkStop();
    if (++m_steps > limits::steps)
        fail(at, "te.too-long", std::format("the script goes on for more than {} steps", limits::steps),
             "is there a loop that does not end?");
}

void Interpreter::countItems(std::int64_t count, py::Position at)
{
    m_items += count;
    if (m_items > limits::items)
        fail(at, "te.too-long",
             std::format("the script goes through lists and strings of more than {} items together",
                         limits::items),
             "does a list or string grow in a loop? Data belong into tensors");
}

void Interpreter::countList(std::int64_t count, py::Position at)
{
    if (count > limits::listItems)
        fail(at, "te.too-long", std::format("a list of {} items; {} is the most", count, limits::listItems),
             "data belong into tensors");
    countItems(count, at);
}

void Interpreter::countText(std::int64_t bytes, py::Position at)
{
    if (bytes > limits::textBytes)
        fail(at, "te.too-long",
             std::format("a string of {} characters; {} is the most", bytes, limits::textBytes),
             "does a string grow in a loop?");
    countItems(bytes / 64, at);
}

} // namespace nestwright::te
