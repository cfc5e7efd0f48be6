// SPDX-License-Identifier: Apache-2.0
#include "core/suggest/placements.h"
#include "tests/core/suggest/nests.h"

#include <QtTest>

using namespace nestwright;
using suggest::Placement;
using tests::idOf;
using tests::nestOf;

namespace {

QStringList labels(const std::vector<Placement> &placements)
{
    QStringList found;
    for (const Placement &each : placements)
        found << QString::fromStdString(each.label);
    return found;
}

} // namespace

class PlacementsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void placesOfALoop()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        QCOMPARE(labels(suggest::placementsOf(nest, idOf(nest, "i"), {})),
                 QStringList({QStringLiteral("drop here: j, i"), QStringLiteral("drop here: j, k, i")}));
        const auto placements = suggest::placementsOf(nest, idOf(nest, "k"), {});
        QCOMPARE(labels(placements),
                 QStringList({QStringLiteral("drop here: k, i, j"), QStringLiteral("drop here: k, j")}));
        QVERIFY(placements[0].side == Placement::Side::Above && placements[1].side == Placement::Side::Above);
        for (const Placement &each : placements)
            QVERIFY(schedule::check(nest.state(), each.steps.front()).has_value());
    }

    void placesOfABlock()
    {
        const suggest::LoopNest nest = nestOf("mm_relu");
        const auto placements = suggest::placementsOf(nest, idOf(nest, "D"), {});
        QVERIFY(!placements.empty());
        for (const Placement &each : placements) {
            QVERIFY(each.side == Placement::Side::Into);
            QVERIFY2(each.label.starts_with("reverse compute at"), each.label.c_str());
            QVERIFY(schedule::check(nest.state(), each.steps.front()).has_value());
        }
    }

    void placesOfABuffer()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        const auto read = suggest::placementsOfBuffer(nest, "A", suggest::BufferUse::ReadOrWritten, {});
        QCOMPARE(int(read.size()), 3); // i, j and k
        for (const Placement &each : read) {
            QVERIFY(each.side == Placement::Side::Into);
            QCOMPARE(int(each.steps.size()), 2);
            const auto cached = schedule::apply(nest.state(), each.steps[0]);
            QVERIFY(cached.has_value());
            QVERIFY(schedule::check(cached->state, each.steps[1]).has_value());
        }
        const auto written = suggest::placementsOfBuffer(nest, "C", suggest::BufferUse::ReadOrWritten, {});
        QVERIFY(!written.empty());
        QCOMPARE(written.front().steps[1].primitive->name, std::string_view("reverse_compute_at"));
        QVERIFY(suggest::placementsOfBuffer(nest, "nothing", suggest::BufferUse::ReadOrWritten, {}).empty());
    }

    /// Two blocks read one copy, so that only a loop around both may hold it.
    void aCopyForSeveralBlocks()
    {
        const suggest::LoopNest both = nestOf(schedule::makeState(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i in range(8):
        for j in range(8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj]
        for k in range(8):
            with T.block("C"):
                vi, vk = T.axis.remap("SS", [i, k])
                C[vi, vk] = A[vi, vk]
)"))
                                                  .value());
        const auto placements = suggest::placementsOfBuffer(both, "A", suggest::BufferUse::ReadOrWritten, {});
        QCOMPARE(int(placements.size()), 1);
        QCOMPARE(placements.front().at, idOf(both, "i"));
    }

    void axesOfThreads()
    {
        const auto free = [](const suggest::LoopNest &nest, support::StmtId loop) {
            QStringList names;
            for (const suggest::Binding &each : suggest::bindingsOf(nest, loop, {})) {
                if (!each.refused)
                    names << QString::fromStdString(each.thread);
            }
            return names.join(u' ');
        };
        const suggest::LoopNest nest = nestOf("matmul");
        QCOMPARE(
            free(nest, idOf(nest, "i")),
            QStringLiteral("blockIdx.x blockIdx.y blockIdx.z threadIdx.x threadIdx.y threadIdx.z vthread"));
        // Threads of a block can reduce together, blocks cannot.
        QCOMPARE(free(nest, idOf(nest, "k")), QStringLiteral("threadIdx.x threadIdx.y threadIdx.z"));
        QVERIFY(suggest::bindingsOf(nest, idOf(nest, "C"), {}).empty());

        const auto bound = schedule::apply(
            nest.state(),
            *schedule::makeStep("bind", {{"loop", idOf(nest, "j")}, {"thread_axis", "threadIdx.x"}}));
        QVERIFY(bound);
        const suggest::LoopNest after(bound->state, script::print(bound->state.module));
        QCOMPARE(free(after, idOf(after, "k")), QStringLiteral("threadIdx.y threadIdx.z"));
        const auto why = [&](const char *loop) {
            return suggest::bindingsOf(after, idOf(after, loop), {})[3].refused.value().message;
        };
        QCOMPARE(why("k"), std::string("loop 'j' around it is bound to threadIdx.x already"));
        QCOMPARE(why("i"), std::string("loop 'j' within it is bound to threadIdx.x already"));
        QCOMPARE(why("j"), std::string("it is bound to threadIdx.x already"));
    }

    void stopsWhenAsked()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(suggest::placementsOf(nest, idOf(nest, "i"), stop.get_token()).empty());
        QVERIFY(suggest::placementsOf(nest, idOf(nest, "C"), stop.get_token()).empty());
    }
};

QTEST_APPLESS_MAIN(PlacementsTest)
#include "placements_test.moc"
