// SPDX-License-Identifier: Apache-2.0
#include "core/graph/transposed.h"

#include "core/support/errors/errors.h"
#include "core/support/parallel.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace nestwright::graph {

namespace {

using Extents = std::vector<std::int64_t>;

/// Elements that two loops move, and their steps in elements; columns of the result lie beside each other.
struct Plane {
    std::int64_t rows = 1, columns = 1;
    std::int64_t rowFrom = 0, columnFrom = 0;
    std::int64_t rowTo = 0;
};

/// Rows of a plane: lines of the cache that stay there, on either side.
constexpr std::int64_t planeBlock = 16;

/// Moves elements of `width` bytes.
template <std::size_t width> void movePlane(const std::byte *from, std::byte *to, const Plane &plane)
{
    if (plane.rows == 1 && plane.columnFrom == 1) {
        std::memcpy(to, from, static_cast<std::size_t>(plane.columns) * width);
        return;
    }
    for (std::int64_t j = 0; j < plane.columns; ++j) {
        for (std::int64_t i = 0; i < plane.rows; ++i)
            std::memcpy(to + static_cast<std::size_t>(i * plane.rowTo + j) * width,
                        from + static_cast<std::size_t>(i * plane.rowFrom + j * plane.columnFrom) * width,
                        width);
    }
}

} // namespace

ir::NdArray transposed(const ir::NdArray &from, std::span<const std::int64_t> axes)
{
    const std::size_t rank = axes.size(), width = static_cast<std::size_t>(from.dtype().bytes());
    const auto move = width == 1   ? movePlane<1>
                      : width == 2 ? movePlane<2>
                      : width == 4 ? movePlane<4>
                      : width == 8 ? movePlane<8>
                                   : nullptr;
    NW_ASSERT(move, "an element has 1, 2, 4 or 8 bytes");
    Extents ownFrom(rank, 1), stepTo(rank, 1), stepFrom, shape; // steps in elements
    for (std::size_t i = rank; i-- > 1;)
        ownFrom[i - 1] = ownFrom[i] * from.shape()[i];
    for (const std::int64_t axis : axes) {
        stepFrom.push_back(ownFrom[static_cast<std::size_t>(axis)]);
        shape.push_back(from.shape()[static_cast<std::size_t>(axis)]);
    }
    for (std::size_t i = rank; i-- > 1;)
        stepTo[i - 1] = stepTo[i] * shape[i];
    auto to = ir::NdArray::uninitialized(from.dtype(), shape);
    const std::shared_ptr<const std::byte> source = from.source();
    // The axis that is innermost in `from` goes with the innermost one of `to`, in blocks.
    const std::size_t last = rank - 1;
    std::size_t inner = last;
    for (std::size_t axis = 0; axis < last; ++axis) {
        if (shape[axis] > 1 && (shape[inner] == 1 || stepFrom[axis] < stepFrom[inner]))
            inner = axis;
    }
    const std::int64_t rows = inner == last ? 1 : shape[inner];
    Extents blocks = shape;
    blocks[last] = 1;
    if (inner != last)
        blocks[inner] = (rows + planeBlock - 1) / planeBlock;
    const std::int64_t count =
        std::accumulate(blocks.begin(), blocks.end(), std::int64_t{1}, std::multiplies<>());
    const auto moveBlocks = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            Plane plane{.columns = shape[last],
                        .rowFrom = stepFrom[inner],
                        .columnFrom = stepFrom[last],
                        .rowTo = stepTo[inner]};
            std::int64_t placeFrom = 0, placeTo = 0, rest = block;
            for (std::size_t axis = rank; axis-- > 0;) {
                std::int64_t at = rest % blocks[axis];
                rest /= blocks[axis];
                if (axis == inner && inner != last) {
                    at *= planeBlock;
                    plane.rows = std::min(planeBlock, rows - at);
                }
                placeFrom += at * stepFrom[axis];
                placeTo += at * stepTo[axis];
            }
            move(source.get() + static_cast<std::size_t>(placeFrom) * width,
                 to.bytes().data() + static_cast<std::size_t>(placeTo) * width, plane);
        }
    };
    support::inParts(count, to.size() / support::elementsPerThread, moveBlocks);
    return to;
}

} // namespace nestwright::graph
