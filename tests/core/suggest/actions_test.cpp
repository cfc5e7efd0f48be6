// SPDX-License-Identifier: Apache-2.0
#include "core/script/tvmscript/parser.h"
#include "core/suggest/actions.h"
#include "tests/core/suggest/nests.h"

#include <QtTest>

#include <algorithm>

using namespace nestwright;
using suggest::Action;
using tests::idOf;
using tests::nestOf;

namespace {

constexpr std::string_view thin = R"(
@T.prim_func
def main(A: T.Buffer((3, 8), "float32"), B: T.Buffer((8, 48), "float32"), C: T.Buffer((3, 48), "float32")):
    for i, j, k in T.grid(3, 48, 8):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

const Action &find(const std::vector<Action> &actions, std::string_view name)
{
    return *std::ranges::find_if(actions,
                                 [&](const Action &action) { return action.primitive->name == name; });
}

} // namespace

class ActionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingSelected()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        for (const Action &action : suggest::actionsFor(nest, {}, {})) {
            if (action.primitive->fields.empty())
                continue; // works on the trace, not on a loop or block
            QVERIFY(!action.legal());
            QCOMPARE(action.refused->code, std::string("suggest.nothing-selected"));
        }
    }

    /// Of every program, also of one that is lowered: no step fails on a loop or block that it is offered
    /// for, and each fix that is named for a refused one holds.
    void everyLoopAndBlockHasItsActions()
    {
        int fixes = 0;
        for (const tests::Program &program : tests::programs()) {
            const auto state = schedule::makeState(tests::program(program.name));
            if (!state)
                continue;
            const suggest::LoopNest nest = nestOf(*state);
            for (const ir::StmtId id : nest.all()) {
                for (const Action &action : suggest::actionsFor(nest, {id}, {})) {
                    if (action.primitive->group != schedule::Group::Annotate)
                        continue;
                    const auto fix = suggest::fixFor(nest, action);
                    QVERIFY(!fix || !action.legal());
                    if (!fix)
                        continue;
                    ++fixes;
                    const auto first = fix->first ? schedule::apply(*state, *fix->first)
                                                  : schedule::Applied{.state = *state};
                    QVERIFY(first && schedule::check(first->state, fix->then));
                }
            }
        }
        QVERIFY(fixes > 10);
    }

    void spatialLoop()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        const auto actions = suggest::actionsFor(nest, {idOf(nest, "i")}, {});
        for (const char *name : {"split", "parallel", "vectorize", "unroll", "tile", "reorder", "fuse"})
            QVERIFY2(find(actions, name).legal(), name);
        QVERIFY(find(actions, "parallel").direct);
        QVERIFY(!find(actions, "split").direct);
        QCOMPARE(find(actions, "fuse").title, std::string("Fuse with j"));
    }

    /// Defaults of a form fit the loops that it is about.
    void partsFitTheirLoops()
    {
        const std::pair<std::optional<std::int64_t>, std::int64_t> expected[] = {
            {std::nullopt, 32}, {1024, 32}, {128, 32}, {32, 16}, {48, 16}, {130, 26},
            {127, 32},          {7, 4},     {1000, 8}, {3, 2},   {2, 1},   {1, 1}};
        for (const auto &[iterations, part] : expected)
            QCOMPARE(suggest::usualFactor(iterations), part);
        const suggest::LoopNest nest =
            nestOf(schedule::makeState(script::parseTvmScript(thin, "thin.py").value()).value());
        const Action tile = find(suggest::actionsFor(nest, {idOf(nest, "i")}, {}), "tile");
        QVERIFY(tile.legal());
        QCOMPARE(*tile.args[2].as<std::int64_t>(), 2);
        QCOMPARE(*tile.args[3].as<std::int64_t>(), 16);
    }

    void theRemovedAnnotationIsOneOfThoseThere()
    {
        const auto start = schedule::makeState(tests::program("matmul")).value();
        const suggest::LoopNest plain = nestOf(start);
        const Action none = find(suggest::actionsFor(plain, {idOf(plain, "i")}, {}), "unannotate");
        QVERIFY(!none.legal());
        QCOMPARE(none.refused->message, std::string("loop 'i' carries no annotation"));
        auto noted =
            schedule::runScheduleScript(start, "sch.annotate(sch.get_loops('C')[0], 'first', 1)", "s.py");
        QVERIFY(noted);
        const suggest::LoopNest nest = nestOf(noted->state);
        const Action one = find(suggest::actionsFor(nest, {idOf(nest, "i")}, {}), "unannotate");
        QVERIFY(one.legal() && one.direct);
        QCOMPARE(*one.args.back().as<std::string>(), std::string("first"));
        noted = schedule::runScheduleScript(noted->state, "sch.annotate(sch.get_loops('C')[0], 'second', 2)",
                                            "s.py");
        QVERIFY(noted);
        const suggest::LoopNest both = nestOf(noted->state);
        const Action choice = find(suggest::actionsFor(both, {idOf(both, "i")}, {}), "unannotate");
        QVERIFY(choice.legal() && !choice.direct);
        QCOMPARE(choice.choices.back().size(), std::size_t{2});
    }

    void reductionLoopSaysWhy()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        const auto actions = suggest::actionsFor(nest, {idOf(nest, "k")}, {});
        QVERIFY(!find(actions, "parallel").legal());
        QCOMPARE(find(actions, "parallel").refused->code, std::string("schedule.iter-kind"));
        QVERIFY(find(actions, "split").legal());
        QVERIFY(!find(actions, "fuse").legal()); // it holds a block, no loop
    }

    void everyLegalActionApplies_data()
    {
        QTest::addColumn<QString>("program");
        for (const char *name : {"matmul", "mm_relu", "elementwise", "softmax", "conv2d_pad"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void everyLegalActionApplies()
    {
        QFETCH(QString, program);
        const suggest::LoopNest nest = nestOf(program.toStdString());
        int applied = 0;
        for (const support::StmtId id : nest.all()) {
            for (const Action &action : suggest::actionsFor(nest, {id}, {})) {
                QCOMPARE(action.args.size(), action.primitive->fields.size());
                if (!action.legal() || action.needsTyping)
                    continue;
                const auto result = schedule::apply(nest.state(), action.step());
                QVERIFY2(result.has_value(),
                         (std::string(action.primitive->name) + ": " + (result ? "" : result.error().message))
                             .c_str());
                ++applied;
            }
        }
        QVERIFY(applied > 10);
    }

    void severalLoopsFuseOutermostFirst()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        const auto actions = suggest::actionsFor(nest, {idOf(nest, "j"), idOf(nest, "i")}, {});
        const Action &fuse = find(actions, "fuse");
        QVERIFY(fuse.legal());
        QCOMPARE(*fuse.args[0].as<schedule::ArgList>(),
                 (schedule::ArgList{idOf(nest, "i"), idOf(nest, "j")}));
        const Action &reorder = find(actions, "reorder");
        QVERIFY(reorder.direct); // in the order selected
        QCOMPARE(*reorder.args[0].as<schedule::ArgList>(),
                 (schedule::ArgList{idOf(nest, "j"), idOf(nest, "i")}));
    }

    void movingABlockOffersLegalLoopsOnly()
    {
        const suggest::LoopNest nest = nestOf("mm_relu");
        const support::StmtId consumer = idOf(nest, "D");
        QVERIFY(consumer);
        const auto actions = suggest::actionsFor(nest, {consumer}, {});
        const Action &move = find(actions, "reverse_compute_at");
        QVERIFY(move.legal());
        const std::size_t field = *move.primitive->fieldIndex("loop");
        QVERIFY(!move.choices[field].empty());
        for (const suggest::Choice &choice : move.choices[field]) {
            schedule::Step step = move.step();
            step.args[field] = choice.value;
            QVERIFY(schedule::check(nest.state(), step).has_value());
        }
    }

    void samplingHasNumbersToBeginWith()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        for (const Action &action : suggest::actionsFor(nest, {nest.all()[0]}, {})) {
            if (action.primitive->name == "sample_perfect_tile"
                || action.primitive->name == "sample_partitioned_tile")
                QVERIFY2(action.legal(), action.refused ? action.refused->message.c_str() : "");
        }
    }

    void aLoopThatRunsSoAlreadyIsNotOffered()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        const auto actionOn = [](const suggest::LoopNest &of, std::string_view name) {
            return find(suggest::actionsFor(of, {of.all()[0]}, {}), name);
        };
        for (const std::string_view name : {"parallel", "vectorize", "unroll"}) {
            const Action first = actionOn(nest, name);
            QVERIFY(first.legal());
            const auto applied = schedule::apply(nest.state(), first.step());
            const Action again = actionOn(nestOf(applied->state), name);
            QVERIFY(!again.legal());
            QCOMPARE(again.refused->code, std::string("suggest.no-change"));
        }
    }

    void stopsWhenAsked()
    {
        const suggest::LoopNest nest = nestOf("matmul");
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(suggest::actionsFor(nest, {idOf(nest, "i")}, stop.get_token()).empty());
    }
};

QTEST_MAIN(ActionsTest)
#include "actions_test.moc"
