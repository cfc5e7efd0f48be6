// SPDX-License-Identifier: Apache-2.0
/// The elements of a kernel that lie far apart meet padding more often than the image: a dilated convolution
/// whose kernel is as wide as its image multiplies mostly zeros. What a kernel's element never meets is left
/// out; where much is left to be left out, each element is a convolution of 1×1 of the part of the image that
/// it meets, and the results are added.
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/ir/build/builder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace nestwright::graph {

namespace {

/// Parts cost a copy of what they read and an addition: they must save so much of the products.
constexpr double leastSaving = 1.9;
/// Fewer channels and filters make products too small to stand alone.
constexpr std::int64_t leastChannels = 64;

/// Elements of a dimension, from the first to behind the last.
struct Span {
    std::int64_t begin = 0, end = 0;
    std::int64_t size() const { return std::max<std::int64_t>(0, end - begin); }
};

/// One spatial dimension of a convolution with stride 1.
struct Dimension {
    std::int64_t image = 0, result = 0, kernel = 0, dilation = 1, before = 0, after = 0; ///< padding

    std::int64_t shift(std::int64_t element) const { return element * dilation - before; }
    /// Range of results that an element of the kernel contributes to.
    Span results(std::int64_t element) const
    {
        return {std::max<std::int64_t>(0, -shift(element)), std::min(result, image - shift(element))};
    }
    /// Elements of the kernel that meet the image.
    Span met() const
    {
        Span found{kernel, 0};
        for (std::int64_t element = 0; element < kernel; ++element) {
            if (results(element).size() > 0)
                found = {std::min(found.begin, element), element + 1};
        }
        return found;
    }
    /// The same with a part of the kernel.
    Dimension with(Span part) const
    {
        Dimension less = *this;
        less.kernel = part.size();
        less.before = -shift(part.begin);
        less.after -= (kernel - part.end) * dilation;
        return less;
    }
};

struct Convolution {
    std::array<Dimension, 2> dimensions;
    std::int64_t channels = 0, filters = 0;

    static std::optional<Convolution> of(Rewritten &r);
    /// Products of the convolution as it is, and of the parts of the image alone, for each channel and
    /// filter.
    double products() const;
    double productsMet() const;
};

std::optional<Convolution> Convolution::of(Rewritten &r)
{
    if (!isCall(r.node, "nn.conv") || !r.inputNode(1).isConstant())
        return std::nullopt;
    const auto image = r.builder.typeOf(r.inputs[0]).constantShape(),
               weights = r.builder.typeOf(r.inputs[1]).constantShape(),
               result = r.node.types[0].constantShape();
    const auto list = [&](std::string_view name) {
        return std::get<Ints>(r.node.attributes.find(name)->second);
    };
    const auto groups = std::get<std::int64_t>(r.node.attributes.find("groups")->second);
    const Ints strides = list("strides"), padding = list("padding"), dilation = list("dilation");
    const bool isPlain = std::ranges::all_of(strides, [](std::int64_t each) { return each == 1; });
    if (!image || !weights || !result || image->size() != 4 || groups != 1 || !isPlain || dilation.size() != 2
        || padding.size() != 4) // else nothing lies far apart, or beyond the image
        return std::nullopt;
    Convolution found{.dimensions = {}, .channels = (*weights)[1], .filters = (*weights)[0]};
    for (std::size_t d = 0; d < 2; ++d)
        found.dimensions[d] = {(*image)[2 + d], (*result)[2 + d], (*weights)[2 + d],
                               dilation[d],     padding[d],       padding[2 + d]};
    return found;
}

double Convolution::products() const
{
    double count = 1;
    for (const Dimension &d : dimensions)
        count *= static_cast<double>(d.kernel * d.result);
    return count;
}

double Convolution::productsMet() const
{
    double count = 1;
    for (const Dimension &d : dimensions) {
        std::int64_t met = 0;
        for (std::int64_t element = 0; element < d.kernel; ++element)
            met += d.results(element).size();
        count *= static_cast<double>(met);
    }
    return count;
}

/// The part of the weights F×C×K×K that the spans of rows and columns cut out.
ir::NdArray partOf(const ir::NdArray &weights, Span rows, Span columns)
{
    const Ints &shape = weights.shape();
    ir::NdArray part(weights.dtype(), {shape[0], shape[1], rows.size(), columns.size()});
    const auto unit = static_cast<std::size_t>(weights.dtype().bytes());
    const std::byte *from = weights.bytes().data();
    std::byte *to = part.bytes().data();
    for (std::int64_t kernel = 0; kernel < shape[0] * shape[1]; ++kernel) {
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::size_t bytes = static_cast<std::size_t>(columns.size()) * unit;
            const auto first = static_cast<std::size_t>((kernel * shape[2] + row) * shape[3] + columns.begin);
            std::memcpy(to, from + first * unit, bytes);
            to += bytes;
        }
    }
    return part;
}

class Splitting {
public:
    Splitting(Rewritten &r, Convolution convolution) : m_r(r), m_convolution(std::move(convolution)) {}

    /// One convolution of the elements that meet the image.
    Value trimmed(Span rows, Span columns)
    {
        ops::Attributes attributes = m_r.node.attributes;
        const Dimension row = m_convolution.dimensions[0].with(rows),
                        column = m_convolution.dimensions[1].with(columns);
        attributes["padding"] = Ints{row.before, column.before, row.after, column.after};
        return m_r.call("nn.conv", {m_r.inputs[0], weights(rows, columns)}, attributes);
    }

    Value split(Span rows, Span columns)
    {
        std::optional<Value> sum;
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            for (std::int64_t column = columns.begin; column < columns.end; ++column) {
                const Value part = element(row, column);
                sum = sum ? m_r.call("add", {*sum, part}) : part;
            }
        }
        return *sum;
    }

private:
    Value weights(Span rows, Span columns)
    {
        const Node &given = m_r.inputNode(1);
        return m_r.builder.constant(partOf(*given.data, rows, columns), given.name);
    }

    /// Contribution of one element of the kernel to the results, and 0 elsewhere.
    Value element(std::int64_t row, std::int64_t column)
    {
        const std::array at{row, column};
        Ints padding, cutBehind, width{0, 0}, after{0, 0};
        for (std::size_t d = 0; d < 2; ++d) {
            const Dimension &dimension = m_convolution.dimensions[d];
            const Span results = dimension.results(at[d]);
            padding.push_back(-(results.begin + dimension.shift(at[d])));
            cutBehind.push_back(results.end + dimension.shift(at[d]) - dimension.image);
            width.push_back(results.begin);
            after.push_back(dimension.result - results.end);
        }
        width.insert(width.end(), after.begin(), after.end());
        padding.insert(padding.end(), cutBehind.begin(), cutBehind.end());
        const Value part =
            m_r.call("nn.conv", {m_r.inputs[0], weights({row, row + 1}, {column, column + 1})},
                     {{"padding", padding}, {"out_dtype", m_r.node.attributes.find("out_dtype")->second}});
        return std::ranges::all_of(width, [](std::int64_t each) { return each == 0; })
                   ? part
                   : m_r.call("nn.pad", {part}, {{"pad_width", width}});
    }

    Rewritten &m_r;
    Convolution m_convolution;
};

std::optional<std::vector<Value>> withoutPadding(Rewritten &r)
{
    auto convolution = Convolution::of(r);
    if (!convolution)
        return std::nullopt;
    const Span rows = convolution->dimensions[0].met(), columns = convolution->dimensions[1].met();
    if (rows.size() == 0 || columns.size() == 0)
        return std::nullopt;
    Convolution trimmed = *convolution;
    trimmed.dimensions = {trimmed.dimensions[0].with(rows), trimmed.dimensions[1].with(columns)};
    const bool isSplit = std::min(convolution->channels, convolution->filters) >= leastChannels
                         && trimmed.products() >= leastSaving * trimmed.productsMet();
    if (!isSplit && trimmed.products() == convolution->products())
        return std::nullopt;
    Splitting splitting(r, *convolution);
    return std::vector{isSplit ? splitting.split(rows, columns) : splitting.trimmed(rows, columns)};
}

} // namespace

Function splitDilatedConv2d(const Function &function) { return rewrite(function, withoutPadding); }

} // namespace nestwright::graph
