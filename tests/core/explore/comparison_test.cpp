// SPDX-License-Identifier: Apache-2.0
// Two variants compared: the rows of their loops, and the reason that is told.
#include "core/explore/compare/comparison.h"

#include "core/explore/compare/reasons.h"
#include "tests/core/explore/named_schedules.h"

#include <QtTest>

#include <algorithm>

using namespace nestwright;
using tests::NamedStep;

namespace {

explore::Side sideOf(const char *name, const std::vector<NamedStep> &steps, const char *program = "matmul")
{
    tests::NamedVariant variant(schedule::makeState(tests::program(program)).value());
    for (const NamedStep &step : steps) {
        if (!variant.take(step))
            qFatal("%s is not legal", step.primitive.c_str());
    }
    return {name, variant.path()};
}

target::Target haswell()
{
    target::Target target;
    target.mcpu = "haswell";
    return target;
}

explore::Comparison compared(const std::vector<NamedStep> &first, const std::vector<NamedStep> &second,
                             int threads = 1)
{
    auto comparison = explore::compare(sideOf("a", first), sideOf("b", second), haswell(), threads);
    if (!comparison)
        qFatal("%s", comparison.error().message.c_str());
    return *std::move(comparison);
}

const explore::Metric &metric(std::string_view name)
{
    return *std::ranges::find(explore::metrics(), name, &explore::Metric::name);
}

std::vector<std::string> reasons(const explore::Comparison &comparison)
{
    std::vector<std::string> sentences;
    for (const explore::Reason &each : explore::reasonsFor(comparison.first, comparison.second, {}))
        sentences.push_back(each.sentence);
    return sentences;
}

const std::vector<NamedStep> vectors{
    {"reorder", {"i", "k", "j"}}, {"split", {"j"}, {8}}, {"vectorize", {"j.i"}}};
const std::vector<NamedStep> scalars{
    {"reorder", {"i", "k", "j"}}, {"split", {"j"}, {8}}, {"unroll", {"j.i"}}};

} // namespace

class ComparisonTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aVariantWithItself()
    {
        const explore::Comparison comparison = compared(vectors, vectors);
        QVERIFY(comparison.isSameCode);
        QCOMPARE(comparison.sentence, std::string("the machine code of both is the same"));
        QVERIFY(reasons(comparison).empty());
        for (const explore::LoopPair &pair : comparison.pairs) {
            QCOMPARE(pair.first, pair.second);
            for (const explore::Metric &each : explore::metrics())
                QCOMPARE(each.value(*comparison.first.loop(pair.first)),
                         each.value(*comparison.second.loop(pair.second)));
        }
    }

    void factsOfALoop()
    {
        const explore::Comparison comparison = compared({}, vectors);
        QCOMPARE(comparison.pairs.size(), std::size_t(4)); // i, k, j = j.o, j.i
        const auto &facts = comparison.second;
        QCOMPARE(facts.loops.at(2).name, std::string("j_0"));
        QCOMPARE(facts.loops.at(2).trips, 16);
        QCOMPARE(facts.loops.at(2).depth, 2);
        QCOMPARE(facts.loops.at(3).kind, std::string("vector"));
        QVERIFY(!facts.loops.at(3).code);                   // its iterations are one instruction
        const explore::LoopView &inner = facts.loops.at(1); // k: those of j_0 stand in a row
        QVERIFY(inner.code);
        QCOMPARE(metric("vector-bits").value(inner), 256.0);
        QVERIFY(facts.cycles > 0.0);
        QCOMPARE(facts.loops.front().share, 1.0);
        QVERIFY(metric("cycles").value(inner) > 0.0);
        const explore::LoopView &plain = comparison.first.loops.at(2);
        const explore::MetricPair bits = explore::pairOf(metric("vector-bits"), &plain, &inner);
        QCOMPARE(bits.better, 1);
        QCOMPARE(bits.firstText + " " + bits.secondText, std::string("0 256"));
        QCOMPARE(explore::pairOf(metric("vector-bits"), &inner, &plain).better, -1);
        QCOMPARE(explore::pairOf(metric("trips"), &inner, nullptr).secondText, std::string("–"));
    }

    void cyclesAsText()
    {
        QCOMPARE(explore::cyclesText(850), std::string("850"));
        QCOMPARE(explore::cyclesText(2503000), std::string("2.50 M"));
        QCOMPARE(explore::cyclesText(67.1e6), std::string("67.1 M"));
        QCOMPARE(explore::cyclesText(999.9e6), std::string("1.00 G"));
    }

    /// k is innermost in one: B is read down its columns there.
    void strides()
    {
        const explore::Comparison comparison = compared({}, {{"reorder", {"i", "k", "j"}}});
        const auto all = reasons(comparison);
        QVERIFY2(
            std::ranges::contains(all, "B is read with a stride of 512 B in 'a', one after the other in 'b'"),
            comparison.sentence.c_str());
        // The other way round the same is told.
        const explore::Comparison back = compared({{"reorder", {"i", "k", "j"}}}, {});
        QVERIFY(std::ranges::contains(reasons(back),
                                      "B is read with a stride of 512 B in 'b', one after the other in 'a'"));
    }

    void numbersAtATime()
    {
        const explore::Comparison comparison = compared({}, vectors);
        QVERIFY2(std::ranges::contains(reasons(comparison),
                                       "the innermost loop computes 8 numbers at a time in 'b', one in 'a'"),
                 comparison.sentence.c_str());
    }

    void threadsThatWork()
    {
        std::vector<NamedStep> parallel = vectors;
        parallel.push_back({"parallel", {"i"}});
        const explore::Comparison comparison = compared(vectors, parallel, 4);
        QCOMPARE(comparison.sentence,
                 std::string("4 threads share the iterations of i in 'b', one works alone in 'a'"));
        QVERIFY(compared(vectors, parallel, 1).sentence.find("threads") == std::string::npos);
    }

    /// Two that the compiler makes the same of.
    void equalCodeOfOtherLoops()
    {
        const explore::Comparison comparison =
            compared({{"split", {"i"}, {8}}, {"fuse", {"i.o", "i.i"}}}, {});
        QVERIFY2(comparison.isSameCode, comparison.sentence.c_str());
    }

    /// A target whose machine code is not made here has the facts of the program alone.
    void withoutMachineCode()
    {
        target::Target target;
        target.kind = target::TargetKind::OpenCl;
        const auto comparison = explore::compare(sideOf("a", {}), sideOf("b", scalars), target, 1);
        QVERIFY(comparison);
        QVERIFY(comparison->first.code.empty() && !comparison->isSameCode);
        QCOMPARE(comparison->second.loops.front().cache, 0); // the caches are not the device's
        QCOMPARE(comparison->sentence, std::string("no difference is known to cost time"));
        QVERIFY(comparison->second.loops.front().bytes);
        QVERIFY(!comparison->second.cycles);
    }

    void cancelled()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto comparison =
            explore::compare(sideOf("a", {}), sideOf("b", {}), haswell(), 1, stop.get_token());
        QVERIFY(!comparison);
        QCOMPARE(comparison.error().code, std::string("cancelled"));
    }
};

QTEST_APPLESS_MAIN(ComparisonTest)
#include "comparison_test.moc"
