// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/graph_pages.h"

#include "app/present/node_names.h"
#include "app/present/type_text.h"
#include "core/analysis/kernel/counts.h"
#include "core/analysis/kernel/stage_graph.h"
#include "core/graph/passes/change.h"
#include "core/session/model/model.h"

#include <QCoreApplication>
#include <QHash>

#include <algorithm>
#include <map>

namespace nestwright::app {

namespace {

struct GraphPageText {
    Q_DECLARE_TR_FUNCTIONS(GraphPages)
};

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

/// "weights fire2/expand1x1_w_0 64×16×1×1 f32"; nothing where the value is computed.
QString weightsText(const graph::Function &function, graph::Value value)
{
    const graph::Node &from = function.at(value);
    if (!from.isConstant())
        return {};
    const QString type = typeText(from.types[0]);
    return from.name.empty()
               ? GraphPageText::tr("weights %1").arg(type)
               : GraphPageText::tr("weights %1 %2").arg(QString::fromStdString(from.name), type);
}

/// Its weights, and the names that the model has for its results, a line each.
QString tensorsText(const graph::Function &function, const graph::Node &node)
{
    QStringList lines;
    for (const graph::Value input : node.inputs)
        lines << weightsText(function, input);
    for (const std::string &tensor : node.tensors) {
        if (!tensor.empty() && tensor != node.name)
            lines << GraphPageText::tr("gives %1").arg(QString::fromStdString(tensor));
    }
    lines.removeAll(QString());
    return lines.join(u'\n');
}

/// "places of ant, bee, cat" for an output that is text, "columns ant, bee, cat" for one whose columns have
/// names; empty for others.
QString wordsOf(const graph::LabelTable &labels, const std::string &output)
{
    constexpr std::size_t mostShown = 8;
    const auto found = labels.find(output);
    if (found == labels.end())
        return {};
    const graph::Texts &texts = found->second.texts ? found->second.texts : found->second.columns;
    QStringList words;
    for (std::size_t i = 0; i < std::min(texts->size(), mostShown); ++i)
        words << QString::fromStdString((*texts)[i]);
    if (texts->size() > mostShown)
        words << QStringLiteral("…");
    const QString list = words.join(QStringLiteral(", "));
    return found->second.texts ? GraphPageText::tr("places of %1").arg(list)
                               : GraphPageText::tr("columns %1").arg(list);
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

constexpr int firstParameterId = -2; // -1 is no node

} // namespace

canvas::GraphData graphOf(const analysis::StageGraph &stages)
{
    using analysis::StageGraph;
    canvas::GraphData graph;
    int parameters = 0;
    for (const StageGraph::Node &node : stages.nodes) {
        const QString shape = typeText(node.shape, node.dtype);
        canvas::GraphNode shown;
        shown.id = node.block ? static_cast<int>(node.block.value) : firstParameterId - parameters++;
        shown.title = QString::fromStdString(node.name);
        shown.kind = node.kind == StageGraph::Kind::Placeholder ? canvas::NodeKind::Input
                     : node.kind == StageGraph::Kind::Stage     ? canvas::NodeKind::Compute
                                                                : canvas::NodeKind::Output;
        if (node.kind == StageGraph::Kind::Stage && !node.operation.empty())
            shown.title += QStringLiteral("  ") + QString::fromStdString(node.operation);
        if (node.kind == StageGraph::Kind::Output) {
            shown.title = GraphPageText::tr("output");
            shown.buffer = QString::fromStdString(node.name);
        }
        shown.subtitle = node.summary.empty() ? shape : QString::fromStdString(node.summary);
        shown.detail = shape;
        graph.nodes.push_back(std::move(shown));
    }
    for (const StageGraph::Edge &edge : stages.edges) {
        const QString shape = typeText(edge.buffer.shape(), edge.buffer.dtype());
        graph.nodes[static_cast<std::size_t>(edge.from)].buffer = QString::fromStdString(edge.buffer.name());
        const bool inner = stages.nodes[static_cast<std::size_t>(edge.from)].kind == StageGraph::Kind::Stage;
        graph.edges.push_back({graph.nodes[static_cast<std::size_t>(edge.from)].id,
                               graph.nodes[static_cast<std::size_t>(edge.to)].id, inner ? shape : QString(),
                               QString::fromStdString(edge.buffer.name()) + u' ' + shape});
    }
    for (canvas::GraphNode &node : graph.nodes) {
        if (!node.buffer.isEmpty())
            node.detail +=
                u'\n'
                + (node.kind == canvas::NodeKind::Output
                       ? GraphPageText::tr("Drag %1 onto a loop: it then writes its part to a copy first")
                       : GraphPageText::tr("Drag %1 onto a loop: it then works on a copy of its part"))
                      .arg(node.buffer);
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
        for (const graph::Node &node : m_function.nodes) {
            if (node.kind == graph::NodeKind::Input || node.isConstant())
                continue;
            const QString label = labelOf(m_function, node);
            if (label.isEmpty())
                continue;
            m_labels.insert(idOf(node), label);
            if (!operatorsIn(node).empty())
                scope.add(scopeOf(m_function, node));
        }
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
            shown.title = GraphPageText::tr("output");
            shown.subtitle = QString::fromStdString(m_function.outputNames[i]);
            shown.detail = typeText(m_function.typeOf(m_function.outputs[i]));
            if (m_model
                && std::ranges::contains(m_model->lateOutputs, m_function.outputNames[i],
                                         &graph::LateOutput::name))
                shown.detail = GraphPageText::tr("at most %1").arg(shown.detail);
            if (const QString words =
                    m_model ? wordsOf(m_model->labels, m_function.outputNames[i]) : QString();
                !words.isEmpty())
                shown.detail += QStringLiteral(" · ") + words;
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
        shown.label = node.kind == graph::NodeKind::Input ? shown.name : m_labels.value(shown.id);
        shown.subtitle = typeText(node.types[0]);
        if (node.kind == graph::NodeKind::Input) {
            shown.kind = canvas::NodeKind::Input;
            shown.title = shown.name;
        } else {
            shown.title = node.kind == graph::NodeKind::Call
                              ? QString::fromStdString(node.function->name)
                              : joined(node, QStringLiteral(" · "), operatorOf);
            shown.attributes = joined(node, QStringLiteral(", "), attributesOf);
            shown.detail = tensorsText(m_function, node);
            m_scopes[shown.id] = shown.scope = scopeFor(node).join(u'/');
            addCosts(place, shown);
            if (const QString label = labelWithin(node); !label.isEmpty())
                shown.subtitle = label + QStringLiteral(" · ") + shown.subtitle;
        }
        if (node.function && operatorsIn(node).size() > 1)
            return addGroup(node, std::move(shown));
        m_leaves[shown.id] = {};
        for (const graph::Value input : node.inputs)
            connect(input, shown.id);
        m_data.nodes.push_back(std::move(shown));
    }

    /// The scopes in its name but for those around everything. A node without a name whose inputs all come
    /// from one scope, as a concatenation's may, belongs there.
    QStringList scopeFor(const graph::Node &node) const
    {
        if (m_labels.contains(idOf(node)))
            return scopeOf(m_function, node).mid(m_outerScopes);
        QStringList scopes;
        for (const graph::Value input : node.inputs) {
            if (const auto of = m_scopes.find(idOf(m_function.at(input))); of != m_scopes.end())
                scopes << of->second;
        }
        const bool isJoin = scopes.size() > 1 && scopes.count(scopes.front()) == scopes.size();
        return isJoin ? scopes.front().split(u'/', Qt::SkipEmptyParts) : QStringList();
    }

    /// The label without the scopes before it, "expand1x1"; empty where that was made up.
    QString labelWithin(const graph::Node &node) const
    {
        const QString label = m_labels.value(idOf(node)).section(u'/', -1);
        return isMadeUp(label) ? QString() : label;
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
            shown.subtitle = QString::fromStdString(analysis::flopsText(flops));
        }
        if (!m_time || !m_time->kernels.contains(kernel.name))
            return;
        const document::KernelTime &of = m_time->kernels.at(kernel.name);
        shown.numbers.seconds = of.seconds / static_cast<double>(kernel.nodes.size());
        shown.share = shown.numbers.seconds / m_time->seconds.median;
        if (const auto fraction = measure::peakFraction(of.work, of.seconds, m_time->machine))
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
            leaf.label = labelOf(inside, inner);
            leaf.attributes = attributesOf(inner);
            leaf.detail = tensorsText(inside, inner);
            leaf.scope = path;
            for (const graph::Value input : inner.inputs) {
                const auto from = static_cast<std::size_t>(input.node);
                if (ids[from] >= 0)
                    connect(ids[from], leaf.id, typeText(inside.typeOf(input)), leaf.name);
                const auto parameter = std::ranges::find(inputs, input.node);
                if (parameter == inputs.end())
                    continue;
                const graph::Value outer = node.inputs[static_cast<std::size_t>(parameter - inputs.begin())];
                connect(outer, leaf.id);
                leaf.detail = QStringList{weightsText(m_function, outer), leaf.detail}.join(u'\n').trimmed();
            }
            m_data.nodes.push_back(std::move(leaf));
        }
        std::vector<int> results;
        for (const graph::Value output : inside.outputs)
            results.push_back(ids[static_cast<std::size_t>(output.node)]);
        m_leaves[shown.id] = std::move(results);
        m_data.groups.push_back({path, std::move(shown)});
    }

    /// Draws an edge from the node that computes a value of the model.
    void connect(graph::Value value, int to)
    {
        const graph::Node &from = m_function.at(value);
        if (from.isConstant())
            return;
        const std::vector<int> &leaves = m_leaves[idOf(from)];
        const int leaf = leaves.empty() ? idOf(from) : leaves[static_cast<std::size_t>(value.output)];
        const auto place = static_cast<std::size_t>(value.output);
        const std::string &name =
            place < from.tensors.size() && !from.tensors[place].empty() ? from.tensors[place] : from.name;
        connect(leaf, to, typeText(m_function.typeOf(value)), QString::fromStdString(name));
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
    QHash<int, QString> m_labels;             // of nodes, by id, where there is one
    std::map<int, QString> m_scopes;          // of nodes, by id
    int m_nextInner = 1 << 24;                // beyond the ids of the model's own nodes
    qsizetype m_outerScopes = 0;              // outer scopes shared by all nodes
    canvas::GraphData m_data;
};

} // namespace

canvas::GraphData graphOf(const session::Model &model, const std::optional<document::ModelTime> &time)
{
    canvas::GraphData graph = ModelGraph(model, time ? &*time : nullptr).graph();
    graph.subject = QString::fromStdString(model.path);
    return graph;
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
