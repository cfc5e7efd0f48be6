// SPDX-License-Identifier: Apache-2.0
// Whether threads meet in memory: named cases, and random accesses against all combinations tried one by one.
#include "core/analysis/access/integer_code.h"
#include "core/analysis/device/thread_conflicts.h"
#include "core/analysis/device/thread_forms.h"
#include "core/ir/build/builder.h"
#include "tests/support/random.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace nestwright;
using analysis::ThreadAccess;
using ir::Expr;
using ir::Var;

namespace {

ir::Range range(std::int64_t extent) { return {Expr(0), Expr(extent)}; }

/// Threads tx and ty, a loop i, and a variable k that all threads share.
struct Fixture {
    Var tx{"tx", ir::DataType::int32()}, ty{"ty", ir::DataType::int32()}, i{"i", ir::DataType::int32()},
        k{"k", ir::DataType::int32()}, memory{"S", ir::DataType::handle()};
    arith::Domains axes{{tx, range(8)}, {ty, range(4)}};
    arith::Analyzer analyzer;

    Fixture() { analyzer.bind(k, range(3)); }

    ThreadAccess access(const Expr &index, bool isWrite, const Expr &condition = {})
    {
        return {memory, isWrite, index, {{i, range(5)}}, condition, {}};
    }
    bool conflict(const ThreadAccess &a, const ThreadAccess &b)
    {
        for (const arith::VarRange &axis : axes)
            analyzer.bind(axis.var, axis.range);
        return analysis::ThreadConflicts(axes, analyzer).conflict(a, b);
    }

    /// The elements that each thread touches, for one value of k.
    std::set<std::pair<std::int64_t, int>> touched(const ThreadAccess &access, std::int64_t shared) const
    {
        std::set<std::pair<std::int64_t, int>> result;
        const std::array vars{tx, ty, i, k};
        auto index = analysis::IntegerCode::of(access.index, vars);
        auto condition =
            analysis::IntegerCode::of(access.condition ? access.condition : ir::boolImm(true), vars);
        for (int thread = 0; thread < 32; ++thread) {
            for (std::int64_t round = 0; round < 5; ++round) {
                const std::array<std::int64_t, 4> values{thread / 4, thread % 4, round, shared};
                if (condition->eval(values) != 0)
                    result.emplace(*index->eval(values), thread);
            }
        }
        return result;
    }
    bool reallyConflict(const ThreadAccess &a, const ThreadAccess &b) const
    {
        for (std::int64_t shared = 0; shared < 3; ++shared) {
            const auto others = touched(b, shared);
            for (const auto &[element, thread] : touched(a, shared)) {
                for (int other = 0; other < 32; ++other) {
                    if (other != thread && others.contains({element, other}))
                        return true;
                }
            }
        }
        return false;
    }
};

} // namespace

class ThreadConflictsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void integersAreEvaluated()
    {
        const Var x("x", ir::DataType::int32());
        const auto value = [&](const Expr &e, std::int64_t at) {
            auto code = analysis::IntegerCode::of(e, std::span(&x, 1));
            return code ? code->eval(std::span(&at, 1)) : std::nullopt;
        };
        QCOMPARE(value(ir::floorDiv(x, 3) * 7 - ir::floorMod(x, 5), -4), std::optional<std::int64_t>(-15));
        QCOMPARE(value(ir::select(ir::lt(x, 3), x + 1, 0), 2), std::optional<std::int64_t>(3));
        QCOMPARE(value(ir::cast(ir::DataType::int_(8), x), 300), std::optional<std::int64_t>(44));
        QCOMPARE(value(ir::logicalNot(ir::eq(x, 1)), 1), std::optional<std::int64_t>(0));
        QCOMPARE(value(ir::floorDiv(Expr(7), x), 0), std::nullopt);
        QVERIFY(!analysis::IntegerCode::of(Var("y", ir::DataType::int32()), std::span(&x, 1)));
        QVERIFY(!analysis::IntegerCode::of(ir::floatImm(1), std::span(&x, 1)));
    }

    void namedCases()
    {
        Fixture f;
        const Expr thread = Expr(f.tx) * 4 + f.ty;
        QVERIFY(!f.conflict(f.access(thread, true), f.access(thread, false)));
        QVERIFY(f.conflict(f.access(thread, true), f.access(31 - thread, false)));
        QVERIFY(!f.conflict(f.access(thread, false), f.access(31 - thread, false))); // both read
        QVERIFY(!f.conflict(f.access(thread, true), f.access(31 - thread + 32, false)));
        QVERIFY(f.conflict(f.access(f.tx, true), f.access(f.tx, true))); // four write one element
        QVERIFY(!f.conflict(f.access(f.tx, true, ir::eq(f.ty, 0)), f.access(f.tx, true, ir::eq(f.ty, 0))));
        QVERIFY(f.conflict(f.access({}, true), f.access(thread, false)));
        ThreadAccess other = f.access(thread, true);
        other.memory = Var("T", ir::DataType::handle());
        QVERIFY(!f.conflict(other, f.access(0, true)));
        // A term that all threads share moves both, whatever it is.
        const Expr base = Expr(Var("n", ir::DataType::int32())) * 1000;
        QVERIFY(!f.conflict(f.access(base + thread, true), f.access(base + thread, false)));
        QVERIFY(f.conflict(f.access(base + thread, true), f.access(base + 31 - thread, false)));
        QVERIFY(!f.conflict(f.access(ir::floorMod(Expr(f.k), 2) * 32 + thread, true),
                            f.access(ir::floorMod(Expr(f.k) + 1, 2) * 32 + 31 - thread, false)));
        // Under a remainder each of its values is tried.
        QVERIFY(!f.conflict(f.access(ir::floorMod(thread + f.k, 32), true),
                            f.access(ir::floorMod(thread + f.k, 32), false)));
        QVERIFY(f.conflict(f.access(ir::floorMod(thread + f.k, 32), true),
                           f.access(ir::floorMod(thread + f.k, 31), false)));
        ThreadAccess anyRound =
            f.access(ir::floorMod(thread + f.k, 32), true); // of k, which the other one has
        anyRound.loops.push_back({f.k, range(3)});
        QVERIFY(f.conflict(anyRound, f.access(ir::floorMod(thread + f.k, 32), true)));
        anyRound.index = ir::floorMod(thread * 3 + f.k, 96);
        QVERIFY(!f.conflict(anyRound, f.access(ir::floorMod(thread * 3 + f.k, 96), true)));
        const Expr many = Expr(Var("n", ir::DataType::int32())); // too many values
        QVERIFY(f.conflict(f.access(ir::floorMod(thread + many, 32), true),
                           f.access(ir::floorMod(thread + many, 32), false)));
        // Of two unknown terms nothing is known.
        QVERIFY(f.conflict(f.access(base + thread, true),
                           f.access(Expr(Var("m", ir::DataType::int32())) + thread, false)));
    }

    /// 256 values of all variables that threads share are tried; of more a conflict is assumed.
    void valuesOfSeveralVariables()
    {
        const auto met = [](std::int64_t values) {
            Fixture f;
            const Var other("other", ir::DataType::int32());
            f.analyzer.bind(f.k, range(64));
            f.analyzer.bind(other, range(values));
            const Expr index = ir::floorMod(Expr(f.tx) * 4 + f.ty + f.k + other, 32);
            return f.conflict(f.access(index, true), f.access(index, true));
        };
        QVERIFY(!met(15));
        QVERIFY(!met(16));
        QVERIFY(met(17));
    }

    /// A tile that is copied in rounds r of vectors v is written once, however its digits are put together;
    /// v, and a place p that all rounds have in common, do not multiply the values of r that are tried.
    void digitsOfARound()
    {
        Fixture fixture;
        const Var r("r", ir::DataType::int32()), v("v", ir::DataType::int32()), p("p", ir::DataType::int32());
        fixture.analyzer.bind(r, range(80));
        fixture.analyzer.bind(v, range(4));
        fixture.analyzer.bind(p, range(1000));
        const Expr thread = Expr(fixture.tx) * 4 + fixture.ty, round = Expr(r) * 32 + thread;
        const Expr element = ir::floorDiv(round, 40) * 160
                             + ir::floorMod(Expr(r) * 8 + ir::floorDiv(thread, 4), 10) * 16
                             + ir::floorMod(thread, 4) * 4 + v;
        const auto writing = [&](const Expr &index, arith::Domains loops) {
            return ThreadAccess{fixture.memory, true, index, std::move(loops), {}, {}};
        };
        const ThreadAccess later = writing(element + p, {});
        QVERIFY(!fixture.conflict(writing(element + p, {{v, range(4)}}), later));
        QVERIFY(!fixture.conflict(writing(element + p, {{r, range(80)}, {v, range(4)}}), later));
        QVERIFY(fixture.conflict(writing(element + p + 4, {{v, range(4)}}), later));
    }

    /// Rounds beyond counting that change only whether an access is done, not where.
    void conditionsOnLongLoops()
    {
        Fixture f;
        const Var round("round", ir::DataType::int32());
        const auto access = [&](const Expr &index, bool isWrite, const Expr &condition) {
            ThreadAccess result = f.access(index, isWrite, condition);
            result.loops = {{round, range(1 << 20)}};
            return result;
        };
        const Expr own = Expr(f.tx) * 4 + Expr(f.ty), first = ir::eq(round, Expr(0));
        QVERIFY(!f.conflict(access(own, true, first), access(own, false, {})));
        QVERIFY(f.conflict(access(own, true, first), access(Expr(f.tx) * 4, false, {})));
        // Facts that do not depend on the loop still hold.
        const Expr one = ir::lt(f.tx, Expr(1));
        QVERIFY(!f.conflict(access(Expr(f.ty), true, ir::logicalAnd(first, one)),
                            access(Expr(f.ty), false, ir::logicalAnd(one, first))));
        QVERIFY(f.conflict(access(Expr(f.ty), true, first), access(Expr(f.ty), false, one)));
    }

    /// Rounds beyond counting do not multiply with the elements of a tile: those of a condition on them alone
    /// are tried by themselves, those of one on them and threads beside these.
    void tilesInManyRounds()
    {
        Fixture f;
        const Var round("round", ir::DataType::int32()), x("x", ir::DataType::int32()),
            y("y", ir::DataType::int32());
        const Expr thread = Expr(f.tx) * 4 + f.ty, tile = thread * 4096 + Expr(x) * 64 + y;
        const auto access = [&](const Expr &index, bool isWrite, const Expr &condition) {
            return ThreadAccess{f.memory,  isWrite,
                                index,     {{round, range(1 << 20)}, {x, range(64)}, {y, range(64)}},
                                condition, {}};
        };
        const Expr first = ir::eq(round, Expr(0)), late = ir::gt(Expr(round) * 32 + thread, Expr(31));
        const auto readsOthers = [&](const ThreadAccess &read, const std::vector<ThreadAccess> &writes) {
            return analysis::ThreadConflicts(f.axes, f.analyzer).readsOthers(read, writes);
        };
        QVERIFY(!readsOthers(access(tile, false, {}), {access(tile, true, first)}));
        QVERIFY(
            readsOthers(access(31 * 4096 + Expr(x) - thread * 4096, false, {}), {access(tile, true, first)}));
        QVERIFY(readsOthers(access(Expr(x), false, {}), {access(Expr(x), true, ir::lt(thread, Expr(3)))}));
        QVERIFY(!f.conflict(access(tile, true, first), access(tile, true, first)));
        const auto short_ = [&](const Expr &condition) {
            ThreadAccess result = access(thread, true, condition);
            result.loops = {{round, range(1 << 12)}};
            return result;
        };
        QVERIFY(!readsOthers(access(thread, false, {}), {short_(late)}));
        ThreadAccess never = short_(ir::lt(Expr(round) * 32 + thread, Expr(5)));
        never.index = Expr(0);
        QVERIFY(readsOthers(access(Expr(0), false, {}), {never})); // five threads write it
    }

    /// Tiles beyond counting, told by their form.
    void tilesBeyondCounting()
    {
        Fixture f;
        const Var x("x", ir::DataType::int32()), y("y", ir::DataType::int32());
        const auto access = [&](const Expr &index, bool isWrite, const Expr &condition = {}) {
            return ThreadAccess{f.memory,  isWrite, index, {{x, range(1 << 10)}, {y, range(1 << 9)}},
                                condition, {}};
        };
        const Expr thread = Expr(f.tx) * 4 + f.ty, column = thread * 512 + y;
        const Expr own = Expr(x) * 16384 + column,
                   fused = Expr(x) * 16384 + ir::floorDiv(column, 64) * 64 + ir::floorMod(column, 64);
        QVERIFY(!f.conflict(access(own, true), access(own, true)));
        QVERIFY(!f.conflict(access(own, true), access(own, false)));
        QVERIFY(!f.conflict(access(fused + Expr(f.k) * (1 << 25), true),
                            access(fused + Expr(f.k) * (1 << 25), true)));
        const Expr padded = Expr(x) * 40000 + ir::floorDiv(column, 64) * 100 + ir::floorMod(column, 64);
        QVERIFY(!f.conflict(access(padded, true), access(padded, true)));
        const Expr meeting = Expr(x) * 16000 + column; // the next row begins within this one
        QVERIFY(f.conflict(access(meeting, true), access(meeting, true)));
        const Expr cut = Expr(x) * 16384 + ir::floorMod(column, 64); // threads fall together
        QVERIFY(f.conflict(access(cut, true), access(cut, true)));
        QVERIFY(f.conflict(access(own, true), access(own + 512, false)));
        const auto readsOthers = [&](const ThreadAccess &read, const std::vector<ThreadAccess> &writes) {
            return analysis::ThreadConflicts(f.axes, f.analyzer).readsOthers(read, writes);
        };
        QVERIFY(!readsOthers(access(own, false), {access(own, true)}));
        QVERIFY(!readsOthers(access(thread * 512, false), {access(own, true)}));
        QVERIFY(readsOthers(access(ir::floorMod(thread + 1, 32) * 512, false),
                            {access(own, true), access(thread, true, ir::lt(thread, Expr(8)))}));
    }

    /// Accesses of threads of unknown number are not counted.
    void unknownNumbersOfThreads()
    {
        const Var n("n", ir::DataType::int32());
        Fixture f;
        const Expr thread = Expr(f.tx) * 4 + f.ty;
        f.axes[0].range = {Expr(0), n};
        QVERIFY(f.conflict(f.access(31 - thread, true), f.access(thread, false)));
        f.axes[0].range = {n, Expr(8)};
        QVERIFY(f.conflict(f.access(31 - thread, true), f.access(thread, false)));
    }

    void elementsOfOthers()
    {
        Fixture f;
        const Expr thread = Expr(f.tx) * 4 + f.ty;
        const auto reads = [&](const Expr &index, const std::vector<ThreadAccess> &writes) {
            return analysis::ThreadConflicts(f.axes, f.analyzer).readsOthers(f.access(index, false), writes);
        };
        QVERIFY(!reads(thread, {f.access(thread, true)}));
        QVERIFY(!reads(f.tx, {f.access(f.tx, true)})); // each thread writes what it reads
        QVERIFY(reads(f.tx, {f.access(f.tx, true, ir::eq(f.ty, 0))}));
        QVERIFY(!reads(f.tx, {f.access(f.tx, true, ir::eq(f.ty, 0)), f.access(f.tx, true, ir::gt(f.ty, 0))}));
        QVERIFY(reads(31 - thread, {f.access(thread, true)}));
        QVERIFY(!reads(thread + 100, {f.access(thread, true)})); // nobody writes these
        QVERIFY(reads(Expr(f.k) * 100 + 31 - thread, {f.access(Expr(f.k) * 100 + thread, true)}));
        // Of an unknown place anything is assumed, but of memory that each thread fills before.
        QVERIFY(reads(31 - thread, {f.access({}, true)}));
        QVERIFY(reads(31 - thread, {f.access(thread, true), f.access({}, true)}));
        QVERIFY(!reads(thread, {f.access(thread, true), f.access({}, true)}));
        QVERIFY(!reads(f.i, {f.access(f.i, true), f.access({}, true)}));
        // The element read depends on data: each thread must have all that is written.
        const ir::Buffer table("T", {Expr(32)}, ir::DataType::int32());
        const Expr any = ir::load(table, {thread});
        QVERIFY(reads(any, {f.access(thread, true)}));
        QVERIFY(reads(ir::load(table, {Expr(0)}), {f.access(thread, true)}));
        QVERIFY(!reads(any, {f.access(f.i, true)}));
        QVERIFY(reads(any, {f.access(f.i, true, ir::lt(f.tx, 7))}));
        QVERIFY(reads(any, {f.access({}, true)}));
        const auto readsOf = [&](std::int64_t elements) {
            return analysis::ThreadConflicts(f.axes, f.analyzer)
                .readsOthers(f.access(any, false), {f.access(f.i, true), f.access({}, true)}, elements);
        };
        QVERIFY(!readsOf(5)); // each thread fills all of it
        QVERIFY(readsOf(6));
        // As it does on a loop around all of them.
        QVERIFY(reads(Expr(f.k) * 32 + thread, {f.access(31 - thread, true)}));
    }

    /// Proofs by the form of indices hold for all elements, counted one by one.
    void formsAgainstCounting()
    {
        tests::Random random(11);
        const auto below = [&](std::int64_t bound) { return random.below(bound); };
        int alone = 0, own = 0;
        for (int round = 0; round < 4000; ++round) {
            Fixture f;
            const auto index = [&]() -> Expr {
                const Expr thread = Expr(f.tx) * 4 + f.ty;
                const Expr whole = thread * (1 + below(6)) + Expr(f.i) * (1 + below(40));
                const std::int64_t digit = 1 + below(9);
                switch (below(4)) {
                case 0: return whole + below(9);
                case 1:
                    return ir::floorDiv(whole, Expr(digit)) * (digit + below(9))
                           + ir::floorMod(whole, Expr(digit));
                case 2: return ir::floorMod(whole, Expr(1 + below(60))) + Expr(f.i) * below(90);
                default: return Expr(f.tx) * below(50) + Expr(f.ty) * below(20) + Expr(f.i) * below(9);
                }
            };
            const auto condition = [&] {
                const std::int64_t which = below(6);
                return which == 0   ? ir::lt(f.i, Expr(below(6)))
                       : which == 1 ? ir::lt(f.tx, Expr(below(9)))
                       : which == 2 ? ir::lt(Expr(f.i) * 8 + f.tx, Expr(below(40)))
                                    : Expr();
            };
            const Expr first = index(), second = below(2) ? first : index();
            const ThreadAccess a = f.access(first, true, condition()),
                               b = f.access(second, below(2) == 0, condition());
            for (const arith::VarRange &axis : f.axes)
                f.analyzer.bind(axis.var, axis.range);
            const QByteArray where = QByteArray("round ") + QByteArray::number(round);
            if (analysis::onlyOneThreadTouchesEach(a, b, f.axes, f.analyzer)) {
                ++alone;
                QVERIFY2(!f.reallyConflict(a, b), where);
            }
            if (analysis::writesWhatItReads(b, a, f.analyzer)) {
                ++own;
                const auto written = f.touched(a, 0), read = f.touched(b, 0);
                QVERIFY2(std::ranges::includes(written, read), where);
            }
        }
        QVERIFY2(alone > 40 && own > 400, qPrintable(QString("%1 alone, %2 own").arg(alone).arg(own)));
    }

    /// Never no conflict where there is one; and where the terms are apart, exact.
    void randomAccesses()
    {
        tests::Random random(7);
        const auto below = [&](std::int64_t bound) { return random.below(bound); };
        int found = 0, none = 0;
        for (int round = 0; round < 3000; ++round) {
            Fixture f;
            const auto index = [&] {
                const Expr thread = Expr(f.tx) * 4 + f.ty + Expr(f.k) * (below(2) * below(6));
                const std::int64_t rows = std::int64_t{1} << below(4);
                const Expr digits = ir::floorMod(thread, Expr(rows)) * (1 + below(40))
                                    + ir::floorDiv(thread, Expr(rows)) * (1 + below(10));
                const Expr sum =
                    Expr(f.tx) * below(24) + Expr(f.ty) * below(6) + Expr(f.i) * below(3) + below(40);
                return (below(2) ? digits : sum) + Expr(f.k) * 100;
            };
            const auto condition = [&] {
                const std::int64_t which = below(4);
                return which == 0   ? ir::lt(f.tx, Expr(below(8)))
                       : which == 1 ? ir::eq(f.ty, Expr(below(4)))
                                    : Expr();
            };
            const ThreadAccess a = f.access(index(), true, condition()),
                               b = f.access(index(), below(2) == 0, condition());
            const bool real = f.reallyConflict(a, b);
            (real ? found : none) += 1;
            QVERIFY2(f.conflict(a, b) == real, qPrintable(QString("round %1").arg(round)));
        }
        QVERIFY2(found > 300 && none > 300,
                 qPrintable(QString("%1 conflicts, %2 without").arg(found).arg(none)));
    }
};

QTEST_GUILESS_MAIN(ThreadConflictsTest)
#include "thread_conflicts_test.moc"
