// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements of a model and its kernels in rows and texts.
#include "app/present/kernel_pages.h"

#include "tests/app/present/small_models.h"

#include <QtTest>

#include <cmath>

using namespace nestwright;
using namespace nestwright::tests;
using document::ModelTime;

namespace {

/// One kernel for two of three nodes.
session::Model twice()
{
    Builder b;
    const Value x = b.input("x", floats({4, 8}));
    const Value one = b.call("nn.softmax", {x}, {}, "one"), two = b.call("nn.softmax", {one}, {}, "two");
    return modelOf(b.finish({b.call("mean", {two}, {{"axes", Ints{1}}}, "mean")}, {"out"}));
}

int idOf(const session::Model &model, std::string_view name)
{
    return static_cast<int>(nodeNamed(model.program.function, name).id.value);
}

ModelTime timeOf(const session::Model &model, double seconds)
{
    ModelTime time{.seconds = {0.0098, 0.01, 0.0104}, .speedup = {}, .machine = {}, .kernels = {}};
    time.kernels[model.program.kernels.front().name] = {
        .seconds = seconds, .work = {.flops = 4e6, .bytes = 1e6}, .speedup = {}};
    return time;
}

} // namespace

class KernelPagesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void notMeasured()
    {
        const session::Model model = twice();
        const std::vector<models::KernelRow> rows = app::kernelRows(model, {});
        QCOMPARE(rows.size(), 2U);
        QCOMPARE(rows[0].nodes, 2);
        QCOMPARE(rows[1].nodes, 1);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(rows[i].kernel, static_cast<int>(i));
            QCOMPARE(rows[i].name, QString::fromStdString(model.program.kernels[i].name));
            QVERIFY(rows[i].seconds == 0 && rows[i].share == 0 && rows[i].gflops == 0 && rows[i].gain == 0);
            QVERIFY(!rows[i].change);
        }
    }

    void measured()
    {
        const session::Model model = twice();
        const std::vector<models::KernelRow> rows = app::kernelRows(model, timeOf(model, 0.004));
        QCOMPARE(rows[0].seconds, 0.004);
        QCOMPARE(rows[0].share, 0.4);
        QCOMPARE(rows[0].gflops, 1.0);
        QCOMPARE(rows[0].gain, 0.004); // what the machine could do is not known
        QCOMPARE(rows[0].peakFraction, 0.0);
        QVERIFY(!rows[0].change && !rows[0].isNoise);
        QCOMPARE(rows[1].seconds, 0.0); // no figure is kept of it
    }

    void besideTheMachine()
    {
        const session::Model model = twice();
        ModelTime time = timeOf(model, 0.004);
        time.machine = {.flops = 2e9, .bytes = 2e9}; // 2 ms of computing, 0.5 ms of moving
        models::KernelRow row = app::kernelRows(model, time)[0];
        QCOMPARE(row.peakFraction, 0.5);
        QCOMPARE(row.gain, 0.002);
        QVERIFY(!row.memoryBound);
        time.machine = {.flops = 4e9, .bytes = 0.5e9}; // 1 ms and 2 ms
        row = app::kernelRows(model, time)[0];
        QCOMPARE(row.peakFraction, 0.5);
        QVERIFY(row.memoryBound);
        time.machine = {.flops = 0.1e9, .bytes = 1e9}; // slower than it was measured: nothing to gain
        row = app::kernelRows(model, time)[0];
        QCOMPARE(row.peakFraction, 1.0);
        QCOMPARE(row.gain, 0.0);
    }

    /// A time of zero, as a session's file may have it, gives no figure that is none.
    void noTimeAtAll()
    {
        const session::Model model = twice();
        ModelTime time = timeOf(model, 0);
        time.machine = {.flops = 2e9, .bytes = 2e9};
        const models::KernelRow row = app::kernelRows(model, time)[0];
        QCOMPARE(row.gflops, 0.0);
        QCOMPARE(row.share, 0.0);
        QCOMPARE(row.gain, 0.0);
        QCOMPARE(row.peakFraction, 0.0);
    }

    void changesByAnotherSchedule()
    {
        const session::Model model = twice();
        ModelTime time = timeOf(model, 0.004);
        auto &speedup = time.kernels.begin()->second.speedup;
        speedup = {{1.2, 1.25, 1.3}, true};
        models::KernelRow row = app::kernelRows(model, time)[0];
        QVERIFY(row.change && std::abs(*row.change + 0.2) < 1e-12); // 1.25× as fast takes a fifth less
        QVERIFY(!row.isNoise);
        speedup = {{0.9, 1, 1.1}, false};
        row = app::kernelRows(model, time)[0];
        QCOMPARE(*row.change, 0.0);
        QVERIFY(row.isNoise);
    }

    void timeOfTheModel()
    {
        const session::Model model = twice();
        ModelTime time = timeOf(model, 0.004);
        QCOMPARE(app::modelTimeText(time), QStringLiteral("model 10.00 ms (9.80 … 10.40)"));
        time.speedup = measure::Speedup{{1.2, 1.25, 1.3}, true};
        QCOMPARE(app::modelTimeText(time), QStringLiteral("model 10.00 ms (9.80 … 10.40) −20 %"));
        time.speedup = measure::Speedup{{0.9, 1, 1.1}, false};
        time.disturbed = true;
        QCOMPARE(app::modelTimeText(time),
                 QStringLiteral("model 10.00 ms (9.80 … 10.40) ≈ not significant, busy machine"));
        time = timeOf(model, 0.004);
        time.seconds = {0.01, 0.01, 0.01};
        time.storedOn = "2024-03-05T10:11:12Z";
        QCOMPARE(app::modelTimeText(time), QStringLiteral("model 10.00 ms, stored 2024-03-05"));
    }

    void nodesOfAKernel()
    {
        const session::Model model = twice();
        QCOMPARE(app::nodeOfKernel(model, 0, -1), idOf(model, "one"));
        QCOMPARE(app::nodeOfKernel(model, 0, idOf(model, "two")), idOf(model, "two"));
        QCOMPARE(app::nodeOfKernel(model, 0, idOf(model, "mean")), idOf(model, "one"));
        QCOMPARE(app::nodeOfKernel(model, 1, idOf(model, "one")), idOf(model, "mean"));
        session::Model none = twice();
        none.program.kernels[1].nodes.clear();
        QCOMPARE(app::nodeOfKernel(none, 1, idOf(none, "one")), -1);
    }
};

QTEST_GUILESS_MAIN(KernelPagesTest)
#include "kernel_pages_test.moc"
