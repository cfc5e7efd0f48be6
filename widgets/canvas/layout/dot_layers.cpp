// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/canvas/layout/dot_layers.h"

#include "widgets/jobs/process_group.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>

#include <algorithm>
#include <map>

namespace nestwright::canvas {

namespace {

constexpr int patience = 2000; // ms
constexpr int glance = 10;     // ms, between two looks at the stop token
constexpr double pointsPerInch = 72;
constexpr int samplesPerPiece = 16; // of a spline

/// The level in dot's language. Nodes and edges are numbered as there; a pixel is a point.
QByteArray described(const Level &level)
{
    QByteArray text = "digraph {\nnodesep=0.25\nranksep=0.9\nnode [shape=box fixedsize=true label=\"\"]\n"
                      "edge [dir=none]\n";
    const auto inches = [](double pixels) {
        return QByteArray::number(std::max(1.0, pixels) / pointsPerInch, 'f', 3);
    };
    for (std::size_t i = 0; i < level.sizes.size(); ++i)
        text += QByteArray::number(i) + " [width=" + inches(level.sizes[i].width())
                + " height=" + inches(level.sizes[i].height()) + "]\n";
    for (const Pin pin : {Pin::Top, Pin::Bottom}) {
        QByteArray pinned;
        for (std::size_t i = 0; i < level.pins.size(); ++i) {
            if (level.pins[i] == pin)
                pinned += ' ' + QByteArray::number(i);
        }
        if (!pinned.isEmpty())
            text += (pin == Pin::Top ? "{rank=source" : "{rank=sink") + pinned + "}\n";
    }
    for (std::size_t i = 0; i < level.edges.size(); ++i)
        text += QByteArray::number(level.edges[i].first) + "->" + QByteArray::number(level.edges[i].second)
                + " [id=" + QByteArray::number(i) + "]\n";
    return text + "}\n";
}

/// The answer of dot to a graph; empty where there is none.
QByteArray askDot(const QByteArray &graph, const std::stop_token &stop)
{
    QProcess dot;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C")); // numbers with points
    dot.setProcessEnvironment(environment);
    dot.setStandardErrorFile(QProcess::nullDevice());
    jobs::startInOwnGroup(dot);
    dot.start(QStringLiteral("dot"), {QStringLiteral("-Tjson0")});
    dot.write(graph);
    dot.closeWriteChannel();
    QElapsedTimer timer;
    timer.start();
    while (!dot.waitForFinished(glance)) {
        if (dot.state() == QProcess::NotRunning)
            return {}; // it could not be started
        if (stop.stop_requested() || timer.elapsed() > patience) {
            dot.kill();
            dot.waitForFinished();
            return {};
        }
    }
    return dot.exitStatus() == QProcess::NormalExit && dot.exitCode() == 0 ? dot.readAllStandardOutput()
                                                                           : QByteArray();
}

/// "x,y x,y …"
QPolygonF pointsOf(const QString &text)
{
    QPolygonF points;
    for (const QStringView pair : QStringView(text).split(u' ', Qt::SkipEmptyParts)) {
        const qsizetype comma = pair.indexOf(u',');
        points.append({pair.left(comma).toDouble(), pair.mid(comma + 1).toDouble()});
    }
    return points;
}

/// Positions in dot's drawing; its y grows upwards.
struct Drawing {
    std::vector<QPointF> centres;  ///< per vertex
    std::vector<QPolygonF> curves; ///< per edge: control points of cubic Bézier pieces that share their ends
};

std::optional<Drawing> drawingIn(const QByteArray &answer, const Level &level)
{
    const QJsonObject root = QJsonDocument::fromJson(answer).object();
    Drawing drawing{std::vector<QPointF>(level.sizes.size()), std::vector<QPolygonF>(level.edges.size())};
    std::size_t found = 0;
    for (const QJsonValue object : root[u"objects"].toArray()) {
        bool isNode = false;
        const auto number = object[u"name"].toString().toUInt(&isNode);
        const QPolygonF at = pointsOf(object[u"pos"].toString());
        if (!isNode || number >= drawing.centres.size() || at.isEmpty())
            continue; // the rows of ports are objects too
        drawing.centres[number] = at.front();
        ++found;
    }
    for (const QJsonValue object : root[u"edges"].toArray()) {
        bool isEdge = false;
        const auto number = object[u"id"].toString().toUInt(&isEdge);
        if (!isEdge || number >= drawing.curves.size())
            continue;
        drawing.curves[number] = pointsOf(object[u"pos"].toString());
        ++found;
    }
    return found == level.sizes.size() + level.edges.size() ? std::optional(std::move(drawing))
                                                            : std::nullopt;
}

/// The x of a curve where it is nearest to a height.
double xAt(const QPolygonF &curve, double y)
{
    double x = curve.isEmpty() ? 0 : curve.front().x();
    double nearest = std::numeric_limits<double>::max();
    for (qsizetype piece = 0; piece + 3 < curve.size(); piece += 3) {
        for (int i = 0; i <= samplesPerPiece; ++i) {
            const double t = static_cast<double>(i) / samplesPerPiece;
            const double s = 1 - t;
            const QPointF point = curve[piece] * (s * s * s) + curve[piece + 1] * (3 * s * s * t)
                                  + curve[piece + 2] * (3 * s * t * t) + curve[piece + 3] * (t * t * t);
            if (std::abs(point.y() - y) < nearest) {
                nearest = std::abs(point.y() - y);
                x = point.x();
            }
        }
    }
    return x;
}

} // namespace

bool hasDot()
{
    static const bool found = !QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty();
    return found;
}

std::optional<LayeredGraph> layersByDot(const Level &level, const std::stop_token &stop)
{
    if (!hasDot() || level.sizes.empty())
        return std::nullopt;
    const std::optional<Drawing> drawing = drawingIn(askDot(described(level), stop), level);
    if (!drawing)
        return std::nullopt;

    std::map<long, int, std::greater<>> layerAt; // by height; whoever is in a layer is centred in it
    const auto heightOf = [](const QPointF &centre) { return std::lround(centre.y()); };
    for (const QPointF &centre : drawing->centres)
        layerAt.emplace(heightOf(centre), 0);
    std::vector<double> heights;
    for (auto &[height, layer] : layerAt) {
        layer = static_cast<int>(heights.size());
        heights.push_back(static_cast<double>(height));
    }
    std::vector<int> layerOf;
    for (const QPointF &centre : drawing->centres)
        layerOf.push_back(layerAt[heightOf(centre)]);
    for (const auto &[from, to] : level.edges) {
        if (layerOf[static_cast<std::size_t>(from)] == layerOf[static_cast<std::size_t>(to)])
            return std::nullopt;
    }

    LayeredGraph layered = makeLayers(level.widths(), level.edges, layerOf, level.pins, level.shifts);
    for (std::size_t i = 0; i < level.sizes.size(); ++i)
        layered.vertices[i].x = drawing->centres[i].x();
    for (std::size_t i = 0; i < level.edges.size(); ++i) {
        const std::vector<int> &chain = layered.chains[i];
        for (std::size_t bend = 1; bend + 1 < chain.size(); ++bend) {
            Vertex &vertex = layered.vertices[static_cast<std::size_t>(chain[bend])];
            vertex.x = xAt(drawing->curves[i], heights[static_cast<std::size_t>(vertex.layer)]);
        }
    }
    for (std::vector<int> &layer : layered.layers)
        std::ranges::stable_sort(layer, {},
                                 [&](int v) { return layered.vertices[static_cast<std::size_t>(v)].x; });
    return layered;
}

} // namespace nestwright::canvas
