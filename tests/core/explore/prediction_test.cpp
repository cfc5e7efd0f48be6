// SPDX-License-Identifier: Apache-2.0
#include "core/explore/predict/prediction.h"

#include "core/explore/predict/access_strides.h"
#include "core/schedule/script/reader.h"
#include "core/schedule/state_index.h"
#include "tests/support/programs.h"

#include <QtTest>
#include <cmath>

using namespace nestwright;
using namespace nestwright::explore;

namespace {

/// A processor with round numbers: one vector multiply-add of 16 floats a nanosecond.
target::Machine machine(int threads = 1)
{
    return {.vectors = {.bytes = 64},
            .threads = threads,
            .flops = 32e9,
            .levels = {
                {"L1", 32 << 10, 100e9}, {"L2", 1 << 20, 50e9}, {"L3", 16 << 20, 25e9}, {"DRAM", 0, 10e9}}};
}

schedule::State scheduled(const std::string &program, const std::string &script)
{
    const auto initial = schedule::makeState(tests::parsed(program));
    const auto run = schedule::runScheduleScript(*initial, "def apply_trace(sch):\n" + script, "test.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    return run->state;
}

std::string matmul(int size)
{
    const std::string n = std::to_string(size);
    return "@T.prim_func\ndef main(A: T.Buffer((" + n + ", " + n + ")), B: T.Buffer((" + n + ", " + n
           + ")), C: T.Buffer((" + n + ", " + n + "))):\n    for i, j, k in T.grid(" + n + ", " + n + ", " + n
           + "):\n        with T.block(\"C\"):\n            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
             "            with T.init():\n                C[vi, vj] = T.float32(0)\n"
             "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n";
}

/// Rows and columns of a register tile, k within.
std::string tiles(int rows, int columns)
{
    return "  b = sch.get_block(\"C\")\n  i, j, k = sch.get_loops(b)\n  i0, i1 = sch.split(i, [None, "
           + std::to_string(rows) + "])\n  j0, j1 = sch.split(j, [None, " + std::to_string(columns)
           + "])\n  sch.reorder(i0, j0, k, i1, j1)\n  sch.vectorize(j1)\n  sch.unroll(i1)\n";
}

Prediction predicted(const std::string &program, const std::string &script, int threads = 1)
{
    const auto prediction = predict(scheduled(program, script), machine(threads));
    if (!prediction)
        qFatal("no prediction");
    return *prediction;
}

} // namespace

class PredictionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// No time is shorter than that of the arithmetic at full width.
    void theArithmeticIsTheLeast()
    {
        const double least = 64.0 * 64 * 64 / 16 * 1e-9;
        for (const int columns : {1, 4, 16, 64}) {
            const Prediction prediction = predicted(matmul(64), tiles(4, columns));
            QVERIFY2(prediction.seconds >= least, qPrintable(QString::number(columns)));
            QVERIFY(prediction.computing >= least);
        }
        QVERIFY(predicted(matmul(64), tiles(4, 64)).seconds < 2 * least);
    }

    /// Narrow vectors cost what their width leaves unused.
    void widthCounts()
    {
        const double wide = predicted(matmul(64), tiles(8, 16)).computing;
        for (const int columns : {8, 4, 2}) {
            const double ratio = predicted(matmul(64), tiles(8, columns)).computing / wide;
            QVERIFY2(std::abs(ratio - 16.0 / columns) < 0.2 * ratio, qPrintable(QString::number(ratio)));
        }
    }

    void fewSumsWait()
    {
        const Prediction one = predicted(matmul(256), tiles(1, 16)),
                         eight = predicted(matmul(256), tiles(4, 32));
        QCOMPARE(one.limit, std::string("results it waits for"));
        QCOMPARE(eight.limit, std::string("arithmetic"));
        QVERIFY(one.computing > 6 * eight.computing && one.computing < 9 * eight.computing);
        // Sums of few terms: the next ones begin meanwhile. A cycle each for arithmetic and loop.
        QVERIFY(predicted(matmul(16), tiles(1, 16)).computing < 2.01 * 16 * 16 * 1e-9);
    }

    /// Iterations that a split leaves out, as it does not divide, cost nothing.
    void iterationsBeyondTheEndAreLeftOut()
    {
        const auto loading = [](int rows) {
            return predicted(std::string(tests::programText("elementwise")),
                             "  i, j = sch.get_loops(sch.get_block(\"B\"))\n  sch.split(i, [None, "
                                 + std::to_string(rows) + "])\n")
                .loading;
        };
        QVERIFY(loading(64) > 0);
        QVERIFY(std::abs(loading(96) / loading(64) - 1) < 0.01); // 128 rows
    }

    /// Rows of a matrix lie apart, those of a tile's own buffer side by side.
    void ownBuffersAreDense()
    {
        const std::string own = "  b = sch.get_block(\"C\")\n  o = sch.cache_write(b, 0, \"local\")\n"
                                "  i, j, k = sch.get_loops(b)\n  i0, i1 = sch.split(i, [None, 16])\n"
                                "  j0, j1 = sch.split(j, [None, 16])\n  sch.reorder(i0, j0, k, i1, j1)\n"
                                "  sch.reverse_compute_at(o, j0)\n  sch.vectorize(j1)\n  sch.unroll(i1)\n";
        // For each tile 16 rows of A and 16 columns of B; the sums take no room beside them.
        const double once = 256 / 16 * 256 / 16 * 2 * 16 * 256 * 4;
        QVERIFY(predicted(matmul(256), own).traffic[0].bytes < 1.5 * once);
    }

    /// Sums that find no register wait for what was stored of them, with each multiply-add.
    void tooManySumsAreSpilled()
    {
        const Prediction fits = predicted(matmul(64), tiles(4, 64)),
                         few = predicted(matmul(64), tiles(8, 64)),
                         spills = predicted(matmul(64), tiles(16, 64));
        QVERIFY(few.seconds > 1.1 * fits.seconds && few.seconds < 2 * fits.seconds);
        QCOMPARE(spills.limit, std::string("results it waits for"));
        QVERIFY(spills.seconds > 1.5 * fits.seconds);
    }

    /// A matrix that leaves a cache is fetched again for each block of rows.
    void trafficFollowsTheCaches()
    {
        const auto bytes = [](const Prediction &prediction, const char *level) {
            for (const Traffic &each : prediction.traffic) {
                if (each.level == level)
                    return each.bytes;
            }
            return -1.0;
        };
        const Prediction small = predicted(matmul(64), tiles(4, 16));
        QCOMPARE(bytes(small, "L3"), 0.0); // 48 KB stay in L2 from call to call
        const Prediction large = predicted(matmul(720), tiles(4, 16)),
                         taller = predicted(matmul(720), tiles(16, 16));
        QVERIFY(bytes(large, "L3") > 3 * bytes(taller, "L3")); // B is 2 MB, once for each block of rows
        QCOMPARE(bytes(large, "DRAM"), 0.0);
    }

    void threadsShareTheWork()
    {
        const std::string parallel = tiles(4, 16) + "  sch.parallel(i0)\n";
        const Prediction one = predicted(matmul(256), parallel, 1),
                         four = predicted(matmul(256), parallel, 4);
        QCOMPARE(four.threadsAtWork, 4.0);
        QVERIFY(one.computing > 3.9 * four.computing);
        // Five pieces on four threads take as long as eight.
        const std::string five = "  b = sch.get_block(\"C\")\n  i, j, k = sch.get_loops(b)\n"
                                 "  i0, i1 = sch.split(i, [5, None])\n  sch.parallel(i0)\n";
        QVERIFY(std::abs(predicted(matmul(80), five, 4).threadsAtWork - 2.5) < 1e-9);
    }

    /// Threads take no less than their share of what one takes, whichever loop they run.
    void threadsGainNoMoreThanTheyAre()
    {
        const std::string begin = "  b = sch.get_block(\"C\")\n  i, j, k = sch.get_loops(b)\n";
        for (const std::string order : {"i, j, k", "j, i, k", "i, k, j", "k, i, j", "k, j, i"}) {
            for (const std::string loop : {"i", "j"}) {
                const std::string serial = begin + "  sch.reorder(" + order + ")\n";
                for (const int size : {8, 30, 256}) {
                    const double one = predicted(matmul(size), serial, 4).seconds,
                                 all = predicted(matmul(size), serial + "  sch.parallel(" + loop + ")\n", 4)
                                           .seconds;
                    QVERIFY2(all >= one / 4 * 0.999, qPrintable(QString::fromStdString(order + " " + loop)));
                }
            }
        }
    }

    /// Few registers hold few sums.
    void registersAreThoseOfTheMachine()
    {
        target::Machine few = machine(), many = machine();
        few.vectors.registers = 16;
        const auto computing = [](const target::Machine &of) {
            return predict(scheduled(matmul(256), tiles(8, 48)), of)->computing;
        };
        QVERIFY(computing(few) > 1.5 * computing(many)); // 24 sums
        const auto small = [](const target::Machine &of) {
            return predict(scheduled(matmul(256), tiles(6, 32)), of)->computing;
        };
        QCOMPARE(small(few), small(many));
    }

    /// Loops over terms are told from others, and terms are summed up in their order where nothing else is
    /// said.
    void loopsOverTerms()
    {
        const double cycle = 1e-9;
        QVERIFY(std::abs(predicted(std::string(tests::programText("row_sum")), "  pass\n").loading
                         - (2 * 128 * 64 - 128 * 64 + 3 * 128) * cycle)
                < 1e-12);
        QVERIFY(std::abs(predicted(std::string(tests::programText("elementwise")), "  pass\n").loading
                         - 2 * 3 * 128 * 128 * cycle) // two blocks
                < 1e-12);
        const char *repeated = R"(
@T.prim_func
def main(A: T.Buffer((128,)), B: T.Buffer((128,))):
    for i, r in T.grid(128, 64):
        with T.block("B"):
            vi = T.axis.spatial(128, i)
            B[vi] = A[vi] * T.float32(2)
)";
        QVERIFY(std::abs(predicted(repeated, "  pass\n").loading - 3 * 128 * 64 * cycle) < 1e-12);
    }

    /// Rows whose distance is a power of two share sets of a cache, which then does not hold a panel of them.
    void rowsThatShareSets()
    {
        const std::string panels = tiles(4, 16) + "  sch.reorder(j0, i0)\n";
        QVERIFY(predicted(matmul(256), panels).traffic[0].bytes
                > 2 * predicted(matmul(272), panels).traffic[0].bytes);
    }

    /// The last cache is shared by threads, the others are not.
    void sharedCaches()
    {
        const std::string parallel = tiles(4, 16) + "  sch.parallel(i0)\n";
        const Prediction one = predicted(matmul(1200), parallel, 1),
                         four = predicted(matmul(1200), parallel, 4);
        QCOMPARE(four.traffic[0].bytes, one.traffic[0].bytes);
        QCOMPARE(four.traffic[1].bytes, one.traffic[1].bytes);
        QVERIFY(four.traffic[2].bytes > 3 * one.traffic[2].bytes);
    }

    void symbolicSizesHaveNone()
    {
        const auto state = schedule::makeState(tests::parsed(std::string(tests::programText("symbolic"))));
        QVERIFY(!predict(*state, machine()));
    }

    void strides()
    {
        const schedule::State state = scheduled(matmul(64), tiles(4, 16));
        const analysis::FunctionIndex &index = *state.index->function("main");
        const auto block = *index.blockByName("C");
        const std::vector<AccessStrides> accesses = accessStrides(index, block, index.loopsOf(block));
        using Strides = std::vector<std::optional<std::int64_t>>;
        QCOMPARE(accesses.size(), 3U);
        QVERIFY((accesses[0].strides == Strides{256, 0, 1, 64, 0}));  // A: i_0 j_0 k i_1 j_1
        QVERIFY((accesses[1].strides == Strides{0, 16, 64, 0, 1}));   // B
        QVERIFY((accesses[2].strides == Strides{256, 16, 0, 64, 1})); // C
        QVERIFY(accesses[2].isWrite && !accesses[1].isWrite);
    }

    /// Of a fused loop the first two iterations lie side by side.
    void stridesOfFusedLoops()
    {
        const schedule::State state =
            scheduled(std::string(tests::programText("elementwise")),
                      "  b = sch.get_block(\"B\")\n  i, j = sch.get_loops(b)\n  f = sch.fuse(i, j)\n"
                      "  f0, f1 = sch.split(f, [None, 16])\n");
        const analysis::FunctionIndex &index = *state.index->function("main");
        const auto block = *index.blockByName("B");
        for (const AccessStrides &access : accessStrides(index, block, index.loopsOf(block)))
            QCOMPARE(access.strides.back(), std::optional<std::int64_t>(1));
    }
};

QTEST_APPLESS_MAIN(PredictionTest)
#include "prediction_test.moc"
