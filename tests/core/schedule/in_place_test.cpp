// SPDX-License-Identifier: Apache-2.0
// Results in the memory of arguments as programs are scheduled; single programs are tested in
// tests/core/analysis.
#include "core/analysis/access/in_place.h"

#include "core/interp/interpreter.h"
#include "core/schedule/script/reader.h"
#include "core/script/print/printer.h"
#include "tests/support/programs.h"
#include "tests/support/random_program.h"
#include "tests/support/random_step.h"

#include <QtTest>

#include <cstring>

using namespace nestwright;
using analysis::InPlace;
using analysis::inPlacePairs;
using Pairs = std::vector<InPlace>;

namespace {

/// A and R, 16 × 16, and V, 16; results B and C, 16 × 16. All are float32.
ir::Module withBody(const std::string &body)
{
    return schedule::makeState(tests::parsed(R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), R: T.Buffer((256,), "float32"), V: T.Buffer((16,), "float32"),
         B: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
)" + body))
        ->module;
}

Pairs pairsOf(const ir::Module &module) { return inPlacePairs(module.mainEntry()->function); }

/// The same after the steps of a schedule, given block "B" as `b`.
ir::Module scheduled(const ir::Module &module, const std::string &steps)
{
    const auto run = schedule::runScheduleScript(
        *schedule::makeState(module), "def apply_trace(sch):\n  b = sch.get_block(\"B\")\n" + steps, "s.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    return run->state.module;
}

/// One block "B" over all of B that stores `value`.
std::string elementwise(const std::string &value)
{
    return R"(
    for i, j in T.grid(16, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = )"
           + value + '\n';
}

/// The function with arrays of its own for each parameter, or with one for both of the pair. Where the result
/// is not written it keeps the elements of `read`.
std::vector<ir::NdArray> results(const ir::PrimFunc &function, const InPlace &pair, bool inPlace)
{
    auto arrays = interp::makeArguments(function, 3);
    if (!arrays)
        qFatal("%s", arrays.error().render().c_str());
    const auto read = static_cast<std::size_t>(pair.read), written = static_cast<std::size_t>(pair.written);
    std::memcpy((*arrays)[written].bytes().data(), (*arrays)[read].bytes().data(),
                (*arrays)[read].bytes().size());
    std::vector<ir::NdArray *> given;
    for (ir::NdArray &array : *arrays)
        given.push_back(&array);
    if (inPlace)
        given[read] = given[written];
    if (const auto done = interp::run(function, given); !done)
        qFatal("%s", done.error().render().c_str());
    (*arrays)[read] = (*arrays)[written]; // elements read before may be overwritten
    return std::move(*arrays);
}

} // namespace

class InPlaceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void asItIsScheduled()
    {
        const ir::Module module = withBody(elementwise("T.max(A[vi, vj], T.float32(0))"));
        QCOMPARE(pairsOf(scheduled(module, R"(
  i, j = sch.get_loops(b)
  f = sch.fuse(i, j)
  o, m, l = sch.split(f, [None, 3, 8])
  sch.parallel(o)
  sch.vectorize(l)
)")),
                 (Pairs{{0, 3}}));
        // The copy reads overwritten elements.
        QCOMPARE(pairsOf(scheduled(module, "  sch.cache_read(b, 0, \"global\")\n")), Pairs());
    }

    void randomSchedulesComputeTheSameInPlace()
    {
        int found = 0;
        for (std::uint64_t seed = 0; seed < 1200; ++seed) {
            tests::Random random(seed);
            auto state = schedule::makeState(tests::parsed(tests::randomProgram(random)));
            if (!state)
                continue;
            for (int i = 0; i < 30; ++i) {
                auto applied = schedule::apply(*state, tests::randomStep(*state, random));
                if (!applied)
                    continue;
                state = std::move(applied->state);
                const ir::Function function = state->module.mainEntry()->function;
                for (const InPlace &pair : inPlacePairs(function)) {
                    const auto arrays = interp::makeArguments(*function, 3);
                    QVERIFY(arrays);
                    const ir::NdArray &read = (*arrays)[static_cast<std::size_t>(pair.read)],
                                      &written = (*arrays)[static_cast<std::size_t>(pair.written)];
                    if (read.shape() != written.shape() || read.dtype() != written.dtype())
                        continue;
                    ++found;
                    const auto apart = results(*function, pair, false), same = results(*function, pair, true);
                    for (std::size_t k = 0; k < apart.size(); ++k) {
                        const ir::Deviation worst = ir::compare(apart[k], same[k], 0, 0);
                        QVERIFY2(
                            worst.withinTolerance,
                            std::format("seed {}, parameter {} in place of {}: element {} of {} is {}, not "
                                        "{}\n{}",
                                        seed, pair.written, pair.read, worst.index, k, worst.actual,
                                        worst.expected, script::print(state->module).text)
                                .c_str());
                    }
                }
            }
        }
        qInfo("%d pairs", found);
        QVERIFY(found > 100);
    }
};

QTEST_GUILESS_MAIN(InPlaceTest)
#include "in_place_test.moc"
