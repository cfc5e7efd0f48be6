// SPDX-License-Identifier: Apache-2.0
#include "core/explore/predict/places.h"

#include "core/ir/node/equality.h"
#include "tests/core/suggest/nests.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::explore;
using tests::idOf;
using tests::nestOf;

namespace {

target::Machine machine()
{
    return {.vectors = {.bytes = 64},
            .threads = 1,
            .flops = 32e9,
            .levels = {
                {"L1", 32 << 10, 100e9}, {"L2", 1 << 20, 50e9}, {"L3", 16 << 20, 25e9}, {"DRAM", 0, 10e9}}};
}

} // namespace

class PlacesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theFastestComesFirst()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        const auto places = predictedPlaces(nest, idOf(nest, "k"), machine());
        QCOMPARE(places.size(), 2U);
        for (const PredictedPlace &each : places) {
            const auto applied = schedule::apply(nest.state(), each.place.steps.front());
            QVERIFY(applied && ir::structurallyEqual(applied->state.module, each.state.module));
            QVERIFY(each.prediction);
        }
        QVERIFY(places[0].prediction->seconds <= places[1].prediction->seconds);
        const double now = predict(nest.state(), machine())->seconds;
        QVERIFY(places[0].prediction->seconds < now); // the sum waits no longer
    }

    void gainsAreRatiosOfPredictions()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        const auto places = suggest::placementsOf(nest, idOf(nest, "k"), {});
        const std::vector<double> gains = predictedGains(nest.state(), places, machine());
        QCOMPARE(gains.size(), places.size());
        const double now = predict(nest.state(), machine())->seconds;
        for (const PredictedPlace &each : predictedPlaces(nest, idOf(nest, "k"), machine())) {
            const auto same = std::ranges::find(places, each.place.label, &suggest::Placement::label);
            QCOMPARE(gains[static_cast<std::size_t>(same - places.begin())], now / each.prediction->seconds);
        }
    }

    void placesOfABlock()
    {
        const suggest::LoopNest nest = nestOf("mm_relu");
        const auto places = predictedPlaces(nest, idOf(nest, "D"), machine());
        QVERIFY(!places.empty());
        for (const PredictedPlace &each : places)
            QCOMPARE(each.place.steps.front().primitive->name, std::string_view("reverse_compute_at"));
    }

    void nothingIsPredictedOfSymbolicSizes()
    {
        const suggest::LoopNest nest = nestOf(schedule::makeState(tests::parsed(R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 8))
    B = T.match_buffer(b, (n, 8))
    for i, j in T.grid(n, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
)"))
                                                  .value());
        const auto places = suggest::placementsOf(nest, idOf(nest, "j"), {});
        QCOMPARE(predictedGains(nest.state(), places, machine()), std::vector<double>(places.size(), 0));
        QCOMPARE(predictedPlaces(nest, idOf(nest, "j"), machine()).size(), places.size());
    }
};

QTEST_GUILESS_MAIN(PlacesTest)
#include "places_test.moc"
