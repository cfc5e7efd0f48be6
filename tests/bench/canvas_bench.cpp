// SPDX-License-Identifier: Apache-2.0
/// The canvas with a large graph: time of its layout, of frames while panning and zooming, and peak memory.
///
/// scripts/with_display.sh bench_canvas [NODES] [SHAPE], 10000 and "deep" if not given; "deep" is a long
/// network with short cuts and weights, "wide" has layers of a hundred nodes, "scoped" has names in scopes,
/// all open. A frame is one step of the mouse or the wheel with the painting that follows, until the display
/// has it.
///
/// bench_canvas order: how long our own order of a random graph and Graphviz' dot take, and how many edges
/// cross then.

#include "widgets/canvas/graph_canvas.h"
#include "widgets/canvas/layout/dot_layers.h"
#include "widgets/canvas/scene/frame_tree.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>

using namespace nestwright;
using canvas::GraphCanvas;
using canvas::GraphData;

namespace {

constexpr int layoutRounds = 3;
constexpr int framesPerRun = 150;

GraphData generate(int count, const QString &shape)
{
    GraphData graph;
    std::mt19937 random(3);
    for (int i = 0; i < count; ++i) {
        canvas::GraphNode node;
        node.id = i;
        node.title = QStringLiteral("conv2d · add · relu %1").arg(i);
        node.subtitle = QStringLiteral("1×64×56×56 f32");
        node.numbers.flops = static_cast<double>(random() % 1000);
        if (shape == u"scoped")
            node.scope = QStringLiteral("stage%1/block%2").arg(i / 500).arg(i / 20);
        graph.nodes.push_back(std::move(node));
    }
    const auto join = [&graph](int from, int to) {
        graph.edges.push_back({from, to, QStringLiteral("1×64×56×56"), {}});
    };
    if (shape == u"wide") {
        for (int i = 100; i < count; ++i) {
            for (int k = 0; k < 2; ++k)
                join(std::clamp(i - 100 + static_cast<int>(random() % 41) - 20, 0, i - 1), i);
        }
        return graph;
    }
    for (int i = 2; i < count; ++i) {
        if (i % 2) { // operators are odd, the weight of each comes before it
            join(i - 2, i);
            join(i - 1, i);
        }
        if (i % 14 == 13)
            join(i - 12, i);
    }
    return graph;
}

/// Processor time of this thread, in ms: the cost of a frame whatever else the machine does.
double processorTime()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

struct Frame {
    double elapsed = 0, processor = 0; ///< ms
};

double milliseconds(const QElapsedTimer &timer) { return static_cast<double>(timer.nsecsElapsed()) * 1e-6; }

void print(const char *what, double zoom, const std::vector<Frame> &frames)
{
    std::printf("%-5s %5.1f %%", what, zoom * 100);
    for (const auto member : {&Frame::elapsed, &Frame::processor}) {
        std::vector<double> times;
        for (const Frame &frame : frames)
            times.push_back(frame.*member);
        std::ranges::sort(times);
        const auto at = [&](double share) {
            return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
        };
        std::printf("   %s median %5.1f, 95 %% %5.1f, most %5.1f ms",
                    member == &Frame::elapsed ? "elapsed" : "processor", at(0.5), at(0.95), times.back());
    }
    std::printf("\n");
}

/// Sends an event, and waits until its effect is on the display.
Frame frame(GraphCanvas &canvas, QEvent &event)
{
    QElapsedTimer timer;
    timer.start();
    const double before = processorTime();
    QApplication::sendEvent(&canvas, &event);
    QApplication::processEvents();
    canvas.repaint();
    QGuiApplication::sync();
    return {milliseconds(timer), processorTime() - before};
}

void pan(GraphCanvas &canvas, double zoom)
{
    canvas.fit();
    if (zoom > 0)
        canvas.zoomTo(zoom);
    QPointF at(canvas.width() / 2.0, canvas.height() / 2.0);
    const auto send = [&](QEvent::Type type, Qt::MouseButtons held) {
        QMouseEvent event(type, at, canvas.mapToGlobal(at),
                          type == QEvent::MouseMove ? Qt::NoButton : Qt::MiddleButton, held, {});
        return frame(canvas, event);
    };
    send(QEvent::MouseButtonPress, Qt::MiddleButton);
    std::vector<Frame> times;
    for (int i = 0; i < framesPerRun; ++i) {
        at += QPointF(9 * std::cos(i * 0.05), 14 * std::sin(i * 0.11));
        times.push_back(send(QEvent::MouseMove, Qt::MiddleButton));
    }
    send(QEvent::MouseButtonRelease, Qt::NoButton);
    print("pan", canvas.zoom(), times);
}

void zoom(GraphCanvas &canvas)
{
    canvas.fit();
    std::vector<Frame> times;
    const QPointF at(canvas.width() / 2.0, canvas.height() / 2.0);
    for (int i = 0; i < 2 * framesPerRun; ++i) {
        const int turn = (i / 75) % 2 == 0 ? 60 : -60; // in and out again
        QWheelEvent event(at, canvas.mapToGlobal(at), {}, {0, turn}, Qt::NoButton, {}, Qt::NoScrollPhase,
                          false);
        times.push_back(frame(canvas, event));
    }
    print("zoom", canvas.zoom(), times);
}

/// As many nodes as given, each in one of layers of eight, joined to two of the layers before.
canvas::Level randomLevel(int count)
{
    canvas::Level level;
    std::mt19937 random(5);
    for (int i = 0; i < count; ++i) {
        level.sizes.emplace_back(160, 50);
        for (int k = 0; i >= 8 && k < 2; ++k)
            level.edges.emplace_back(std::max(0, i - 8 - static_cast<int>(random() % 16)), i);
    }
    return level;
}

void compareOrders()
{
    std::printf("nodes, with bends   ours: ms   crossings   dot: ms   crossings\n");
    for (int count = 25; count <= 1600; count *= 2) {
        const canvas::Level level = randomLevel(count);
        QElapsedTimer timer;
        timer.start();
        canvas::LayeredGraph ours = canvas::makeLayers(level.widths(), level.edges);
        canvas::orderLayers(ours, {});
        const double ourTime = milliseconds(timer);
        timer.start();
        const std::optional<canvas::LayeredGraph> theirs = canvas::layersByDot(level, {});
        const double theirTime = milliseconds(timer);
        std::printf("%5d %11zu %10.1f %11lld %9.1f %11lld\n", count, ours.vertices.size(), ourTime,
                    canvas::countCrossings(ours), theirTime, theirs ? canvas::countCrossings(*theirs) : -1);
    }
}

/// Of this process, in MB.
double peakMemory()
{
    QFile file(QStringLiteral("/proc/self/status"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray &line : file.readAll().split('\n')) {
        if (line.startsWith("VmHWM:"))
            return line.mid(6).trimmed().split(' ').front().toDouble() / 1024;
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    const QApplication application(argc, argv);
    look::Theme theme(*qApp, look::Mode::Light);
    const QStringList arguments = QApplication::arguments();
    if (arguments.value(1) == u"order") {
        compareOrders();
        return 0;
    }
    const int count = arguments.size() > 1 ? arguments[1].toInt() : 10'000;
    const QString shape = arguments.value(2, QStringLiteral("deep"));
    const GraphData graph = generate(count, shape);
    std::printf("%d nodes, %zu edges, %s\n", count, graph.edges.size(), qPrintable(shape));

    std::vector<double> layouts;
    for (int i = 0; i < layoutRounds; ++i) {
        QElapsedTimer timer;
        timer.start();
        const canvas::FrameTree tree = canvas::makeFrames(graph);
        const canvas::FoldedGraph folded =
            canvas::fold(graph, tree, std::vector<char>(tree.frames.size(), 1));
        canvas::layOut(folded.shown, folded.nesting, {});
        layouts.push_back(milliseconds(timer));
    }
    std::ranges::sort(layouts);
    std::printf("layout median %.0f ms\n", layouts[layoutRounds / 2]);

    jobs::JobRunner jobs;
    GraphCanvas shown(jobs);
    shown.resize(1600, 1000);
    shown.show();
    QElapsedTimer timer;
    timer.start();
    shown.setGraph(graph);
    const auto wait = [&] {
        while (!shown.isLaidOut())
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    };
    wait();
    if (shape == u"scoped") {
        shown.setAllOpen(true);
        wait();
    }
    shown.setOverlay(canvas::Overlay::Flops);
    std::printf("shown after %.0f ms\n", milliseconds(timer));
    for (const double scale : {0.0, 0.05, 0.15, 0.25, 0.45, 1.0})
        pan(shown, scale);
    zoom(shown);
    std::printf("peak memory %.0f MB\n", peakMemory());
}
