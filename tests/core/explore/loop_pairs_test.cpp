// SPDX-License-Identifier: Apache-2.0
// Loops of two variants of one program find each other.
#include "core/explore/compare/loop_pairs.h"

#include "tests/core/explore/named_schedules.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <algorithm>

using namespace nestwright;
using explore::LoopPair;
using explore::PairedBy;
using tests::NamedVariant;

namespace {

suggest::LoopNest nestOfVariant(const NamedVariant &variant)
{
    const schedule::State &state = variant.path().end();
    return {state, script::print(state.module)};
}

std::vector<LoopPair> pairsOf(const NamedVariant &first, const NamedVariant &second)
{
    return explore::pairLoops(first.path(), nestOfVariant(first), second.path(), nestOfVariant(second));
}

std::string nameOf(const NamedVariant &variant, support::StmtId id)
{
    for (const auto &[name, loop] : variant.loops()) {
        if (loop == id)
            return name;
    }
    return "-";
}

/// "i=i k=k.o -=k.i": the names of each pair, those of loops that stand alone with "-".
std::string text(const NamedVariant &first, const NamedVariant &second)
{
    std::string text;
    for (const LoopPair &pair : pairsOf(first, second))
        text += (text.empty() ? "" : " ") + nameOf(first, pair.first) + '=' + nameOf(second, pair.second);
    return text;
}

NamedVariant matmul(const std::vector<tests::NamedStep> &steps)
{
    NamedVariant variant(schedule::makeState(tests::program("matmul")).value());
    for (const tests::NamedStep &step : steps) {
        if (!variant.take(step))
            qFatal("%s is not legal", step.primitive.c_str());
    }
    return variant;
}

/// Whether a row is right: loops of one name stand together; a loop whose name one side alone has stands
/// alone, or beside another part of what it was made of.
bool isRight(const LoopPair &pair, const NamedVariant &first, const NamedVariant &second)
{
    const std::string a = nameOf(first, pair.first), b = nameOf(second, pair.second);
    if (a == b)
        return true;
    if ((pair.first && second.loops().contains(a)) || (pair.second && first.loops().contains(b)))
        return false;
    if (!pair.first || !pair.second)
        return true;
    const auto of = first.sources(a), with = second.sources(b);
    return std::ranges::any_of(of, [&](const std::string &each) { return with.contains(each); });
}

} // namespace

class LoopPairsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aProgramWithItself()
    {
        const NamedVariant plain = matmul({});
        QCOMPARE(text(plain, plain), std::string("i=i j=j k=k"));
        for (const LoopPair &pair : pairsOf(plain, plain))
            QCOMPARE(pair.by, PairedBy::Identity);
    }

    /// Loops that the variants did not change; a loop that one of them split is paired with the part that is
    /// innermost as it is.
    void oneLoopIsSplit()
    {
        const NamedVariant split = matmul({{"split", {"k"}, {8}}});
        QCOMPARE(text(matmul({}), split), std::string("i=i j=j -=k.o k=k.i"));
        QCOMPARE(text(split, matmul({})), std::string("i=i j=j k.o=- k.i=k"));
    }

    /// The same parts have other ids, extents and places.
    void theSameStepsInAnotherOrder()
    {
        const NamedVariant first = matmul({{"split", {"i"}, {8}}, {"split", {"j"}, {16}}});
        const NamedVariant second =
            matmul({{"split", {"j"}, {32}}, {"split", {"i"}, {8}}, {"reorder", {"j.o", "i.o"}}});
        QCOMPARE(text(first, second), std::string("j.o=j.o i.i=i.i i.o=i.o j.i=j.i k=k"));
        QCOMPARE(pairsOf(first, second).front().by, PairedBy::Origin);
    }

    void aPartOfAPart()
    {
        const NamedVariant first = matmul({{"split", {"i"}, {32}}, {"split", {"i.i"}, {4}}});
        const NamedVariant second = matmul({{"vectorize", {"j"}}, {"split", {"i"}, {32}}});
        QCOMPARE(text(first, second), std::string("i.o=i.o i.i.o=- i.i.i=i.i j=j k=k"));
    }

    /// Copies of other buffers are no pair.
    void copiesOfOtherBuffers()
    {
        const NamedVariant first = matmul({{"cache_read", {"C"}, {0}}});
        const NamedVariant second = matmul({{"cache_read", {"C"}, {1}}});
        QCOMPARE(text(first, second),
                 std::string("C.copy0.0=- C.copy0.1=- -=C.copy1.0 -=C.copy1.1 i=i j=j k=k"));
    }

    /// Blocks that both have from the program that they come from, or from the same step.
    void blocks()
    {
        const NamedVariant first = matmul({{"cache_read", {"C"}, {0}}, {"cache_read", {"C"}, {1}}});
        const NamedVariant second = matmul({{"split", {"i"}, {8}}, {"cache_read", {"C"}, {1}}});
        const suggest::LoopNest firstNest = nestOfVariant(first), secondNest = nestOfVariant(second);
        QStringList names;
        for (const LoopPair &pair : explore::pairBlocks(first.path(), firstNest, second.path(), secondNest)) {
            QCOMPARE(firstNest.name(pair.first), secondNest.name(pair.second));
            names << QString::fromStdString(firstNest.name(pair.first));
        }
        QCOMPARE(names.join(u' '), QString("C B_global"));
    }

    /// 50 pairs of variants with their right rows by construction.
    void randomVariants()
    {
        int rows = 0, right = 0, found = 0;
        std::string wrong;
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const auto [first, second] = tests::randomVariantPair(seed);
            std::set<support::StmtId> seen[2];
            std::size_t loops[2] = {0, 0};
            for (const LoopPair &pair : pairsOf(first, second)) {
                loops[0] += pair.first ? 1 : 0;
                loops[1] += pair.second ? 1 : 0;
                seen[0].insert(pair.first);
                seen[1].insert(pair.second);
                ++rows;
                found += pair.by == PairedBy::Origin ? 1 : 0;
                if (isRight(pair, first, second))
                    ++right;
                else
                    wrong += '\n' + std::to_string(seed) + ": " + nameOf(first, pair.first) + " = "
                             + nameOf(second, pair.second);
            }
            // Each loop once.
            QCOMPARE(loops[0], first.loops().size());
            QCOMPARE(loops[1], second.loops().size());
            seen[0].erase(support::StmtId());
            seen[1].erase(support::StmtId());
            QCOMPARE(seen[0].size(), loops[0]);
            QCOMPARE(seen[1].size(), loops[1]);
        }
        const double share = 100.0 * right / rows;
        qInfo("%d of %d rows are right: %.1f %%; %d by origin%s", right, rows, share, found, wrong.c_str());
        QVERIFY(found > 50);
        QVERIFY2(share >= 95, wrong.c_str());
    }
};

QTEST_APPLESS_MAIN(LoopPairsTest)
#include "loop_pairs_test.moc"
