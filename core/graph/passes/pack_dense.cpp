// SPDX-License-Identifier: Apache-2.0
// Products with weights that are known read them panel by panel: the columns of a few vectors stand in one
// piece, so that a panel is read from front to back and stays in the cache for all rows. (After the packed
// operands of K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008.)
#include "core/graph/passes/declarations.h"
#include "core/graph/passes/rewrite.h"
#include "core/support/parallel.h"
#include "core/target/machine.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

namespace nestwright::graph {

namespace {

/// Vectors of a panel at most: with all sums and a number of the other operand they leave a register free. A
/// product of 16 registers that took all had half the speed, since LLVM put sums aside.
std::int64_t mostVectors(const target::Machine &machine)
{
    constexpr std::int64_t most = 4;
    std::int64_t vectors = most;
    while (vectors > 1 && machine.vectors.sums / vectors * vectors + vectors + 1 >= machine.vectors.registers)
        --vectors;
    return vectors;
}

/// Columns of a panel: as many vectors as divide the matrix evenly, else one.
std::int64_t widthFor(const target::Machine &machine, std::int64_t columns, std::int64_t elementBytes)
{
    const std::int64_t lanes = machine.vectors.bytes / elementBytes;
    for (std::int64_t vectors = mostVectors(machine); vectors > 1; --vectors) {
        if (columns % (vectors * lanes) == 0)
            return vectors * lanes;
    }
    return columns % lanes == 0 ? lanes : mostVectors(machine) * lanes;
}

/// The rows that are summed up together, for so many in all and so many vectors of a panel: as many as leave
/// registers for sums, in as few rounds as can be.
std::int64_t rowMultiple(const target::Machine &machine, std::int64_t rows, std::int64_t vectors)
{
    constexpr std::int64_t shared = 4; // what a round costs besides its rows
    std::int64_t best = 1, least = rows * (1 + shared);
    for (std::int64_t multiple = 2; multiple <= std::min(rows, machine.vectors.sums / vectors); ++multiple) {
        const std::int64_t cost = (rows + multiple - 1) / multiple * (multiple + shared);
        if (cost <= least) {
            best = multiple;
            least = cost;
        }
    }
    return best;
}

/// … × k × n as … × panels × k × columns of a panel; columns that are missing are 0.
ir::NdArray packed(const ir::NdArray &matrix, std::int64_t width)
{
    const Ints &shape = matrix.shape();
    const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
    const std::int64_t panels = (columns + width - 1) / width;
    Ints result(shape.begin(), shape.end() - 2);
    result.insert(result.end(), {panels, rows, width});
    auto made = columns % width == 0 ? ir::NdArray::uninitialized(matrix.dtype(), result)
                                     : ir::NdArray(matrix.dtype(), result);
    const std::shared_ptr<const std::byte> source = matrix.source();
    const auto element = static_cast<std::size_t>(matrix.dtype().bytes());
    const std::int64_t matrices = rows * columns == 0 ? 0 : matrix.size() / (rows * columns);
    const auto at = [&](std::int64_t index) { return static_cast<std::size_t>(index) * element; };
    const auto packPanels = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t each = begin; each < end; ++each) {
            const std::int64_t batch = each / panels, panel = each % panels;
            const std::int64_t count = std::min(width, columns - panel * width);
            for (std::int64_t row = 0; row < rows; ++row) {
                const std::int64_t from = (batch * rows + row) * columns + panel * width;
                const std::int64_t to = (each * rows + row) * width;
                std::memcpy(made.bytes().data() + at(to), source.get() + at(from), at(count));
            }
        }
    };
    support::inParts(matrices * panels, made.size() / support::elementsPerThread, packPanels);
    return made;
}

class PackPass {
public:
    PackPass(Function function, const target::Machine &machine)
        : m_function(std::move(function))
        , m_machine(machine)
        , m_unpacked(m_function.nodes.size(), 0)
    {
        for (const Node &node : m_function.nodes) {
            for (const Value input : node.inputs)
                ++m_unpacked[static_cast<std::size_t>(input.node)];
        }
        for (const Value output : m_function.outputs)
            ++m_unpacked[static_cast<std::size_t>(output.node)];
    }

    Function run()
    {
        return rewrite(m_function, [this](Rewritten &r) {
            auto packed = replacement(r);
            if (packed && --m_unpacked[static_cast<std::size_t>(r.node.inputs[1].node)] == 0)
                release(r);
            return packed;
        });
    }

private:
    /// Lets go of a matrix that nothing reads any more: weights are large, and were there twice otherwise.
    void release(Rewritten &r)
    {
        m_function.nodes[static_cast<std::size_t>(r.node.inputs[1].node)].data.reset();
        r.builder.release(r.inputs[1]);
    }

    std::optional<std::vector<Value>> replacement(Rewritten &r)
    {
        if (!isCall(r.node, "nn.matmul") || !r.inputNode(1).isConstant())
            return std::nullopt;
        const auto isSet = [&](std::string_view name) {
            return std::get<bool>(r.node.attributes.find(name)->second);
        };
        const ir::NdArray &weights = *r.inputNode(1).data;
        const std::int64_t columns = weights.shape().back(), bytes = weights.dtype().bytes();
        if (isSet("transpose_a") || isSet("transpose_b") || !weights.dtype().isFloating()
            || columns * bytes < m_machine.vectors.bytes || weights.size() * bytes < m_machine.first.matrix
            || !r.node.types[0].constantShape())
            return std::nullopt;
        const std::int64_t width = widthFor(m_machine, columns, bytes);
        auto found = m_packed.find(r.inputs[1]);
        if (found == m_packed.end()) {
            const std::string name = r.inputNode(1).name;
            found = m_packed.emplace(r.inputs[1], r.builder.constant(packed(weights, width), name)).first;
        }
        const Ints shape = *r.node.types[0].constantShape();
        const auto isWide = [](std::int64_t size) { return size != 1; };
        const auto rowAxis = std::find_if(shape.rbegin() + 1, shape.rend(), isWide);
        const std::int64_t rows = rowAxis == shape.rend() ? 1 : *rowAxis;
        const ops::Attributes attributes{
            {"out_dtype", r.node.attributes.find("out_dtype")->second},
            {"row_multiple", rowMultiple(m_machine, rows, width * bytes / m_machine.vectors.bytes)}};
        const Value product = r.call("nn.packed_matmul", {r.inputs[0], found->second}, attributes);
        if (columns % width == 0)
            return std::vector{product};
        return std::vector{r.builder.call(
            "strided_slice", {product},
            {{"begin", Ints{0}}, {"end", Ints{columns}}, {"axes", Ints{-1}}, {"strides", Ints{1}}},
            r.node.name)};
    }

    Function m_function;
    const target::Machine &m_machine;
    std::vector<int> m_unpacked;     ///< per node: readers that are not packed (yet)
    std::map<Value, Value> m_packed; ///< by the matrix
};

} // namespace

Function packDense(Function function, const target::Machine &machine)
{
    return PackPass(std::move(function), machine).run();
}

} // namespace nestwright::graph
