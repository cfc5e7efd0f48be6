// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph_pages.h"

#include "core/graph/passes/change.h"
#include "core/session/model.h"

#include <QCoreApplication>
#include <QHash>

#include <algorithm>

namespace nestwright::app {

namespace {

QString tr(const char *text) { return QCoreApplication::translate("GraphPages", text); }

QString typeText(const graph::TensorType &type)
{
    return QString::fromStdString(te::shapeText(type.shape, type.dtype));
}

/// "conv · add · relu": what a node does.
QString operatorsOf(const graph::Node &node)
{
    QStringList names;
    const auto add = [&](const ops::TensorOp &op) {
        names << QString::fromUtf8(op.name.substr(op.name.rfind('.') + 1)).replace(u'_', u' ');
    };
    if (node.op)
        add(*node.op);
    if (node.function) {
        for (const graph::Node &inner : node.function->nodes) {
            if (inner.op)
                add(*inner.op);
        }
    }
    return names.join(QStringLiteral(" · "));
}

QString attributesOf(const graph::Node &node)
{
    QStringList lines;
    const auto add = [&](const graph::Node &of) {
        for (const ops::AttributeField &field : of.op->attributes) {
            const ops::AttributeValue &value = of.attributes.find(field.name)->second;
            if (value != field.defaultValue)
                lines << QString::fromUtf8(field.name) + u'=' + QString::fromStdString(ops::str(value));
        }
    };
    if (node.op)
        add(node);
    if (node.function) {
        for (const graph::Node &inner : node.function->nodes) {
            if (inner.op)
                add(inner);
        }
    }
    return lines.join(QStringLiteral(", "));
}

/// Name, attributes and weights: the tool tip, which is searched too.
QString detailOf(const graph::Function &function, const graph::Node &node)
{
    QStringList lines;
    if (!node.name.empty())
        lines << QString::fromStdString(node.name);
    if (const QString attributes = attributesOf(node); !attributes.isEmpty())
        lines << attributes;
    for (const graph::Value input : node.inputs) {
        const graph::Node &from = function.at(input);
        if (from.isConstant())
            lines << tr("weights %1").arg(typeText(from.types[0]));
    }
    return lines.join(u'\n');
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

canvas::GraphData graphOf(const graph::Function &function)
{
    canvas::GraphData data;
    for (const graph::Node &node : function.nodes) {
        if (node.isConstant())
            continue;
        canvas::GraphNode shown;
        shown.id = idOf(node);
        shown.kind =
            node.kind == graph::NodeKind::Input ? canvas::NodeKind::Input : canvas::NodeKind::Compute;
        shown.title =
            node.kind == graph::NodeKind::Input ? QString::fromStdString(node.name) : operatorsOf(node);
        shown.subtitle = typeText(node.types[0]);
        shown.detail = detailOf(function, node);
        data.nodes.push_back(std::move(shown));
        for (const graph::Value input : node.inputs) {
            const graph::Node &from = function.at(input);
            if (from.isConstant())
                continue;
            const QString label = typeText(function.typeOf(input));
            data.edges.push_back(
                {idOf(from), idOf(node), label, QString::fromStdString(from.name) + u' ' + label});
        }
    }
    for (std::size_t i = 0; i < function.outputs.size(); ++i) {
        const graph::Node &from = function.at(function.outputs[i]);
        if (from.isConstant())
            continue;
        canvas::GraphNode shown;
        shown.id = -2 - static_cast<int>(i);
        shown.kind = canvas::NodeKind::Output;
        shown.title = tr("output");
        shown.subtitle = QString::fromStdString(function.outputNames[i]);
        shown.detail = typeText(function.typeOf(function.outputs[i]));
        data.edges.push_back({idOf(from), shown.id, shown.detail, shown.subtitle});
        data.nodes.push_back(std::move(shown));
    }
    return data;
}

canvas::GraphData graphOf(const session::Model &model, const std::optional<document::ModelTime> &time)
{
    canvas::GraphData data = graphOf(model.program.function);
    QHash<int, canvas::GraphNode *> shown;
    for (canvas::GraphNode &node : data.nodes)
        shown.insert(node.id, &node);
    for (const graph::ProgramStep &step : model.program.steps) {
        const graph::Kernel &kernel = model.program.kernels[static_cast<std::size_t>(step.kernel)];
        canvas::GraphNode &node = *shown.value(idOf(model.program.function.at(step.node)));
        if (const double flops = model.flops[static_cast<std::size_t>(step.kernel)]; flops > 0)
            node.subtitle = QString::fromStdString(te::flopsText(flops));
        if (!time || !time->kernels.contains(kernel.name))
            continue;
        const double seconds =
            time->kernels.at(kernel.name).seconds / static_cast<double>(kernel.nodes.size());
        node.share = seconds / time->seconds;
        node.cost = tr("%1 ms").arg(seconds * 1e3, 0, 'f', 3);
    }
    return data;
}

std::pair<canvas::GraphData, canvas::GraphData> graphsOf(const graph::GraphPassRecord &record)
{
    std::pair graphs(graphOf(record.before), graphOf(record.after));
    const graph::GraphChange change = graph::changeOf(record.before, record.after);
    for (canvas::GraphData *data : {&graphs.first, &graphs.second}) {
        for (canvas::GraphNode &node : data->nodes) {
            if (node.id < 0)
                continue;
            const graph::NodeId id{static_cast<std::uint32_t>(node.id)};
            node.mark = change.removed.contains(id)   ? canvas::NodeMark::Removed
                        : change.added.contains(id)   ? canvas::NodeMark::Added
                        : change.changed.contains(id) ? canvas::NodeMark::Changed
                                                      : canvas::NodeMark::None;
        }
    }
    return graphs;
}

std::vector<models::KernelRow> kernelRows(const session::Model &model,
                                          const document::ModelMeasuring &measuring)
{
    std::vector<models::KernelRow> rows;
    for (std::size_t i = 0; i < model.program.kernels.size(); ++i) {
        const graph::Kernel &kernel = model.program.kernels[i];
        models::KernelRow row;
        row.kernel = static_cast<int>(i);
        row.name = QString::fromStdString(kernel.name);
        row.nodes = static_cast<int>(kernel.nodes.size());
        if (measuring.before() && measuring.before()->kernels.contains(kernel.name))
            row.before = measuring.before()->kernels.at(kernel.name).seconds;
        if (measuring.last() && measuring.last()->kernels.contains(kernel.name)) {
            const document::KernelTime &time = measuring.last()->kernels.at(kernel.name);
            row.seconds = row.gain = time.seconds;
            row.share = time.seconds / measuring.last()->seconds;
            row.gflops = time.flops / time.seconds * 1e-9;
            if (measuring.last()->peakFlops > 0 && measuring.last()->memoryBytesPerSecond > 0) {
                const double arithmetic = time.flops / measuring.last()->peakFlops;
                const double memory = time.bytes / measuring.last()->memoryBytesPerSecond;
                row.memoryBound = memory > arithmetic;
                const double least = std::min(time.seconds, std::max(arithmetic, memory));
                row.peakFraction = least / time.seconds;
                row.gain = time.seconds - least;
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

QString modelTimeText(const document::ModelMeasuring &measuring)
{
    const double seconds = measuring.last()->seconds;
    const QString text = tr("model %1 ms").arg(seconds * 1e3, 0, 'f', 2);
    if (!measuring.before())
        return text;
    return QStringLiteral("%1 (%2)").arg(text,
                                         models::percentChange(seconds / measuring.before()->seconds - 1));
}

int nodeOfKernel(const session::Model &model, int kernel, int preferred)
{
    int first = -1;
    for (const int place : model.program.kernels[static_cast<std::size_t>(kernel)].nodes) {
        const int id = idOf(model.program.function.at(place));
        if (id == preferred)
            return id;
        if (first < 0)
            first = id;
    }
    return first;
}

} // namespace nestwright::app
