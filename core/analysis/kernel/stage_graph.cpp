// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/kernel/stage_graph.h"

#include "core/analysis/kernel/counts.h"
#include "core/ir/buffer_regions.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/build/walk.h"
#include "core/script/print/printer.h"

#include <algorithm>
#include <optional>

namespace nestwright::analysis {

namespace {

const ir::BufferStore *onlyStore(const ir::Block &block) { return block.body.as<ir::BufferStore>(); }

/// The variable's name without the "v_" or "v" that block variables carry.
std::string axisName(const ir::Var &var)
{
    const std::string &name = var.name();
    if (name.starts_with("v_") && name.size() > 2)
        return name.substr(2);
    return name.starts_with('v') && name.size() > 1 ? name.substr(1) : name;
}

std::string reductionName(const ir::BufferStore *store)
{
    const auto *binary = store ? store->value.as<ir::Binary>() : nullptr;
    if (!binary)
        return "reduction";
    switch (binary->op) {
    case ir::BinaryOp::Add: return "sum";
    case ir::BinaryOp::Max: return "max";
    case ir::BinaryOp::Min: return "min";
    case ir::BinaryOp::Mul: return "product";
    default: return "reduction";
    }
}

/// Whether an index of a load adds a spatial and a reduce variable, as a sliding window does.
bool isWindow(const ir::Expr &value, const ir::Block &block)
{
    bool found = false;
    ir::forEachExpr(value, [&](const ir::Expr &part) {
        const auto *load = part.as<ir::BufferLoad>();
        for (const ir::Expr &index : load ? load->indices : std::vector<ir::Expr>()) {
            bool spatial = false, reduce = false;
            for (const ir::IterVar &iter : block.iterVars) {
                if (ir::uses(index, iter.var))
                    (iter.kind == ir::IterKind::Reduce ? reduce : spatial) = true;
            }
            found = found || (spatial && reduce);
        }
        return true;
    });
    return found;
}

std::string reductionOperation(const ir::Block &block)
{
    const ir::BufferStore *store = onlyStore(block);
    const auto *sum = store ? store->value.as<ir::Binary>() : nullptr;
    const auto *product = sum && sum->op == ir::BinaryOp::Add ? sum->b.as<ir::Binary>() : nullptr;
    if (!product || product->op != ir::BinaryOp::Mul)
        return "reduction";
    if (isWindow(sum->b, block))
        return "convolution";
    return product->a.as<ir::BufferLoad>() && product->b.as<ir::BufferLoad>() ? "matmul" : "reduction";
}

std::string spatialOperation(const ir::Block &block)
{
    const ir::BufferStore *store = onlyStore(block);
    if (!store)
        return "opaque";
    const auto *guarded = store->value.as<ir::Call>();
    if (guarded && guarded->callee == ir::intrinsics::ifThenElse
        && guarded->args[2].kind() != ir::ExprKind::BufferLoad && ir::variablesOf(guarded->args[2]).empty())
        return "padding";
    bool aligned = true;
    ir::forEachExpr(store->value, [&](const ir::Expr &part) {
        const auto *load = part.as<ir::BufferLoad>();
        if (!load)
            return true;
        aligned = aligned && load->indices.size() == store->indices.size()
                  && std::equal(load->indices.begin(), load->indices.end(), store->indices.begin(),
                                [](const ir::Expr &a, const ir::Expr &b) { return a.same(b); });
        return true;
    });
    return aligned ? "elementwise" : "injective";
}

/// The operation at the top of a value: "exp", "add", "relu".
std::string valueName(const ir::Expr &value)
{
    if (const auto *call = value.as<ir::Call>())
        return call->callee == ir::intrinsics::ifThenElse ? "select" : call->callee.name();
    if (value.as<ir::Cast>())
        return "cast";
    if (value.as<ir::BufferLoad>())
        return "copy";
    const auto *binary = value.as<ir::Binary>();
    if (!binary)
        return {};
    switch (binary->op) {
    case ir::BinaryOp::Add: return "add";
    case ir::BinaryOp::Sub: return "subtract";
    case ir::BinaryOp::Mul: return "multiply";
    case ir::BinaryOp::Div: return "divide";
    case ir::BinaryOp::Min: return "min";
    case ir::BinaryOp::Max: {
        const auto *zero = binary->b.as<ir::FloatImm>();
        return (zero && zero->value == 0) || ir::isConstInt(binary->b, 0) ? "relu" : "max";
    }
    default: return {};
    }
}

std::string summaryOf(const ir::Block &block, std::optional<double> flops)
{
    std::string text;
    std::string axes;
    for (const ir::IterVar &iter : block.iterVars) {
        if (iter.kind == ir::IterKind::Reduce)
            axes += (axes.empty() ? "" : ", ") + axisName(iter.var);
    }
    const ir::BufferStore *store = onlyStore(block);
    if (!axes.empty())
        text = reductionName(store) + " over " + axes;
    else if (store)
        text = spatialOperation(block) == "padding" ? "padding" : valueName(store->value);
    if (flops && *flops > 0)
        text += (text.empty() ? "" : " · ") + flopsText(*flops);
    return text;
}

class GraphMaker {
public:
    explicit GraphMaker(const ir::PrimFunc &function) : m_function(function) {}

    StageGraph make()
    {
        std::vector<const ir::Block *> blocks;
        ir::forEachStmt(m_function.root()->body, [&](const ir::Stmt &s) {
            if (const auto *block = s.as<ir::Block>())
                blocks.push_back(block);
            return s.kind() != ir::StmtKind::Block;
        });
        for (const ir::Param &param : m_function.params) {
            if (param.buffer && !writesTo(blocks, param.buffer))
                m_sources.emplace(param.buffer,
                                  addNode(Kind::Placeholder, param.buffer.name(), param.buffer));
        }
        for (const ir::Block *block : blocks)
            addStage(*block);
        for (const ir::Param &param : m_function.params) {
            if (param.buffer && writesTo(blocks, param.buffer)) {
                const int node = addNode(Kind::Output, param.buffer.name(), param.buffer);
                m_graph.edges.push_back({m_sources.at(param.buffer), node, param.buffer});
            }
        }
        return std::move(m_graph);
    }

private:
    using Kind = StageGraph::Kind;
    using Node = StageGraph::Node;

    static bool writesTo(const std::vector<const ir::Block *> &blocks, const ir::Buffer &buffer)
    {
        return std::any_of(blocks.begin(), blocks.end(),
                           [&](const ir::Block *block) { return ir::hasRegion(block->writes, buffer); });
    }

    int addNode(Kind kind, const std::string &name, const ir::Buffer &buffer)
    {
        Node node;
        node.kind = kind;
        node.name = name;
        if (buffer) {
            node.shape = buffer.shape();
            node.dtype = buffer.dtype();
        }
        m_graph.nodes.push_back(std::move(node));
        return static_cast<int>(m_graph.nodes.size()) - 1;
    }

    void addStage(const ir::Block &block)
    {
        const int index =
            addNode(Kind::Stage, block.name, block.writes.empty() ? ir::Buffer() : block.writes[0].buffer);
        Node &node = m_graph.nodes.back();
        const std::optional<Counts> counts = operationsOf(block);
        const auto flops = counts.transform([](const Counts &c) { return c.flops + c.transcendental; });
        const bool reduces =
            std::any_of(block.iterVars.begin(), block.iterVars.end(),
                        [](const ir::IterVar &iter) { return iter.kind == ir::IterKind::Reduce; });
        node.operation = reduces ? reductionOperation(block) : spatialOperation(block);
        node.summary = summaryOf(block, flops);
        node.flops = flops.value_or(0);
        node.block = block.id;
        for (const ir::BufferRegion &read : block.reads) {
            // A buffer that nothing has written yet brings no data.
            if (const auto source = m_sources.find(read.buffer); source != m_sources.end())
                m_graph.edges.push_back({source->second, index, read.buffer});
        }
        for (const ir::BufferRegion &write : block.writes)
            m_sources[write.buffer] = index;
    }

    const ir::PrimFunc &m_function;
    StageGraph m_graph;
    ir::BufferMap<int> m_sources; ///< the node each buffer's data comes from at this point
};

std::string extentText(const ir::Expr &extent)
{
    if (const std::int64_t *value = ir::asInt(extent))
        return std::to_string(*value);
    if (extent.kind() == ir::ExprKind::Binary) {
        std::string text = script::printExpr(extent);
        std::erase(text, ' ');
        return text;
    }
    return extent.kind() == ir::ExprKind::Var ? ir::Var::from(extent).name() : "?";
}

} // namespace

StageGraph stageGraph(const ir::Module &module, const std::string &name)
{
    ir::Function function = name.empty() ? nullptr : module.find(name);
    if (name.empty() && module.mainEntry())
        function = module.mainEntry()->function;
    if (!function || !function->root())
        return {};
    return GraphMaker(*function).make();
}

std::string shapeText(const std::vector<ir::Expr> &shape, ir::DataType dtype)
{
    std::string text;
    for (const ir::Expr &extent : shape)
        text += (text.empty() ? "" : "×") + extentText(extent);
    std::string type = dtype.str();
    for (const auto &[longName, shortName] :
         {std::pair{"bfloat", "bf"}, {"float", "f"}, {"uint", "u"}, {"int", "i"}}) {
        if (type.starts_with(longName)) {
            type = shortName + type.substr(std::string_view(longName).size());
            break;
        }
    }
    return text.empty() ? type : text + " " + type;
}

} // namespace nestwright::analysis
