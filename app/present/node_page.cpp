// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/node_page.h"

#include "app/present/node_names.h"
#include "app/present/type_text.h"
#include "core/analysis/kernel/counts.h"
#include "core/ops/table/shapes.h"
#include "core/session/model/model.h"
#include "widgets/document/text.h"
#include "widgets/look/tokens.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <memory>

namespace nestwright::app {

using document::toQt;

namespace {

struct NodePageText {
    Q_DECLARE_TR_FUNCTIONS(NodePage)
};

QString escaped(std::string_view text) { return toQt(text).toHtmlEscaped(); }

QString escapedType(const graph::TensorType &type) { return typeText(type).toHtmlEscaped(); }

const graph::Node *nodeOf(const graph::Function &function, int id)
{
    const auto found =
        std::ranges::find(function.nodes, graph::NodeId{static_cast<std::uint32_t>(id)}, &graph::Node::id);
    return id < 0 || found == function.nodes.end() ? nullptr : &*found;
}

/// A table without frame; the cells of a row are given as HTML, those behind the first in small type.
class Table {
public:
    void row(const QStringList &cells)
    {
        m_html += QStringLiteral("<tr>");
        for (qsizetype i = 0; i < cells.size(); ++i)
            m_html += QStringLiteral("<td%1>%2</td>")
                          .arg(i > 0 ? QStringLiteral(" class='second'") : QString(), cells[i]);
        m_html += QStringLiteral("</tr>");
        m_empty = false;
    }
    /// With a heading above; nothing where there are no rows.
    QString under(const QString &heading) const
    {
        if (m_empty)
            return {};
        return QStringLiteral("<h4>%1</h4><table cellspacing='0' cellpadding='0'>%2</table>")
            .arg(heading, m_html);
    }

private:
    QString m_html;
    bool m_empty = true;
};

QString number(double value) { return QString::number(value, 'g', 4).replace(u'-', QChar(0x2212)); }

/// The heights of the parts as characters, the tallest full.
QString bars(const graph::TensorStatistics &s)
{
    const std::int64_t most = *std::ranges::max_element(s.histogram);
    QString text;
    for (const std::int64_t count : s.histogram) {
        const std::int64_t eighths = most > 0 ? (count * 7 + most - 1) / most : 0;
        text += count == 0 ? QChar(0x2581) : QChar(static_cast<char16_t>(0x2581 + eighths));
    }
    return text;
}

/// Facts in a smaller type below their subject.
QString withFacts(const QString &subject, const QStringList &facts)
{
    if (facts.isEmpty())
        return subject;
    return QStringLiteral("%1<br><span class='second'>%2</span>")
        .arg(subject, facts.join(QStringLiteral(", ")));
}

void operatorRow(const graph::Node &node, Table &table)
{
    QStringList attributes;
    for (const ops::AttributeField &field : node.op->attributes) {
        const ops::AttributeValue &value = node.attributes.find(field.name)->second;
        if (value != field.defaultValue)
            attributes << QStringLiteral("%1=%2").arg(escaped(field.name), escaped(ops::str(value)));
    }
    table.row({withFacts(escaped(node.op->name), attributes)});
}

Table operatorsOf(const graph::Node &node)
{
    Table table;
    if (node.op)
        operatorRow(node, table);
    if (node.function) {
        for (const graph::Node &inner : node.function->nodes) {
            if (inner.op)
                operatorRow(inner, table);
        }
    }
    return table;
}

/// The title of a node, for people.
QString nodeTitle(const graph::Function &function, const graph::Node &node)
{
    const QString label = labelOf(function, node);
    if (!label.isEmpty())
        return label.toHtmlEscaped();
    return node.name.empty() ? NodePageText::tr("node %1").arg(node.id.value) : escaped(node.name);
}

QString linkTo(const graph::Function &function, const graph::Node &node)
{
    return QStringLiteral("<a href='node:%1'>%2</a>").arg(node.id.value).arg(nodeTitle(function, node));
}

QString kernelText(const session::Model &model, int place, const std::optional<document::ModelTime> &time)
{
    const graph::Kernel &kernel = model.program.kernels[static_cast<std::size_t>(place)];
    QString text = QStringLiteral("<p><a href='kernel:%1'>%2</a><br><span class='second'>%3")
                       .arg(place)
                       .arg(escaped(kernel.name))
                       .arg(NodePageText::tr("used by %1")
                                .arg(document::counted(static_cast<int>(kernel.nodes.size()),
                                                       NodePageText::tr("node"))));
    text += QStringLiteral(" · ")
            + QString::fromStdString(analysis::flopsText(model.flops[static_cast<std::size_t>(place)]));
    if (time && time->kernels.contains(kernel.name)) {
        const document::KernelTime &own = time->kernels.at(kernel.name);
        const double seconds = own.seconds / static_cast<double>(kernel.nodes.size());
        text += QStringLiteral("<br>")
                + NodePageText::tr("%1 ms a call · %2 GFLOPS · %3 % of the model")
                      .arg(seconds * 1e3, 0, 'f', 3)
                      .arg(own.seconds > 0 ? own.work.flops / own.seconds * 1e-9 : 0, 0, 'f', 1)
                      .arg(100 * own.seconds / time->seconds.median, 0, 'f', 1);
    }
    return text + QStringLiteral("</span></p>");
}

/// A tensor's type, with the shape of its distribution and facts about it below.
QString describedTensor(const QString &type, const graph::TensorStatistics &s)
{
    if (s.elements == 1)
        return withFacts(type, {s.notFinite > 0 ? NodePageText::tr("not finite") : number(s.least)});
    QStringList facts;
    if (s.elements > s.notFinite) // else there is nothing that the figures are of
        facts << NodePageText::tr("%1 … %2").arg(number(s.least), number(s.greatest))
              << NodePageText::tr("mean %1 ± %2").arg(number(s.mean), number(s.deviation));
    if (s.zeros > 0)
        facts << NodePageText::tr("%1 % zeros")
                     .arg(100.0 * static_cast<double>(s.zeros) / static_cast<double>(s.elements), 0, 'f', 1);
    if (s.notFinite > 0)
        facts << NodePageText::tr("%1 not finite").arg(s.notFinite);
    return withFacts(QStringLiteral("%1&nbsp; <span class='bars'>%2</span>").arg(type, bars(s)), facts);
}

Table weightsTable(const session::Model &model, int nodeId, const WeightStatistics &statistics)
{
    Table table;
    for (const auto &[name, data] : weightsOf(model, nodeId)) {
        const QString type = escapedType({ops::shapeOf(data->shape()), data->dtype()});
        const auto known = statistics.find(data.get());
        const QString described = known == statistics.end() ? withFacts(type, {QStringLiteral("…")})
                                                            : describedTensor(type, known->second);
        table.row({name.empty() ? described : escaped(name) + QStringLiteral("<br>") + described});
    }
    return table;
}

/// The results of a node: their types, and their values where the model was run to see them.
Table givenTable(const graph::Node &node, const ModelFacts &facts)
{
    Table table;
    const auto known = facts.results.find(node.name);
    for (std::size_t i = 0; i < node.types.size(); ++i) {
        const QString type = escapedType(node.types[i]);
        const bool isKnown = known != facts.results.end() && node.types.size() == 1;
        const QString described = isKnown ? describedTensor(type, known->second) : type;
        const bool isNamed =
            i < node.tensors.size() && !node.tensors[i].empty() && node.tensors[i] != node.name;
        table.row({isNamed ? escaped(node.tensors[i]) + QStringLiteral("<br>") + described : described});
    }
    if (node.kind == graph::NodeKind::Input || node.name.empty())
        return table;
    if (facts.isRunning)
        table.row(
            {QStringLiteral("<span class='second'>%1</span>").arg(NodePageText::tr("running the model…"))});
    else if (known == facts.results.end())
        table.row({QStringLiteral("<a href='results:'>%1</a>")
                       .arg(NodePageText::tr("Run the model to see its values"))});
    else
        table.row({QStringLiteral("<a href='save:'>%1</a>").arg(NodePageText::tr("Save as a NumPy file…"))});
    return table;
}

QString styleOf(const look::Tokens &t)
{
    return QStringLiteral("<style>h3 { margin: 0 } h4 { color: %1; margin: 10px 0 2px 0 } p { margin: 2px 0 }"
                          "td { padding: 1px 14px 1px 0 } .second { color: %1 } .bars { color: %2 }"
                          "a { color: %3; text-decoration: none }</style>")
        .arg(t.secondary.name(), t.accent.name(), t.link.name());
}

} // namespace

std::vector<Weights> weightsOf(const session::Model &model, int nodeId)
{
    const graph::Function &function = model.program.function;
    std::vector<Weights> weights;
    const graph::Node *node = nodeOf(function, nodeId);
    if (!node)
        return weights;
    for (const graph::Value input : node->inputs) {
        if (function.at(input).isConstant())
            weights.push_back({function.at(input).name, function.at(input).data});
    }
    if (node->function) {
        for (const graph::Node &inner : node->function->nodes) {
            if (inner.isConstant())
                weights.push_back({inner.name, inner.data});
        }
    }
    return weights;
}

QString nameOf(const session::Model &model, int nodeId)
{
    const graph::Node *node = nodeOf(model.program.function, nodeId);
    return node ? toQt(node->name) : QString();
}

QString nodePage(const session::Model &model, int nodeId, const ModelFacts &facts, const look::Tokens &tokens)
{
    const graph::Function &function = model.program.function;
    const graph::Node *node = nodeOf(function, nodeId);
    if (!node)
        return {};
    QString page = styleOf(tokens);
    const QString title = nodeTitle(function, *node);
    page += QStringLiteral("<h3>%1</h3>").arg(title);
    if (!node->name.empty() && title != escaped(node->name))
        page += QStringLiteral("<p class='second'>%1</p>")
                    .arg(NodePageText::tr("%1 in the file").arg(escaped(node->name)));
    const auto step = std::ranges::find_if(model.program.steps, [&](const graph::ProgramStep &each) {
        return function.at(each.node).id == node->id;
    });
    if (step != model.program.steps.end())
        page += kernelText(model, step->kernel, facts.time);
    page += operatorsOf(*node).under(NodePageText::tr("Computes"));
    Table reads;
    for (const graph::Value input : node->inputs) {
        if (!function.at(input).isConstant())
            reads.row({linkTo(function, function.at(input)), escapedType(function.typeOf(input))});
    }
    page += reads.under(NodePageText::tr("Reads"));
    page += weightsTable(model, nodeId, facts.weights).under(NodePageText::tr("Weights"));
    const auto readers = function.readers()[static_cast<std::size_t>(node - function.nodes.data())];
    page += QStringLiteral("<a name='%1'></a>").arg(resultAnchor);
    page += givenTable(*node, facts)
                .under(node->kind == graph::NodeKind::Input ? NodePageText::tr("Input")
                                                            : NodePageText::tr("Gives"));
    Table readBy;
    for (const int reader : readers)
        readBy.row({linkTo(function, function.at(reader))});
    page += readBy.under(NodePageText::tr("Read by"));
    return page;
}

} // namespace nestwright::app
