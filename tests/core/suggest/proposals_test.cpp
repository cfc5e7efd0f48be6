// SPDX-License-Identifier: Apache-2.0
/// Choices that a form offers for its fields, and its first values.
#include "core/schedule/state_index.h"
#include "core/script/tvmscript/parser.h"
#include "core/suggest/actions.h"
#include "tests/core/suggest/nests.h"

#include <QtTest>

using namespace nestwright;
using schedule::Field;
using schedule::FieldKind;
using suggest::Choice;
using suggest::LoopNest;
using suggest::Proposals;
using suggest::Selection;
using tests::idOf;
using tests::nestOf;

namespace {

/// A chain B → C → D, and E, which has nothing to do with them.
constexpr std::string_view chain = R"(
@T.prim_func
def main(A: T.Buffer((16, 8), "float32"), D: T.Buffer((16, 8), "float32"), E: T.Buffer((4,), "float32")):
    B = T.alloc_buffer((16, 8))
    C = T.alloc_buffer((16, 8))
    for b0, b1 in T.grid(16, 8):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [b0, b1])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for c0, c1 in T.grid(16, 8):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [c0, c1])
            C[vi, vj] = B[vi, vj] + A[vi, vj]
    for d0, d1 in T.grid(16, 8):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [d0, d1])
            D[vi, vj] = C[vi, vj] + T.float32(1)
    for e in range(4):
        with T.block("E"):
            vi = T.axis.spatial(4, e)
            E[vi] = T.float32(0)
)";

LoopNest chainNest()
{
    return nestOf(schedule::makeState(script::parseTvmScript(chain, "chain.py").value()).value());
}

QString labels(const std::vector<Choice> &choices)
{
    QStringList found;
    for (const Choice &each : choices)
        found << QString::fromStdString(each.label);
    return found.join(u' ');
}

/// The choices of a field of that kind that is not the first.
QString choices(const LoopNest &nest, const char *selected, Field field)
{
    const Selection selection = suggest::selectionIn(nest, {idOf(nest, selected)});
    return labels(Proposals(nest, selection).choicesOf(field, false));
}

Field fieldOf(FieldKind kind, schedule::BufferSide side = {})
{
    Field field;
    field.kind = kind;
    field.side = side;
    return field;
}

const suggest::Action &find(const std::vector<suggest::Action> &actions, std::string_view name)
{
    return *std::ranges::find_if(
        actions, [&](const suggest::Action &action) { return action.primitive->name == name; });
}

} // namespace

class ProposalsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loopsOfTheBlockAndItsNeighbours()
    {
        const LoopNest nest = chainNest();
        const Field loop = fieldOf(FieldKind::Loop);
        // Those below the selection come first; the selected loop and blocks further off are left out.
        QCOMPARE(choices(nest, "b0", loop), "b1 c0 c1");
        QCOMPARE(choices(nest, "b1", loop), "c0 c1 b0");
        QCOMPARE(choices(nest, "C", loop), "d0 d1 b0 b1 c0 c1");
        QCOMPARE(choices(nest, "d0", loop), "d1 c0 c1");
        QCOMPARE(choices(nest, "e", loop), "");
        QCOMPARE(choices(nest, "E", loop), "e");
    }

    void blocksAreAllOffered()
    {
        const LoopNest nest = chainNest();
        QCOMPARE(choices(nest, "C", fieldOf(FieldKind::Block)), "B C D E");
        QCOMPARE(choices(nest, "C", fieldOf(FieldKind::Blocks)), "B C D E");
        QCOMPARE(choices(nest, "E", fieldOf(FieldKind::BlockOrLoop)), "B C D E e");
    }

    void loopsOfOneNest()
    {
        const LoopNest nest = chainNest();
        QCOMPARE(choices(nest, "c1", fieldOf(FieldKind::Loops)), "c0 c1");
        QCOMPARE(choices(nest, "C", fieldOf(FieldKind::Loops)), "");
    }

    void buffersOfTheirSide()
    {
        const LoopNest nest = chainNest();
        QCOMPARE(choices(nest, "C", fieldOf(FieldKind::BufferIndex, schedule::BufferSide::Read)), "B A");
        QCOMPARE(choices(nest, "C", fieldOf(FieldKind::BufferIndex, schedule::BufferSide::Write)), "C");
        QCOMPARE(choices(nest, "C", fieldOf(FieldKind::BufferRef)), "B A C");
        const Selection none = suggest::selectionIn(nest, {});
        QVERIFY(Proposals(nest, none).choicesOf(fieldOf(FieldKind::BufferRef), false).empty());
    }

    void theFirstFieldIsTheSelection()
    {
        const LoopNest nest = chainNest();
        const Selection selection = suggest::selectionIn(nest, {idOf(nest, "c1")});
        const Proposals proposals(nest, selection);
        for (const FieldKind kind : {FieldKind::Loop, FieldKind::Block, FieldKind::BlockOrLoop})
            QVERIFY(proposals.choicesOf(fieldOf(kind), true).empty());
        QCOMPARE(*proposals.valueOf(fieldOf(FieldKind::Loop), true, {}).as<ir::StmtId>(), idOf(nest, "c1"));
        QCOMPARE(*proposals.valueOf(fieldOf(FieldKind::Block), true, {}).as<ir::StmtId>(), idOf(nest, "C"));
        QCOMPARE(*proposals.valueOf(fieldOf(FieldKind::BlockOrLoop), true, {}).as<ir::StmtId>(),
                 idOf(nest, "c1"));
        const std::vector<Choice> two{{idOf(nest, "b0"), "b0"}, {idOf(nest, "b1"), "b1"}};
        QCOMPARE(*proposals.valueOf(fieldOf(FieldKind::Loop), false, two).as<ir::StmtId>(), idOf(nest, "b0"));
        QVERIFY(!proposals.valueOf(fieldOf(FieldKind::Loop), false, {}).as<ir::StmtId>());
    }

    void twoLoopsAreTheSelectedOneAndTheNext()
    {
        const LoopNest nest = chainNest();
        const auto proposed = [&](const std::vector<const char *> &selected) {
            std::vector<ir::StmtId> ids;
            for (const char *name : selected)
                ids.push_back(idOf(nest, name));
            const Selection selection = suggest::selectionIn(nest, ids);
            const schedule::ArgValue value =
                Proposals(nest, selection).valueOf(fieldOf(FieldKind::Loops), true, {});
            QStringList names;
            for (const schedule::ArgValue &each : *value.as<schedule::ArgList>())
                names << QString::fromStdString(nest.name(*each.as<ir::StmtId>()));
            return names.join(u' ');
        };
        QCOMPARE(proposed({"b0"}), "b0 b1");
        QCOMPARE(proposed({"b1"}), "b1");
        QCOMPARE(proposed({"b1", "b0"}), "b1 b0");
        QCOMPARE(proposed({"B"}), "");
    }

    void positionsCountTheBlocksAxes()
    {
        const LoopNest nest = chainNest();
        const auto proposed = [&](const char *selected) {
            const Selection selection = suggest::selectionIn(nest, {idOf(nest, selected)});
            return Proposals(nest, selection).valueOf(fieldOf(FieldKind::Ints), false, {});
        };
        QCOMPARE(*proposed("C").as<schedule::ArgList>(),
                 (schedule::ArgList{std::int64_t{0}, std::int64_t{1}}));
        QCOMPARE(*proposed("E").as<schedule::ArgList>(), schedule::ArgList{std::int64_t{0}});
    }

    void mapsHaveTheDimensionsOfTheirBuffer()
    {
        const LoopNest nest = nestOf("row_sum"); // A has two dimensions, B one; the block has two axes
        const auto block = nest.firstBlock(nest.all().front());
        const Selection selection = suggest::selectionIn(nest, {block});
        const Proposals proposals(nest, selection);
        const schedule::Primitive &layout = *schedule::findPrimitive("transform_layout");
        const auto inputs = [&](schedule::ArgValue buffer) {
            const schedule::ArgValue map = proposals.identityMap(layout, {block, std::move(buffer)});
            return map.as<schedule::IndexMap>()->inputs.size();
        };
        using schedule::ArgList;
        QCOMPARE(inputs(ArgList{"read", std::int64_t{0}}), std::size_t{2});
        QCOMPARE(inputs(ArgList{"write", std::int64_t{0}}), std::size_t{1});
        // A buffer that there is not counts nothing: the axes of the block do.
        QCOMPARE(inputs(ArgList{"write", std::int64_t{1}}), std::size_t{2});
        QCOMPARE(inputs(ArgList{"read", std::int64_t{-1}}), std::size_t{2});
        const Selection none = suggest::selectionIn(nest, {});
        QVERIFY(!Proposals(nest, none).identityMap(layout, {}).as<schedule::IndexMap>());
    }

    void titlesNameThePartner()
    {
        const LoopNest nest = chainNest();
        const auto title = [&](const char *selected, std::string_view primitive) {
            return QString::fromStdString(
                find(suggest::actionsFor(nest, {idOf(nest, selected)}, {}), primitive).title);
        };
        QCOMPARE(title("b0", "fuse"), "Fuse with b1");
        QCOMPARE(title("C", "cache_read"), "Cache read B");
        QCOMPARE(title("E", "cache_read"),
                 QString::fromStdString(std::string(schedule::findPrimitive("cache_read")->title)));
    }

    void whatIsMissingIsSaid()
    {
        const LoopNest nest = chainNest();
        const auto refusal = [&](const std::vector<ir::StmtId> &selected, std::string_view primitive) {
            const auto actions = suggest::actionsFor(nest, selected, {});
            return QString::fromStdString(find(actions, primitive).refused.value().render());
        };
        QVERIFY(refusal({}, "split").contains("nothing is selected"));
        QVERIFY(refusal({}, "split").contains("select a loop or block first"));
        QVERIFY(
            refusal({idOf(nest, "B")}, "split").contains("a block is selected, and this works on a loop"));
        QVERIFY(refusal({idOf(nest, "B")}, "fuse").contains("select one of the loops around it"));
        QVERIFY(refusal({idOf(nest, "b1")}, "fuse").contains("'b1' holds no other loop alone"));
        QVERIFY(refusal({nest.state().index->function("main")->root()}, "compute_inline")
                    .contains("there is no block in the selection"));
    }

    void aLoopMovesInwardsElseOutwards()
    {
        const LoopNest nest = chainNest();
        const auto order = [&](const std::vector<ir::StmtId> &selected) {
            const auto actions = suggest::actionsFor(nest, selected, {});
            QStringList names;
            for (const schedule::ArgValue &each :
                 *find(actions, "reorder").args.front().as<schedule::ArgList>())
                names << QString::fromStdString(nest.name(*each.as<ir::StmtId>()));
            return names.join(u' ');
        };
        QCOMPARE(order({idOf(nest, "b0")}), "b1 b0");
        QCOMPARE(order({idOf(nest, "b0"), idOf(nest, "b1")}), "b0 b1");
        // Within j, r would put the first term of a sum behind others; outside of n it does not.
        const LoopNest sums = nestOf(schedule::makeState(tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((3, 6, 10), "float32"), B: T.Buffer((3, 6), "float32")):
    for n, r, j in T.grid(3, 12, 5):
        with T.block("B"):
            vn = T.axis.spatial(3, n)
            vi = T.axis.spatial(6, (r * 5 + j) // 10)
            vk = T.axis.reduce(10, (r * 5 + j) % 10)
            with T.init():
                B[vn, vi] = T.float32(0)
            B[vn, vi] = B[vn, vi] + A[vn, vi, vk]
)"))
                                         .value());
        const auto actions = suggest::actionsFor(sums, {idOf(sums, "r")}, {});
        const suggest::Action &outwards = find(actions, "reorder");
        QVERIFY(outwards.legal());
        QCOMPARE(*outwards.args.front().as<schedule::ArgList>(),
                 (schedule::ArgList{idOf(sums, "r"), idOf(sums, "n")}));
    }

    void aStepThatMakesItLegalIsOffered()
    {
        // Loops that hold others cannot become vectors; brought innermost they can.
        const LoopNest nest = chainNest();
        const auto actions = suggest::actionsFor(nest, {idOf(nest, "e")}, {});
        QVERIFY(find(actions, "vectorize").legal());
    }
};

QTEST_APPLESS_MAIN(ProposalsTest)
#include "proposals_test.moc"
