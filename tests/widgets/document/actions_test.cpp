// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with a selection, where something may be dropped, and what target sources are made.
#include "core/schedule/apply.h"
#include "core/schedule/script_reader.h"
#include "core/session/session.h"
#include "tests/support/programs.h"
#include "widgets/document/actions.h"
#include "widgets/document/advice.h"
#include "widgets/document/drop_slots.h"
#include "widgets/document/nest.h"
#include "widgets/document/proposals.h"

#include <QtTest>

#include <algorithm>

using namespace nestwright;
using document::Action;
using document::DropSlot;

namespace {

document::NestPtr nestOf(std::string_view name)
{
    return document::makeNest({0}, schedule::makeState(tests::program(name)).value());
}

support::StmtId idOf(const document::Nest &nest, const char *name, int which = 0)
{
    for (const document::NestRow &row : nest.rows) {
        if (row.name == QLatin1String(name) && which-- == 0)
            return row.id;
    }
    return {};
}

const Action &find(const std::vector<Action> &actions, std::string_view name)
{
    return *std::ranges::find_if(actions,
                                 [&](const Action &action) { return action.primitive->name == name; });
}

QStringList labels(const std::vector<DropSlot> &slots)
{
    QStringList found;
    for (const DropSlot &slot : slots)
        found << slot.label;
    return found;
}

} // namespace

class ActionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingSelected()
    {
        const document::NestPtr nest = nestOf("matmul");
        for (const Action &action : document::actionsFor(*nest, {}, {})) {
            if (action.primitive->fields.empty())
                continue; // works on the trace, not on a loop or block
            QVERIFY(!action.legal());
            QCOMPARE(action.refused->code, std::string("window.nothing-selected"));
        }
    }

    void spatialLoop()
    {
        const document::NestPtr nest = nestOf("matmul");
        const auto actions = document::actionsFor(*nest, {idOf(*nest, "i")}, {});
        for (const char *name : {"split", "parallel", "vectorize", "unroll", "tile", "reorder", "fuse"})
            QVERIFY2(find(actions, name).legal(), name);
        QVERIFY(find(actions, "parallel").direct);
        QVERIFY(!find(actions, "split").direct);
        QCOMPARE(find(actions, "fuse").title, QStringLiteral("Fuse with j"));
    }

    /// What a form begins with fits the loops that it is about.
    void partsFitTheirLoops()
    {
        const std::pair<std::int64_t, std::int64_t> expected[] = {{-1, 32},  {1024, 32}, {128, 32}, {32, 16},
                                                                  {48, 16},  {130, 26},  {127, 32}, {7, 4},
                                                                  {1000, 8}, {3, 2},     {2, 1},    {1, 1}};
        for (const auto &[iterations, part] : expected)
            QCOMPARE(document::usualPart(iterations), part);
        const auto session = session::Session::open("op:matmul(M=3,N=48,K=8)").value();
        const auto nest = document::makeNest({0}, *session.tree().root().state);
        const Action tile = find(document::actionsFor(*nest, {idOf(*nest, "i")}, {}), "tile");
        QVERIFY(tile.legal());
        QCOMPARE(*tile.args[2].as<std::int64_t>(), 2);
        QCOMPARE(*tile.args[3].as<std::int64_t>(), 16);
    }

    void whatIsTakenOffIsOneOfTheAnnotationsThere()
    {
        const auto start = schedule::makeState(tests::program("matmul")).value();
        const auto plain = document::makeNest({0}, start);
        const Action none = find(document::actionsFor(*plain, {idOf(*plain, "i")}, {}), "unannotate");
        QVERIFY(!none.legal());
        QCOMPARE(none.refused->message, std::string("loop 'i' carries no annotation"));
        auto noted =
            schedule::runScheduleScript(start, "sch.annotate(sch.get_loops('C')[0], 'first', 1)", "s.py");
        QVERIFY(noted);
        const auto nest = document::makeNest({1}, noted->state);
        const Action one = find(document::actionsFor(*nest, {idOf(*nest, "i")}, {}), "unannotate");
        QVERIFY(one.legal() && one.direct);
        QCOMPARE(*one.args.back().as<std::string>(), std::string("first"));
        noted = schedule::runScheduleScript(noted->state, "sch.annotate(sch.get_loops('C')[0], 'second', 2)",
                                            "s.py");
        QVERIFY(noted);
        const auto both = document::makeNest({2}, noted->state);
        const Action choice = find(document::actionsFor(*both, {idOf(*both, "i")}, {}), "unannotate");
        QVERIFY(choice.legal() && !choice.direct);
        QCOMPARE(choice.choices.back().size(), std::size_t{2});
    }

    void reductionLoopSaysWhy()
    {
        const document::NestPtr nest = nestOf("matmul");
        const auto actions = document::actionsFor(*nest, {idOf(*nest, "k")}, {});
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
        const document::NestPtr nest = nestOf(program.toStdString());
        int applied = 0;
        for (const document::NestRow &row : nest->rows) {
            for (const Action &action : document::actionsFor(*nest, {row.id}, {})) {
                QCOMPARE(action.args.size(), action.primitive->fields.size());
                if (!action.legal() || action.needsTyping)
                    continue;
                const auto result = schedule::apply(nest->state, action.step());
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
        const document::NestPtr nest = nestOf("matmul");
        const auto actions = document::actionsFor(*nest, {idOf(*nest, "j"), idOf(*nest, "i")}, {});
        const Action &fuse = find(actions, "fuse");
        QVERIFY(fuse.legal());
        QCOMPARE(*fuse.args[0].as<schedule::ArgList>(),
                 (schedule::ArgList{idOf(*nest, "i"), idOf(*nest, "j")}));
        const Action &reorder = find(actions, "reorder");
        QVERIFY(reorder.direct); // in the order selected
        QCOMPARE(*reorder.args[0].as<schedule::ArgList>(),
                 (schedule::ArgList{idOf(*nest, "j"), idOf(*nest, "i")}));
    }

    void movingABlockOffersLegalLoopsOnly()
    {
        const document::NestPtr nest = nestOf("mm_relu");
        const support::StmtId consumer = idOf(*nest, "D");
        QVERIFY(consumer);
        const auto actions = document::actionsFor(*nest, {consumer}, {});
        const Action &move = find(actions, "reverse_compute_at");
        QVERIFY(move.legal());
        const std::size_t field = *move.primitive->fieldIndex("loop");
        QVERIFY(!move.choices[field].empty());
        for (const document::Choice &choice : move.choices[field]) {
            schedule::Step step = move.step();
            step.args[field] = choice.value;
            QVERIFY(schedule::check(nest->state, step).has_value());
        }
    }

    void slotsOfALoop()
    {
        const document::NestPtr nest = nestOf("matmul");
        QCOMPARE(labels(document::dropSlots(*nest, idOf(*nest, "i"), {})),
                 QStringList({QStringLiteral("drop here: j, i"), QStringLiteral("drop here: j, k, i")}));
        const auto slots = document::dropSlots(*nest, idOf(*nest, "k"), {});
        QCOMPARE(labels(slots),
                 QStringList({QStringLiteral("drop here: k, i, j"), QStringLiteral("drop here: k, j")}));
        QVERIFY(slots[0].above && slots[1].above);
        for (const DropSlot &slot : slots)
            QVERIFY(schedule::check(nest->state, slot.steps.front()).has_value());
    }

    void slotsOfABlock()
    {
        const document::NestPtr nest = nestOf("mm_relu");
        const auto slots = document::dropSlots(*nest, idOf(*nest, "D"), {});
        QVERIFY(!slots.empty());
        for (const DropSlot &slot : slots) {
            QVERIFY(slot.into);
            QVERIFY2(slot.label.startsWith(QStringLiteral("reverse compute at")), qPrintable(slot.label));
            QVERIFY(schedule::check(nest->state, slot.steps.front()).has_value());
        }
    }

    void slotsOfABuffer()
    {
        const document::NestPtr nest = nestOf("matmul");
        const auto read =
            document::dropSlotsOfBuffer(*nest, QStringLiteral("A"), document::BufferUse::ReadOrWritten, {});
        QCOMPARE(int(read.size()), 3); // i, j and k
        for (const DropSlot &slot : read) {
            QVERIFY(slot.into);
            QCOMPARE(int(slot.steps.size()), 2);
            const auto cached = schedule::apply(nest->state, slot.steps[0]);
            QVERIFY(cached.has_value());
            QVERIFY(schedule::check(cached->state, slot.steps[1]).has_value());
        }
        const auto written =
            document::dropSlotsOfBuffer(*nest, QStringLiteral("C"), document::BufferUse::ReadOrWritten, {});
        QVERIFY(!written.empty());
        QCOMPARE(written.front().steps[1].primitive->name, std::string_view("reverse_compute_at"));
        QVERIFY(document::dropSlotsOfBuffer(*nest, QStringLiteral("nothing"),
                                            document::BufferUse::ReadOrWritten, {})
                    .empty());
    }

    void stopsWhenAsked()
    {
        const document::NestPtr nest = nestOf("matmul");
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(document::actionsFor(*nest, {idOf(*nest, "i")}, stop.get_token()).empty());
        QVERIFY(document::dropSlots(*nest, idOf(*nest, "i"), stop.get_token()).empty());
    }

    void adviceLeadsToAQuickProgram()
    {
        document::NestPtr nest = nestOf("matmul");
        QStringList taken;
        while (const auto advice = document::adviceFor(*nest, {}, 2, {})) {
            taken << advice->action;
            nest = document::makeNest({0}, schedule::apply(nest->state, advice->step).value().state);
            QVERIFY(taken.size() < 10);
        }
        // With j innermost the machine code has vectors already.
        QCOMPARE(taken,
                 QStringList({QStringLiteral("Reorder j innermost"), QStringLiteral("Run i in parallel")}));
        QVERIFY(!document::adviceFor(*nestOf("symbolic"), {}, 1, {})); // nothing is known of its sizes
        // Where nothing tells, the loops do.
        nest = nestOf("matmul");
        taken.clear();
        lower::Target c;
        c.kind = lower::TargetKind::C;
        while (const auto advice = document::adviceFor(*nest, c, 2, {})) {
            taken << advice->action;
            nest = document::makeNest({0}, schedule::apply(nest->state, advice->step).value().state);
            QVERIFY(taken.size() < 10);
        }
        QCOMPARE(taken, QStringList({QStringLiteral("Reorder j innermost"), QStringLiteral("Split j by 32"),
                                     QStringLiteral("Vectorize j_1"), QStringLiteral("Run i in parallel")}));
    }

    void vectorsInMachineCode()
    {
        for (const char *line : {"\tvfmadd231ps\t(%rdi), %zmm0, %zmm1", "  addps %xmm0, %xmm1",
                                 "\tvpmaddwd\t%ymm0, %ymm1, %ymm2", "\tvmulpd %ymm0, %ymm1, %ymm2",
                                 "\tfmla\tv0.4s, v1.4s, v2.s[0]", "\tvpdpbusd %zmm1, %zmm2, %zmm3"})
            QVERIFY2(document::computesSeveral(line), line);
        for (const char *line :
             {"\tvfmadd231ss\t(%rdi), %xmm0, %xmm1", "\tvmovups (%rdi), %ymm0", "\taddq $32, %rax", "# addps",
              "\tvaddsd %xmm0, %xmm1, %xmm1", "\tfmadd s0, s1, s2, s0", "\tvbroadcastss (%rax), %ymm0", ""})
            QVERIFY2(!document::computesSeveral(line), line);
    }

    void perfectNests()
    {
        const document::NestPtr nest = nestOf("mm_relu");
        QCOMPARE(int(document::perfectNest(*nest, 1).size()), 3); // i j k
        QCOMPARE(int(document::perfectNest(*nest, nest->rowOf.at(idOf(*nest, "j", 1))).size()), 2);
    }
};

QTEST_MAIN(ActionsTest)
#include "actions_test.moc"
