// SPDX-License-Identifier: GPL-3.0-or-later
// A session's measurements as bars and as points under the machine's roofs.
#include "app/present/chart_pages.h"

#include "core/backend/codes.h"
#include "core/schedule/state_index.h"
#include "tests/core/session/sessions.h"

#include <QtTest>

using namespace nestwright;
using app::ChartFacts;
using charts::Bar;
using charts::BarData;
using charts::Outcome;
using charts::Reference;
using charts::RooflineData;
using measure::Measurement;
using session::Session;
using session::VariantId;

namespace {

const VariantId theRoot{};

/// Takes that long, a tenth less or more.
Measurement took(double seconds, double flops = 2e9, double bytes = 1e9)
{
    Measurement made;
    made.time = {0.9 * seconds, seconds, 1.1 * seconds};
    made.verdict = measure::Verdict::Verified;
    made.flops = flops;
    made.bytes = bytes;
    return made;
}

Measurement failedWith(measure::Failure failure, std::string_view code = "test.failed")
{
    Measurement made;
    made.failed = failure;
    made.failure = support::diagnostic(code, "the kernel came to no end");
    return made;
}

/// The split of loop i on a variant, whose loops are as those of the root program.
VariantId split(Session &session, VariantId on, int factor, std::string_view loop = "i")
{
    return session.apply(on, tests::splitStep(*session.tree().at(on).state, loop, factor));
}

measure::MachinePeak processorPeak()
{
    return {.processor = "test",
            .threads = 2,
            .float32Flops = 200e9,
            .levels = {
                {"L1", 32 << 10, 400e9}, {"L2", 1 << 20, 200e9}, {"L3", 16 << 20, 100e9}, {"DRAM", 0, 20e9}}};
}

measure::MachinePeak gpuPeak()
{
    return {.processor = "test GPU",
            .isGpu = true,
            .float32Flops = 60e12,
            .tensorFlops = 900e12,
            .levels = {{"shared", 228 << 10, 30e12}, {"L2", 50 << 20, 10e12}, {"DRAM", 0, 4e12}}};
}

/// Writes what it reads: no operation.
Session moving()
{
    auto kernel = frontend::openKernelText(R"(from tvm.script import tir as T
@T.prim_func
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(64, 64):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj, vi]
)",
                                           "turn.py");
    if (!kernel)
        qFatal("%s", kernel.error().render().c_str());
    return Session::begin(*std::move(kernel), "turn.py").value();
}

BarData bars(const Session &session, ChartFacts facts = {})
{
    facts.session = &session;
    return app::barsOf(facts);
}

RooflineData roofline(const Session &session, std::optional<measure::MachinePeak> peak = processorPeak())
{
    return app::rooflineOf({.session = &session, .running = {}, .peak = std::move(peak), .library = {}},
                           true);
}

QStringList namesOf(const std::vector<Bar> &bars)
{
    QStringList names;
    for (const Bar &bar : bars)
        names << (bar.name + u' ' + bar.detail).trimmed();
    return names;
}

} // namespace

class ChartPagesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void targets_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("llvm -num-cores=1") << "llvm · 1 thread";
        QTest::newRow("llvm -mcpu=haswell -num-cores=2") << "llvm haswell · 2 threads";
        QTest::newRow("cuda -arch=sm_90") << "cuda sm_90";
    }
    void targets() { QTEST(app::targetText(target::parseTarget(QTest::currentDataTag()).value()), "text"); }

    void nothingIsOpen()
    {
        const ChartFacts facts{
            .session = nullptr, .running = VariantId{0}, .peak = processorPeak(), .library = {}};
        const BarData data = app::barsOf(facts);
        QVERIFY(data.bars.empty() && data.references.empty());
        QCOMPARE(data.current, -1);
        QVERIFY(app::rooflineOf(facts, false).roofs.empty());
        QVERIFY(!app::rooflineOf(facts, false).showsWay);
    }

    void nothingIsMeasured()
    {
        const Session session = tests::begin();
        const BarData data =
            bars(session, {.session = nullptr, .running = {}, .peak = processorPeak(), .library = {}});
        QVERIFY(data.bars.empty());
        QVERIFY(data.references.empty()); // there is nothing to compare with them
        QCOMPARE(data.current, 0);
    }

    void barsInTheOrderMade()
    {
        Session session = tests::begin();
        const VariantId first = split(session, theRoot, 4), second = split(session, theRoot, 8);
        const VariantId refused =
            session.apply(theRoot, tests::splitStep(*session.tree().root().state, "i", 0));
        QVERIFY(!session.tree().at(refused).ok());
        split(session, theRoot, 2); // not measured
        session.setMeasurement(second, took(0.5));
        session.setMeasurement(theRoot, took(2));
        session.setMeasurement(first, took(1));
        session.tree().setCurrent(second);
        const BarData data = bars(session);
        QCOMPARE(namesOf(data.bars), (QStringList{"naive", "split i 4", "split i 8"}));
        QCOMPARE(data.unit, QStringLiteral("GFLOPS"));
        QCOMPARE(data.current, second.value);
        QCOMPARE(data.bars[1].id, first.value);
        QCOMPARE(data.bars[1].value, 2.0);
        QCOMPARE(data.bars[1].low, 2 / 1.1); // the longest time is the least throughput
        QCOMPARE(data.bars[1].high, 2 / 0.9);
        QCOMPARE(data.bars[1].outcome, Outcome::Measured);
        QVERIFY(data.bars[1].compares);
        QCOMPARE(data.bars[1].note, QString::fromStdString(session.tree().at(first).label));
    }

    /// Where a schedule has a name, that says more than its last step. Equal ones are told by their numbers.
    void namesAndNumbers()
    {
        Session session = tests::begin();
        const VariantId one = split(session, theRoot, 4), two = split(session, one, 4, "j");
        const VariantId again = split(session, split(session, theRoot, 8), 4, "j");
        for (const VariantId id : {one, two, again})
            session.setMeasurement(id, took(1));
        QCOMPARE(namesOf(bars(session).bars),
                 (QStringList{"split i 4", QStringLiteral("split j 4 #%1").arg(two.value),
                              QStringLiteral("split j 4 #%1").arg(again.value)}));
        session.tree().setName(two, "tiled");
        QCOMPARE(namesOf(bars(session).bars), (QStringList{"split i 4", "tiled", "split j 4"}));
        session.tree().setName(again, "tiled");
        QCOMPARE(namesOf(bars(session).bars),
                 (QStringList{"split i 4", QStringLiteral("tiled #%1").arg(two.value),
                              QStringLiteral("tiled #%1").arg(again.value)}));
    }

    void editedCode()
    {
        Session session = tests::begin();
        const VariantId edited = session.tree().addEdit(
            theRoot, {.kind = backend::SourceKind::C, .base = "a\n", .text = "a\nb\n"});
        session.setMeasurement(edited, took(1));
        QCOMPARE(namesOf(bars(session).bars), QStringList{"edited C +1 −0 lines"});
    }

    void failures()
    {
        Session session = tests::begin();
        const VariantId crashed = split(session, theRoot, 4), none = split(session, theRoot, 8);
        session.setMeasurement(theRoot, took(1));
        session.setMeasurement(crashed, failedWith(measure::Failure::Crash));
        session.setMeasurement(none, failedWith(measure::Failure::Worker, backend::codes::noDevice));
        const BarData data = bars(session);
        QCOMPARE(data.bars.size(), 2U); // no device says nothing of the variant
        QCOMPARE(data.bars[1].outcome, Outcome::Failed);
        QCOMPARE(data.bars[1].failure, QStringLiteral("crashed"));
        QCOMPARE(data.bars[1].note, QStringLiteral("The kernel came to no end."));
        QCOMPARE(data.bars[1].value, 0.0);
        QCOMPARE(data.unit, QStringLiteral("GFLOPS"));
    }

    /// A variant at work has a bar before it has a figure, and keeps the one it had.
    void running()
    {
        Session session = tests::begin();
        const VariantId id = split(session, theRoot, 4);
        const ChartFacts facts{.session = &session, .running = id, .peak = {}, .library = {}};
        BarData data = app::barsOf(facts);
        QCOMPARE(data.bars.size(), 1U);
        QCOMPARE(data.bars[0].outcome, Outcome::Running);
        QVERIFY(data.bars[0].failure.isEmpty());
        session.setMeasurement(id, took(1));
        data = app::barsOf(facts);
        QCOMPARE(data.bars[0].outcome, Outcome::Measured);
        session.setMeasurement(id, failedWith(measure::Failure::TimeOut)); // it is tried again
        data = app::barsOf(facts);
        QCOMPARE(data.bars[0].outcome, Outcome::Running);
        session.setMeasurement(id, failedWith(measure::Failure::Worker, backend::codes::noDevice));
        QCOMPARE(app::barsOf(facts).bars.size(), 1U);
    }

    void measuredElsewhere()
    {
        Session session = tests::begin();
        session.tree().setMeasurementElsewhere(theRoot, "llvm -num-cores=3", took(1));
        session.tree().setMeasurementElsewhere(theRoot, "llvm -num-cores=4", took(0.5));
        session.tree().setMeasurementElsewhere(theRoot, "llvm -num-cores=5",
                                               failedWith(measure::Failure::Crash));
        BarData data = bars(session);
        QCOMPARE(namesOf(data.bars), QStringList{"naive on llvm -num-cores=4"}); // the fastest
        QCOMPARE(data.bars[0].value, 4.0);
        QVERIFY(!data.bars[0].compares);
        QVERIFY(data.bars[0].note.endsWith(QStringLiteral(" · on llvm -num-cores=4")));
        QCOMPARE(data.unit, QStringLiteral("GFLOPS"));
        session.setMeasurement(theRoot, took(2));
        data = bars(session);
        QCOMPARE(namesOf(data.bars), QStringList{"naive"});
        QVERIFY(data.bars[0].compares);
    }

    void notes()
    {
        Session session = tests::begin();
        Measurement measured = took(1);
        measured.inputs = {{"A", {"folder/a.npy", 7}}};
        measured.disturbed = true;
        measured.otherLoad = 1.5;
        measured.stored = true;
        session.tree().setMeasurement(theRoot, measured);
        const Bar bar = bars(session).bars[0];
        const QStringList parts = bar.note.split(QStringLiteral(" · "));
        QCOMPARE(parts.size(), 5);
        QCOMPARE(parts[1], QStringLiteral("with A = a.npy"));
        QCOMPARE(parts[2], QStringLiteral("not the inputs that are given now"));
        QVERIFY(parts[3].startsWith(QStringLiteral("Other programs kept 1.5 processors busy")));
        QCOMPARE(parts[4], QStringLiteral("as its file says, not measured here"));
        QVERIFY(!bar.compares);
        measured.stored = false;
        measured.disturbed = false;
        session.tree().setMeasurement(theRoot, measured);
        session.setInputs(measured.inputs);
        const Bar now = bars(session).bars[0];
        QVERIFY(now.compares);
        QVERIFY(now.note.endsWith(QStringLiteral(" · with A = a.npy")));
    }

    void references()
    {
        Session session = tests::begin();
        session.setMeasurement(theRoot, took(1));
        ChartFacts facts{.session = nullptr, .running = {}, .peak = processorPeak(), .library = {}};
        facts.library = measure::PeerTime{.library = "OpenBLAS 1", .seconds = {0.4, 0.5, 0.6}, .flops = 2e9};
        BarData data = bars(session, facts);
        QCOMPARE(data.references.size(), 2U);
        QCOMPARE(data.references[0].name, QStringLiteral("machine peak"));
        QCOMPARE(data.references[0].value, 200.0);
        QCOMPARE(data.references[0].kind, Reference::Kind::Peak);
        QCOMPARE(data.references[1].name, QStringLiteral("OpenBLAS 1"));
        QCOMPARE(data.references[1].value, 4.0);
        QCOMPARE(data.references[1].kind, Reference::Kind::Library);
        facts.library->disturbed = true;
        facts.peak = gpuPeak();
        data = bars(session, facts);
        QCOMPARE(data.references[0].name, QStringLiteral("GPU peak"));
        QCOMPARE(data.references[1].name, QStringLiteral("OpenBLAS 1, busy machine"));
        facts.peak->isOfDataSheet = true; // of a GPU that is not here
        QCOMPARE(bars(session, facts).references.size(), 1U);
    }

    void bytesWhereNothingIsComputed()
    {
        Session session = moving();
        session.setMeasurement(theRoot, took(0.5, 0, 1e9));
        ChartFacts facts{.session = nullptr, .running = {}, .peak = processorPeak(), .library = {}};
        facts.library = measure::PeerTime{.library = "OpenBLAS 1", .seconds = {1, 1, 1}, .flops = 2e9};
        const BarData data = bars(session, facts);
        QCOMPARE(data.unit, QStringLiteral("GB/s"));
        QCOMPARE(data.bars[0].value, 2.0);
        QCOMPARE(data.references.size(), 2U);
        QCOMPARE(data.references[0].name, QStringLiteral("L3"));
        QCOMPARE(data.references[0].value, 100.0);
        QCOMPARE(data.references[1].name, QStringLiteral("DRAM"));
        facts.peak->levels = {{"DRAM", 0, 20e9}};
        QCOMPARE(bars(session, facts).references.size(), 1U);
        facts.peak->levels.clear();
        QCOMPARE(bars(session, facts).references.size(), 0U);
        // Neither operations nor bytes are known.
        session.setMeasurement(theRoot, took(0.5, 0, 0));
        QCOMPARE(bars(session, facts).unit, QStringLiteral("calls/s"));
        QCOMPARE(bars(session, facts).bars[0].value, 2.0);
    }

    void pointsOnTheWay()
    {
        Session session = tests::begin();
        const VariantId first = split(session, theRoot, 4), second = split(session, first, 8, "j");
        const VariantId beside = split(session, theRoot, 2);
        session.setMeasurement(theRoot, took(2));
        session.setMeasurement(beside, took(1.5));
        session.setMeasurement(second, took(1));
        session.tree().setCurrent(second);
        const RooflineData data = roofline(session);
        QVERIFY(!data.areBytes && data.showsWay);
        QCOMPARE(data.current, second.value);
        QCOMPARE(data.points.size(), 2U); // `first` was not measured, `beside` is not on the way
        QCOMPARE(data.points[0].id, 0);
        QCOMPARE(data.points[1].id, second.value);
        QCOMPARE(data.points[1].name, QStringLiteral("split j 8"));
        QCOMPARE(data.points[1].across, 2.0); // FLOP per byte
        QCOMPARE(data.points[1].rate, 2.0);
        QCOMPARE(data.points[1].low, 2 / 1.1);
        QCOMPARE(data.points[1].high, 2 / 0.9);
        QCOMPARE(data.across, 0.0); // the points say it
    }

    /// Variants that failed, move no byte that is known, or were measured with other inputs have no point.
    void pointsThatAreNone()
    {
        Session session = tests::begin();
        const VariantId id = split(session, theRoot, 4);
        session.setMeasurement(theRoot, took(2, 2e9, 0));
        session.setMeasurement(id, failedWith(measure::Failure::Crash));
        session.tree().setCurrent(id);
        QVERIFY(roofline(session).points.empty());
        Measurement other = took(1);
        other.inputs = {{"A", {"a.npy", 7}}};
        session.tree().setMeasurement(theRoot, other);
        QVERIFY(roofline(session).points.empty());
        session.setInputs(other.inputs);
        QCOMPARE(roofline(session).points.size(), 1U);
    }

    void roofs()
    {
        const Session session = tests::begin();
        const RooflineData data = roofline(session);
        QCOMPARE(data.peak, 200.0);
        QCOMPARE(data.roofs.size(), 4U);
        QCOMPARE(data.roofs[0].name, QStringLiteral("L1"));
        QCOMPARE(data.roofs[0].bandwidth, 400.0);
        QCOMPARE(data.roofs[0].capacity, 2.0 * (32 << 10)); // of both threads
        QCOMPARE(data.roofs[2].capacity, 16.0 * (1 << 20));
        QCOMPARE(data.roofs[3].capacity, 0.0);
        QVERIFY(data.ceilings.empty());
        // The program's place while nothing was measured: its operations by the bytes of its arguments.
        QCOMPARE(data.across, 2.0 * 16 * 16 * 16 / (4 * 3 * 16 * 16));
        const RooflineData unknown = roofline(session, {});
        QVERIFY(unknown.roofs.empty() && unknown.peak == 0 && unknown.across == 0);
    }

    void roofsOfAGpu()
    {
        const Session product = tests::begin();
        const RooflineData data = roofline(product, gpuPeak());
        QCOMPARE(data.roofs.size(), 3U);
        QCOMPARE(data.ceilings.size(), 1U);
        QCOMPARE(data.ceilings[0].name, QStringLiteral("tensor cores, half precision, by data sheet"));
        QCOMPARE(data.ceilings[0].gflops, 900e3);
        measure::MachinePeak sheet = gpuPeak();
        sheet.isOfDataSheet = true; // as all of the chart
        QCOMPARE(roofline(product, sheet).ceilings[0].name, QStringLiteral("tensor cores, half precision"));
        const Session moves = moving();
        const RooflineData bytes = roofline(moves, gpuPeak());
        QVERIFY(bytes.areBytes && bytes.ceilings.empty());
        QCOMPARE(bytes.roofs.size(), 2U); // shared memory holds what a kernel puts there
        QCOMPARE(bytes.roofs[0].name, QStringLiteral("L2"));
        QCOMPARE(bytes.across, 2.0 * 64 * 64 * 4);
    }

    void pointsOfBytes()
    {
        Session session = moving();
        session.setMeasurement(theRoot, took(0.5, 0, 1e9));
        const RooflineData data = roofline(session);
        QVERIFY(data.areBytes);
        QCOMPARE(data.points.size(), 1U);
        QCOMPARE(data.points[0].across, 1e9);
        QCOMPARE(data.points[0].rate, 2.0);
    }

    void symbolicSizes()
    {
        const RooflineData data = roofline(tests::begin("examples/elementwise_chain.py"));
        QVERIFY(data.points.empty());
        QCOMPARE(data.across, 0.0); // not known
        QVERIFY(!data.areBytes);
        QCOMPARE(data.roofs.size(), 4U);
    }
};

QTEST_GUILESS_MAIN(ChartPagesTest)
#include "chart_pages_test.moc"
