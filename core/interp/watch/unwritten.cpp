// SPDX-License-Identifier: Apache-2.0
#include "core/interp/watch/unwritten.h"

#include "core/interp/codes.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <format>

namespace nestwright::interp {

UnwrittenFinder::Origin UnwrittenFinder::originOf(const Frame &frame, const UnwrittenRead &read)
{
    const View &view = frame.views[read.target->view];
    std::int64_t left = read.offset / read.target->bufferLanes - view.offset;
    std::string element = read.target->buffer.name() + '[';
    for (std::size_t d = 0; d < view.dimensions.size(); ++d) {
        const std::int64_t stride = std::max<std::int64_t>(view.dimensions[d].stride, 1);
        element += (d ? ", " : "") + std::to_string(left / stride);
        left %= stride;
    }
    return {.element = element + ']', .name = read.target->buffer.name(), .place = read.target->place};
}

void UnwrittenFinder::pass(const Frame &frame, const UnwrittenRead &read, const Memory &to)
{
    if (m_origins.contains(to.data))
        return;
    const Memory &from = frame.memories[frame.views[read.target->view].memory];
    const auto earlier = m_origins.find(from.data);
    m_origins.emplace(to.data, earlier != m_origins.end() ? earlier->second : originOf(frame, read));
}

void UnwrittenFinder::report(const Origin &origin, const std::string &use)
{
    stopWith(origin.place, codes::unwritten,
             std::format("{} reads '{}', which nobody has written, and {}", origin.place.name(),
                         origin.element, use),
             "write the element before it is read, or see why the loops that write '" + origin.name
                 + "' leave it out");
}

void UnwrittenFinder::report(const Frame &frame, const UnwrittenRead &read, const std::string &use) const
{
    const Memory &from = frame.memories[frame.views[read.target->view].memory];
    const auto earlier = m_origins.find(from.data);
    report(earlier != m_origins.end() ? earlier->second : originOf(frame, read), use);
}

void UnwrittenFinder::checkOutput(const Memory &memory, const std::string &name) const
{
    const std::span bytes(memory.undefined, static_cast<std::size_t>(memory.bytes));
    const auto origin = m_origins.find(memory.data);
    if (origin != m_origins.end() && std::ranges::contains(bytes, std::uint8_t{HoldsUnwritten}))
        report(origin->second, "the value is in the result '" + name + '\'');
}

} // namespace nestwright::interp
