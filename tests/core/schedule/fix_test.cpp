// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/fix.h"
#include "core/schedule/state_index.h"
#include "tests/core/schedule/programs.h"
#include "tests/support/check_primitive.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;
using schedule::ArgList;
using schedule::Step;

namespace {

ir::StmtId blockOf(const schedule::State &state, const char *name)
{
    return *state.index->function("main")->blockByName(name);
}

ir::StmtId loopOf(const schedule::State &state, const char *block, std::size_t depth)
{
    return state.index->function("main")->loopsOf(blockOf(state, block)).at(depth);
}

schedule::State after(std::string_view program, std::string_view script)
{
    return schedule::runScheduleScript(scheduled(program), script, "")->state;
}

/// The title of the fix, once it is seen that its steps are legal in turn; "" for none.
std::string fixed(const schedule::State &state, const Step &refused)
{
    const auto why = schedule::check(state, refused);
    if (why)
        return "the step is legal";
    const auto fix = schedule::fixFor(state, refused, why.error());
    if (!fix)
        return "";
    schedule::State before = state;
    if (fix->first) {
        const auto applied = schedule::apply(state, *fix->first);
        if (!applied)
            return "the first step is not legal";
        before = applied->state;
    }
    return schedule::check(before, fix->then) ? fix->title : "the second step is not legal";
}

} // namespace

class FixTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initIsTakenOutFirst()
    {
        const auto state = after(rowSum, "f = sch.fuse(*sch.get_loops('B'))\na, b = sch.split(f, [None, 5])");
        const auto swap =
            schedule::makeStep("reorder", {{"loops", ArgList{loopOf(state, "B", 1), loopOf(state, "B", 0)}}});
        QCOMPARE(fixed(state, *swap), std::string("decompose_reduction(B, i_k_fused_0) first"));
    }

    void loopsAreBroughtTogether()
    {
        const auto state = scheduled(mmRelu);
        const auto fuse =
            schedule::makeStep("fuse", {{"loops", ArgList{loopOf(state, "Y", 0), loopOf(state, "Y", 2)}}});
        QCOMPARE(fixed(state, *fuse), std::string("reorder(i, k, j) first"));
    }

    void annotationIsDropped()
    {
        const auto state = after(mmRelu, "sch.annotate(sch.get_loops('C')[0], 'note', 1)");
        const auto split =
            schedule::makeStep("split", {{"loop", loopOf(state, "C", 0)}, {"factors", ArgList{{}, 4}}});
        QCOMPARE(fixed(state, *split), std::string("unannotate(i, \"note\") first"));
    }

    void otherConsumerIsMovedFirst()
    {
        constexpr const char *twoConsumers = R"(
@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    B = T.alloc_buffer((8, 8))
    D = T.alloc_buffer((8, 8))
    for i, j in T.grid(8, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 8):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = B[vi, vj] * T.float32(2)
    for i, j in T.grid(8, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + D[vi, vj]
)";
        const auto state = scheduled(twoConsumers);
        const auto move = schedule::makeStep(
            "compute_at", {{"block", blockOf(state, "B")}, {"loop", loopOf(state, "C", 0)}});
        QCOMPARE(fixed(state, *move), std::string("compute_at(D, i) first"));
    }

    void anotherLoopIsChosen()
    {
        const auto state = scheduled(stencil);
        const auto move =
            schedule::makeStep("decompose_reduction",
                               {{"block", blockOf(scheduled(mmRelu), "Y")}, {"loop", loopOf(state, "C", 0)}});
        QCOMPARE(fixed(state, *move), std::string());
        const auto swapped = after(mmRelu, "i, j, k = sch.get_loops('Y')\nsch.reorder(k, i)");
        const auto decompose = schedule::makeStep(
            "decompose_reduction", {{"block", blockOf(swapped, "Y")}, {"loop", loopOf(swapped, "Y", 1)}});
        QCOMPARE(fixed(swapped, *decompose), std::string("at loop 'k' instead"));
    }

    void reductionIsMadePartialFirst()
    {
        const auto state = scheduled(mmRelu);
        const auto vectorize = schedule::makeStep("vectorize", {{"loop", loopOf(state, "Y", 2)}});
        QCOMPARE(fixed(state, *vectorize), std::string("rfactor(k, 0) first"));
    }

    void oneFactorIsLeftOpen()
    {
        const auto state = scheduled(mmRelu);
        const auto split =
            schedule::makeStep("split", {{"loop", loopOf(state, "C", 0)}, {"factors", ArgList{2, 3}}});
        QCOMPARE(fixed(state, *split), std::string("with as many outer iterations as it takes"));
    }

    void loopsAreNamedInTheirOrder()
    {
        const auto state = scheduled(mmRelu);
        const auto fuse =
            schedule::makeStep("fuse", {{"loops", ArgList{loopOf(state, "C", 1), loopOf(state, "C", 0)}}});
        QCOMPARE(fixed(state, *fuse), std::string("outermost first"));
    }

    void nothingHelps()
    {
        const auto state = scheduled(mmRelu);
        const auto merge =
            schedule::makeStep("merge", {{"loops", ArgList{loopOf(state, "C", 1), loopOf(state, "C", 0)}}});
        QCOMPARE(fixed(state, *merge), std::string());
    }
};

QTEST_GUILESS_MAIN(FixTest)
#include "fix_test.moc"
