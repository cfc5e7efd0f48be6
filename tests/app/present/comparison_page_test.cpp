// SPDX-License-Identifier: GPL-3.0-or-later
// Two variants, or one and a peer, compared for their window.
#include "app/present/comparison_page.h"

#include "app/present/code_source.h"
#include "core/backend/edited_code.h"
#include "tests/core/explore/named_schedules.h"
#include "tests/core/session/sessions.h"

#include <QtTest>

using namespace nestwright;
using backend::SourceKind;
using code::LineMark;
using tests::NamedStep;

namespace {

target::Target haswellProcessor()
{
    target::Target target;
    target.mtriple = "x86_64-linux-gnu";
    target.mcpu = "haswell";
    return target;
}

explore::Side side(const char *name, const std::vector<NamedStep> &steps)
{
    tests::NamedVariant variant(schedule::makeState(tests::program("matmul")).value());
    for (const NamedStep &step : steps) {
        if (!variant.take(step))
            qFatal("%s is not legal", step.primitive.c_str());
    }
    return {name, variant.path()};
}

const std::vector<NamedStep> inOrder{{"reorder", {"i", "k", "j"}}};
const std::vector<NamedStep> vectors{
    {"reorder", {"i", "k", "j"}}, {"split", {"j"}, {8}}, {"vectorize", {"j.i"}}};

app::ComparisonPage compared(const std::vector<NamedStep> &first, const std::vector<NamedStep> &second)
{
    auto page = app::compareVariants(side("a", first), side("b", second), haswellProcessor(), {});
    if (!page)
        qFatal("%s", page.error().render().c_str());
    return *std::move(page);
}

code::Difference sources(const app::ComparisonPage &page, std::optional<SourceKind> kind)
{
    auto difference = app::alignedSources(page, kind, haswellProcessor(), {});
    if (!difference)
        qFatal("%s", difference.error().render().c_str());
    return *std::move(difference);
}

QStringList linesOf(const code::Source &source) { return source.text.split(u'\n'); }

/// Both texts have as many lines, each with a number of its own text or none, in order.
QString faultOf(const code::Difference &difference)
{
    if (difference.older.numbers.size() != difference.newer.numbers.size())
        return QStringLiteral("lines that stand beside nothing");
    for (const code::Source *source : {&difference.older, &difference.newer}) {
        int before = 0;
        for (const int number : source->numbers) {
            if (number != 0 && number <= before)
                return QStringLiteral("line %1 stands behind line %2").arg(number).arg(before);
            before = std::max(before, number);
        }
    }
    return {};
}

measure::PeerCode peer()
{
    const backend::TextUnit unit{.code = {SourceKind::Asm, R"(
    .globl kernel
kernel:
.again:
    vbroadcastss (%rdi,%rax,4), %ymm1
    vfmadd231ps (%rsi,%rax), %ymm1, %ymm2
    addq $32, %rax
    jne .again
    ret
)",
                                          "peer.s", true},
                                 .target = haswellProcessor(),
                                 .allowsFastMath = false,
                                 .entries = {}};
    auto code =
        backend::functionsIn(backend::compileText(unit).value().bytes, "peer.o", {}, haswellProcessor());
    return {"theirs", backend::disassemble(*code, haswellProcessor()).value(), {}};
}

} // namespace

class ComparisonPageTest : public QObject {
    Q_OBJECT

    std::optional<app::ComparisonPage> m_page;       // of two variants
    std::optional<app::ComparisonPage> m_besidePeer; // of one and a peer

private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(backend::sourceFormat(SourceKind::Asm)))
            QSKIP("this program was built without LLVM");
        m_page = compared(inOrder, vectors);
        const auto code = std::make_shared<const measure::PeerCode>(peer());
        auto page = app::compareWithPeer(side("mine", vectors), code, haswellProcessor(), {});
        QVERIFY2(page.has_value(), page ? "" : page.error().render().c_str());
        QCOMPARE(page->peer, code);
        m_besidePeer = *std::move(page);
    }

    void namesOfVariants()
    {
        session::Session session = tests::begin();
        const auto id = session.apply({}, tests::splitStep(*session.tree().root().state, "i", 4));
        QCOMPARE(app::titleOf(session.tree().at(id)), QStringLiteral("#1 split(i, [None, 4])"));
        QCOMPARE(app::shortNameOf(session.tree().at(id)), std::string("#1"));
        session.tree().setName(id, "tiled");
        QCOMPARE(app::titleOf(session.tree().at(id)), QStringLiteral("#1 tiled"));
        QCOMPARE(app::shortNameOf(session.tree().at(id)), std::string("tiled"));
    }

    void sidesAndTimes()
    {
        session::Session session = tests::begin();
        const auto one = session.apply({}, tests::splitStep(*session.tree().root().state, "i", 4));
        const auto two = session.apply(one, tests::splitStep(*session.tree().at(one).state, "j", 8));
        const explore::Side side = app::sideOf(session.tree(), two);
        QCOMPARE(side.name, std::string("#2"));
        QCOMPARE(side.path.size(), 2U);
        QCOMPARE(side.path.label(1), session.tree().at(two).label);

        QVERIFY(!app::secondsOf(session.tree(), two));
        measure::Measurement measured;
        measured.time = {1, 2, 3};
        session.setMeasurement(two, measured);
        QCOMPARE(app::secondsOf(session.tree(), two), std::optional(2.0));
        measured.failed = measure::Failure::WrongResult;
        measured.failure = support::diagnostic("test.wrong", "element 3 differs");
        session.setMeasurement(two, measured);
        QVERIFY(!app::secondsOf(session.tree(), two)); // a wrong result has no time
        measured = {};
        session.setMeasurement(two, measured);
        QVERIFY(!app::secondsOf(session.tree(), two));
    }

    void programsBesideEachOther()
    {
        QVERIFY(m_page->first && m_page->second && !m_page->peer);
        QVERIFY(!m_page->comparison.sentence.empty());
        const code::Difference difference = sources(*m_page, {});
        QCOMPARE(faultOf(difference), QString());
        QVERIFY(!difference.older.text.contains(QStringLiteral("T.grid("))); // a loop a line
        QVERIFY(difference.newer.text.contains(QStringLiteral("T.vectorized(8)")));
        // The loop over i, which is that of both, stands beside itself.
        const QStringList older = linesOf(difference.older), newer = linesOf(difference.newer);
        qsizetype place = -1;
        for (qsizetype i = 0; i < older.size(); ++i) {
            if (older[i].contains(QStringLiteral("for i in")))
                place = i;
        }
        QVERIFY(place >= 0 && newer[place].contains(QStringLiteral("for i in")));
        const auto line = static_cast<std::size_t>(place);
        QCOMPARE(difference.older.marks.at(line), LineMark::None);
        QVERIFY(std::ranges::contains(difference.newer.marks, LineMark::Added));
    }

    /// Nothing differs: the whole program is seen, and no line is cut out.
    void aVariantWithItself()
    {
        const app::ComparisonPage page = compared(vectors, vectors);
        QVERIFY(page.comparison.isSameCode);
        const code::Difference difference = sources(page, {});
        QCOMPARE(difference.older.text, difference.newer.text);
        for (const LineMark mark : difference.newer.marks)
            QCOMPARE(mark, LineMark::None);
        int last = 0;
        for (const int number : difference.newer.numbers)
            QCOMPARE(number, ++last);
        QCOMPARE(last, static_cast<int>(std::ranges::count(page.first->apart.text, '\n')));
    }

    void targetTexts()
    {
        for (const SourceKind kind : {SourceKind::C, SourceKind::Asm}) {
            const code::Difference difference = sources(*m_page, kind);
            QCOMPARE(faultOf(difference), QString());
            QCOMPARE(difference.older.language, app::languageOf(kind));
            QCOMPARE(difference.newer.language, app::languageOf(kind));
            QVERIFY(std::ranges::contains(difference.newer.marks, LineMark::Added));
            QVERIFY(std::ranges::contains(difference.newer.marks, LineMark::None));
        }
        QVERIFY(sources(*m_page, SourceKind::Asm).newer.text.contains(QStringLiteral("ymm")));
    }

    /// Of a long run of equal lines three are seen beside what differs.
    void longRunsAreCutShort()
    {
        std::vector<NamedStep> parallel = vectors;
        parallel.push_back({"parallel", {"i"}});
        const code::Difference difference = sources(compared(vectors, parallel), {});
        QCOMPARE(faultOf(difference), QString());
        const QStringList newer = linesOf(difference.newer);
        const auto head = newer.indexOf(QRegularExpression(QStringLiteral(".*T\\.parallel.*")));
        QVERIFY(head > 3 && head + 4 < newer.size());
        const std::vector<int> &numbers = difference.newer.numbers;
        const auto at = static_cast<std::size_t>(head);
        QCOMPARE(numbers[at + 3], numbers[at] + 3);
        QCOMPARE(numbers[at - 3], numbers[at] - 3);
        for (const qsizetype cut : {head - 4, head + 4}) {
            QCOMPARE(numbers[static_cast<std::size_t>(cut)], 0);
            QVERIFY2(newer[cut].contains(QStringLiteral(" lines are the same")), qPrintable(newer[cut]));
        }
    }

    void aPeer()
    {
        QVERIFY(m_besidePeer->first && !m_besidePeer->second);
        for (const std::optional<SourceKind> kind :
             {std::optional<SourceKind>(), std::optional(SourceKind::C), std::optional(SourceKind::Asm)}) {
            const code::Difference difference = sources(*m_besidePeer, kind); // assembly stands for all kinds
            QCOMPARE(faultOf(difference), QString());
            QCOMPARE(difference.older.language, code::Language::Assembly);
            QCOMPARE(difference.newer.language, code::Language::Assembly);
            QVERIFY(difference.newer.text.contains(QStringLiteral("vfmadd231ps")));
            for (const code::Span &span : difference.newer.spans)
                QCOMPARE(span.axis, -1); // no axis of ours
            QVERIFY(!difference.newer.spans.empty());
        }
    }

    /// Of loops that are a pair, code that has nothing in common stands side by side.
    void hotLoopsBesideEachOther()
    {
        const code::Difference difference = sources(*m_besidePeer, SourceKind::Asm);
        const QStringList older = linesOf(difference.older), newer = linesOf(difference.newer);
        const auto product = newer.indexOf(QRegularExpression(QStringLiteral(".*vfmadd231ps.*")));
        QVERIFY(product > 0 && product < older.size());
        QVERIFY(older[product - 1].contains(QStringLiteral("vbroadcastss")));
        QVERIFY(newer[product - 1].contains(QStringLiteral("vbroadcastss")));
        QVERIFY(!older[product].trimmed().isEmpty() && older[product] != newer[product]);
    }

    void errors()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = app::compareVariants(side("a", inOrder), side("b", vectors), haswellProcessor(),
                                                  stop.get_token());
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, std::string("cancelled"));
        target::Target unknown = haswellProcessor();
        unknown.mcpu = "abacus";
        const auto none = app::alignedSources(*m_page, SourceKind::Asm, unknown, {});
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("target.option"));
    }
};

QTEST_GUILESS_MAIN(ComparisonPageTest)
#include "comparison_page_test.moc"
