// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/onnx/file/made_array.h"

#include "core/support/errors/errors.h"
#include "core/support/errors/limits.h"
#include "core/support/text/bytes_text.h"

#include <algorithm>
#include <cstring>
#include <format>
#include <span>

namespace nestwright::graph::onnx {

namespace {

constexpr double mostBytes = 0x1p30;
constexpr double negligibleBytes = 4096; ///< not worth a search for an equal one

/// Bytes of constants without a name: those that importers made.
double madeBytes(const Function &function)
{
    double bytes = 0;
    for (const Node &node : function.nodes)
        bytes += node.isConstant() && node.name.empty() ? static_cast<double>(node.data->byteCount()) : 0;
    return bytes;
}

} // namespace

ir::NdArray madeArray(NodeImport &node, ir::DataType type, const std::vector<std::int64_t> &shape,
                      double value)
{
    ir::NdArray one(type, {});
    one.set(0, value);
    return madeArray(node, one, shape);
}

ir::NdArray madeArray(NodeImport &node, const ir::NdArray &value, const std::vector<std::int64_t> &shape)
{
    if (shape.size() > support::limits::tensorRank)
        node.unsupported(std::format("a constant of {} dimensions would be made; {} is the most",
                                     shape.size(), support::limits::tensorRank));
    const ir::DataType type = value.dtype();
    double bytes = type.bytes();
    for (const std::int64_t size : shape) {
        if (size < 0)
            node.unsupported("a size is negative");
        bytes *= static_cast<double>(size);
    }
    if (bytes > negligibleBytes && bytes + madeBytes(node.builder().function()) > mostBytes) {
        throw support::UserError(
            support::diagnostic("onnx.too-large",
                                std::format("a constant of {} would be made from a shape: with the others of "
                                            "this kind more than {}",
                                            support::bytesText(bytes), support::bytesText(mostBytes)))
                .withHint("the shape may be wrong; else store the constant in the model"));
    }
    ir::NdArray array(type, shape);
    const bool isZero = std::ranges::all_of(value.bytes(), [](std::byte b) { return b == std::byte{0}; });
    if (!isZero && array.size() > 0) { // doubling the filled part is faster than number by number
        const std::span<std::byte> all = array.bytes();
        std::ranges::copy(value.bytes(), all.begin());
        for (std::size_t done = static_cast<std::size_t>(type.bytes()); done < all.size(); done *= 2)
            std::memcpy(all.data() + done, all.data(), std::min(done, all.size() - done));
    }
    return array;
}

} // namespace nestwright::graph::onnx
