// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/scene/segments.h"

#include <QHashFunctions>

#include <algorithm>

namespace nestwright::canvas {

namespace {

constexpr std::size_t leastCommon = 3; ///< readers

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Whether an item's result is read by several others, each of which depends on the one before: it goes
/// beside the parts, as a mask does that each layer has.
bool isCommon(const std::vector<std::vector<int>> &readers, std::size_t item)
{
    const std::vector<int> &own = readers[item]; // rising
    if (own.size() < leastCommon)
        return false;
    for (std::size_t i = 0; i + 1 < own.size(); ++i) {
        const int from = own[i], to = own[i + 1];
        std::vector<char> reached(at(to - from + 1), 0);
        reached[0] = 1;
        for (int place = from; place < to; ++place) {
            for (const int next : readers[at(place)]) {
                if (reached[at(place - from)] && next <= to)
                    reached[at(next - from)] = 1;
            }
        }
        if (!reached.back())
            return false;
    }
    return true;
}

} // namespace

std::vector<Segment> segmentsOf(const FrameLevel &level)
{
    const std::size_t count = level.items.size();
    std::vector<int> last(count, -1), change(count + 1, 0);
    std::vector<std::vector<int>> sources(count), readers(count);
    for (const auto &[from, to] : level.edges) {
        last[at(from)] = std::max(last[at(from)], to);
        sources[at(to)].push_back(from);
        readers[at(from)].push_back(to);
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (last[i] < 0 || isCommon(readers, i))
            continue;
        ++change[i];
        --change[at(last[i])];
    }
    std::vector<Segment> segments;
    Segment segment;
    int passing = 0;
    for (std::size_t i = 0; i < count; ++i) {
        passing += change[i];
        segment.things += level.items[i].things;
        segment.hash = qHashMulti(segment.hash, level.items[i].hash);
        for (const int from : sources[i]) { // inputs from outside make no difference
            if (at(from) >= segment.begin)
                segment.hash = qHashMulti(segment.hash, i - segment.begin, at(from) - segment.begin);
        }
        if (passing > 1)
            continue;
        segment.end = i + 1;
        segments.push_back(segment);
        segment = {.begin = i + 1};
    }
    return segments;
}

} // namespace nestwright::canvas
