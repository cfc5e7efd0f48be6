// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph_pages.h"

#include "app/kernel_pages.h"
#include "core/graph/passes/change.h"
#include "core/session/model.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>

namespace nestwright::app {

namespace {

QString tr(const char *text) { return QCoreApplication::translate("GraphPages", text); }

QString typeText(const graph::TensorType &type)
{
    return QString::fromStdString(te::shapeText(type.shape, type.dtype));
}

QString operatorOf(const graph::Node &node)
{
    return QString::fromUtf8(node.op->name.substr(node.op->name.rfind('.') + 1)).replace(u'_', u' ');
}

QString attributesOf(const graph::Node &node)
{
    QStringList lines;
    for (const ops::AttributeField &field : node.op->attributes) {
        const ops::AttributeValue &value = node.attributes.find(field.name)->second;
        if (value != field.defaultValue)
            lines << QString::fromUtf8(field.name) + u'=' + QString::fromStdString(ops::str(value));
    }
    return lines.join(QStringLiteral(", "));
}

/// The operators that a node computes: itself, or those of its group; none of a call.
std::vector<const graph::Node *> operatorsIn(const graph::Node &node)
{
    std::vector<const graph::Node *> found;
    if (node.op)
        found.push_back(&node);
    if (node.kind == graph::NodeKind::Group) {
        for (const graph::Node &inner : node.function->nodes) {
            if (inner.op)
                found.push_back(&inner);
        }
    }
    return found;
}

/// Applied to all operators in a node, joined.
template <class Text> QString joined(const graph::Node &node, const QString &between, const Text &text)
{
    QStringList texts;
    for (const graph::Node *each : operatorsIn(node)) {
        if (const QString one = text(*each); !one.isEmpty())
            texts << one;
    }
    return texts.join(between);
}

QString weightsOf(const graph::Function &function, const graph::Node &node)
{
    QStringList lines;
    for (const graph::Value input : node.inputs) {
        const graph::Node &from = function.at(input);
        if (from.isConstant())
            lines << tr("weights %1").arg(typeText(from.types[0]));
    }
    return lines.join(u'\n');
}

/// "layer1", "conv1" of "/layer1/conv1/Conv".
QStringList scopeOf(const std::string &name)
{
    const QString text = QString::fromStdString(name);
    return text.left(std::max<qsizetype>(text.lastIndexOf(u'/'), 0)).split(u'/', Qt::SkipEmptyParts);
}

/// The part at the beginning that scopes have in common.
class SharedScope {
public:
    void add(const QStringList &scope)
    {
        if (!m_shared) {
            m_shared = scope;
            return;
        }
        const auto differs = std::ranges::mismatch(*m_shared, scope);
        m_shared->erase(differs.in1, m_shared->end());
    }
    void addOperators(const graph::Node &node)
    {
        for (const graph::Node *each : operatorsIn(node)) {
            if (!each->name.empty())
                add(scopeOf(each->name));
        }
    }
    const std::optional<QStringList> &shared() const { return m_shared; }

private:
    std::optional<QStringList> m_shared; // nothing before the first
};

QStringList scopeOf(const graph::Node &node)
{
    SharedScope scope;
    scope.addOperators(node);
    return scope.shared() ? *scope.shared() : scopeOf(node.name);
}

double bytesOf(const graph::Function &function, const graph::Node &node)
{
    double bytes = 0;
    for (const graph::Value input : node.inputs)
        bytes += static_cast<double>(graph::bytesOf(function.typeOf(input)));
    for (const graph::TensorType &type : node.types)
        bytes += static_cast<double>(graph::bytesOf(type));
    return bytes;
}

int idOf(const graph::Node &node) { return static_cast<int>(node.id.value); }

} // namespace

canvas::GraphData graphOf(const te::StageGraph &stages)
{
    canvas::GraphData graph;
    for (int i = 0; i < static_cast<int>(stages.nodes.size()); ++i) {
        const te::GraphNode &node = stages.nodes[static_cast<std::size_t>(i)];
        const QString shape = QString::fromStdString(te::shapeText(node.shape, node.dtype));
        canvas::GraphNode shown;
        shown.id = i;
        shown.title = QString::fromStdString(node.name);
        shown.kind = node.kind == te::NodeKind::Placeholder ? canvas::NodeKind::Input
                     : node.kind == te::NodeKind::Stage     ? canvas::NodeKind::Compute
                                                            : canvas::NodeKind::Output;
        if (node.kind == te::NodeKind::Stage && !node.operation.empty())
            shown.title += QStringLiteral("  ") + QString::fromStdString(node.operation);
        if (node.kind == te::NodeKind::Output)
            shown.title = tr("output");
        shown.subtitle = node.summary.empty() ? shape : QString::fromStdString(node.summary);
        shown.detail = shape;
        graph.nodes.push_back(std::move(shown));
    }
    for (const te::GraphEdge &edge : stages.edges) {
        const QString shape = QString::fromStdString(te::shapeText(edge.buffer.shape(), edge.buffer.dtype()));
        graph.nodes[static_cast<std::size_t>(edge.from)].buffer = QString::fromStdString(edge.buffer.name());
        const bool inner = stages.nodes[static_cast<std::size_t>(edge.from)].kind == te::NodeKind::Stage;
        graph.edges.push_back({edge.from, edge.to, inner ? shape : QString(),
                               QString::fromStdString(edge.buffer.name()) + u' ' + shape});
    }
    for (canvas::GraphNode &node : graph.nodes) {
        if (!node.buffer.isEmpty())
            node.detail +=
                u'\n' + tr("Drag %1 onto a loop: it then works on a copy of its part").arg(node.buffer);
    }
    return graph;
}

namespace {

/// The nodes of a model; those that were fused are groups of their operators.
class ModelGraph {
public:
    explicit ModelGraph(const graph::Function &function)
        : m_function(function)
        , m_stepOf(m_function.nodes.size())
    {
    }
    ModelGraph(const session::Model &model, const document::ModelTime *time)
        : ModelGraph(model.program.function)
    {
        m_model = &model;
        m_time = time;
        for (const graph::ProgramStep &step : model.program.steps)
            m_stepOf[static_cast<std::size_t>(step.node)] = &step;
    }

    canvas::GraphData graph()
    {
        SharedScope scope;
        for (const graph::Node &node : m_function.nodes)
            scope.addOperators(node);
        if (scope.shared()) // a frame around everything says nothing
            m_outerScopes = scope.shared()->size();
        for (std::size_t i = 0; i < m_function.nodes.size(); ++i) {
            if (!m_function.nodes[i].isConstant())
                add(i);
        }
        for (std::size_t i = 0; i < m_function.outputs.size(); ++i) {
            if (m_function.at(m_function.outputs[i]).isConstant())
                continue;
            canvas::GraphNode shown;
            shown.id = -2 - static_cast<int>(i);
            shown.kind = canvas::NodeKind::Output;
            shown.title = tr("output");
            shown.subtitle = QString::fromStdString(m_function.outputNames[i]);
            shown.detail = typeText(m_function.typeOf(m_function.outputs[i]));
            connect(m_function.outputs[i], shown.id);
            m_data.nodes.push_back(std::move(shown));
        }
        return std::move(m_data);
    }

private:
    void add(std::size_t place)
    {
        const graph::Node &node = m_function.nodes[place];
        canvas::GraphNode shown;
        shown.id = idOf(node);
        shown.name = QString::fromStdString(node.name);
        shown.subtitle = typeText(node.types[0]);
        if (node.kind == graph::NodeKind::Input) {
            shown.kind = canvas::NodeKind::Input;
            shown.title = shown.name;
        } else {
            shown.title = node.kind == graph::NodeKind::Call
                              ? QString::fromStdString(node.function->name)
                              : joined(node, QStringLiteral(" · "), operatorOf);
            shown.attributes = joined(node, QStringLiteral(", "), attributesOf);
            shown.detail = weightsOf(m_function, node);
            shown.scope = scopeOf(node).mid(m_outerScopes).join(u'/');
            addCosts(place, shown);
        }
        if (node.function && operatorsIn(node).size() > 1)
            return addGroup(node, std::move(shown));
        m_leaves[shown.id] = {};
        for (const graph::Value input : node.inputs)
            connect(input, shown.id);
        m_data.nodes.push_back(std::move(shown));
    }

    void addCosts(std::size_t place, canvas::GraphNode &shown) const
    {
        const graph::ProgramStep *step = m_stepOf[place];
        if (!step)
            return;
        shown.numbers.bytes = bytesOf(m_function, m_function.nodes[place]);
        const auto number = static_cast<std::size_t>(step->kernel);
        const graph::Kernel &kernel = m_model->program.kernels[number];
        if (const double flops = m_model->flops[number]; flops > 0) {
            shown.numbers.flops = flops;
            shown.subtitle = QString::fromStdString(te::flopsText(flops));
        }
        if (!m_time || !m_time->kernels.contains(kernel.name))
            return;
        const document::KernelTime &of = m_time->kernels.at(kernel.name);
        shown.numbers.seconds = of.seconds / static_cast<double>(kernel.nodes.size());
        shown.share = shown.numbers.seconds / m_time->seconds.median;
        if (const std::optional<double> fraction = peakFraction(of, *m_time))
            shown.numbers.peakFraction = *fraction;
    }

    /// Its operators are the nodes; whatever reads the group reads those that compute its results.
    void addGroup(const graph::Node &node, canvas::GraphNode shown)
    {
        const graph::Function &inside = *node.function;
        const QString path =
            (shown.scope.isEmpty() ? QString() : shown.scope + u'/') + u'#' + QString::number(node.id.value);
        std::vector<int> ids(inside.nodes.size(), -1);
        const std::vector<int> inputs = inside.inputs();
        for (std::size_t i = 0; i < inside.nodes.size(); ++i) {
            const graph::Node &inner = inside.nodes[i];
            if (!inner.op)
                continue;
            canvas::GraphNode leaf;
            leaf.id = ids[i] = m_nextInner++;
            leaf.title = operatorOf(inner);
            leaf.subtitle = typeText(inner.types[0]);
            leaf.name = QString::fromStdString(inner.name);
            leaf.attributes = attributesOf(inner);
            leaf.detail = weightsOf(inside, inner);
            leaf.scope = path;
            for (const graph::Value input : inner.inputs) {
                const auto from = static_cast<std::size_t>(input.node);
                if (ids[from] >= 0)
                    connect(ids[from], leaf.id, typeText(inside.typeOf(input)), leaf.name);
                const auto parameter = std::ranges::find(inputs, input.node);
                if (parameter != inputs.end())
                    connect(node.inputs[static_cast<std::size_t>(parameter - inputs.begin())], leaf.id);
            }
            m_data.nodes.push_back(std::move(leaf));
        }
        std::vector<int> results;
        for (const graph::Value output : inside.outputs)
            results.push_back(ids[static_cast<std::size_t>(output.node)]);
        m_leaves[shown.id] = std::move(results);
        m_data.groups.push_back({path, std::move(shown)});
    }

    /// From what computes a value of the model.
    void connect(graph::Value value, int to)
    {
        const graph::Node &from = m_function.at(value);
        if (from.isConstant())
            return;
        const std::vector<int> &leaves = m_leaves[idOf(from)];
        const int leaf = leaves.empty() ? idOf(from) : leaves[static_cast<std::size_t>(value.output)];
        connect(leaf, to, typeText(m_function.typeOf(value)), QString::fromStdString(from.name));
    }

    void connect(int from, int to, const QString &label, const QString &name)
    {
        m_data.edges.push_back({from, to, label, name + u' ' + label});
    }

    const graph::Function &m_function;
    const session::Model *m_model = nullptr; // null where only the graph is known
    const document::ModelTime *m_time = nullptr;
    std::vector<const graph::ProgramStep *> m_stepOf; // per node, or null
    std::map<int, std::vector<int>> m_leaves; // of a group: the ids of the operators that compute its results
    int m_nextInner = 1 << 24;                // beyond the ids of the model's own nodes
    qsizetype m_outerScopes = 0;              // that all nodes lie in
    canvas::GraphData m_data;
};

} // namespace

canvas::GraphData graphOf(const session::Model &model, const std::optional<document::ModelTime> &time)
{
    return ModelGraph(model, time ? &*time : nullptr).graph();
}

canvas::GraphData graphOf(const graph::Function &function) { return ModelGraph(function).graph(); }

std::pair<canvas::GraphData, canvas::GraphData> graphsOf(const graph::GraphPassRecord &record)
{
    std::pair graphs(graphOf(record.before), graphOf(record.after));
    const graph::GraphChange change = graph::changeOf(record.before, record.after);
    const auto mark = [&change](canvas::GraphNode &node) {
        if (node.id < 0)
            return;
        const graph::NodeId id{static_cast<std::uint32_t>(node.id)};
        node.mark = change.removed.contains(id)   ? canvas::NodeMark::Removed
                    : change.added.contains(id)   ? canvas::NodeMark::Added
                    : change.changed.contains(id) ? canvas::NodeMark::Changed
                                                  : canvas::NodeMark::None;
    };
    for (canvas::GraphData *data : {&graphs.first, &graphs.second}) {
        std::ranges::for_each(data->nodes, mark);
        std::ranges::for_each(data->groups, mark, &canvas::GraphGroup::node);
    }
    return graphs;
}

} // namespace nestwright::app
