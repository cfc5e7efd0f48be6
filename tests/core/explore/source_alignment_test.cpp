// SPDX-License-Identifier: Apache-2.0
// Texts of two variants side by side.
#include "core/explore/compare/source_alignment.h"

#include "tests/core/explore/named_schedules.h"

#include <QElapsedTimer>
#include <QtTest>

using namespace nestwright;
using explore::AlignedLine;
using explore::LineFilter;
using explore::LoopPair;
using explore::PairedBy;
using support::StmtId;

namespace {

/// "0=0 1~1 -+2": first line, second line; "=" where they are the same.
std::string text(const std::vector<AlignedLine> &rows)
{
    const auto number = [](int line) { return line < 0 ? std::string("-") : std::to_string(line); };
    std::string text;
    for (const AlignedLine &row : rows)
        text += (text.empty() ? "" : " ") + number(row.first) + (row.isSame ? '=' : '~') + number(row.second);
    return text;
}

/// A loop nest of assembly: `copies` loops of eight lines each, with registers counted from `start`.
std::string manyLoops(int copies, int start, std::vector<script::LineSpan> &spans)
{
    std::string text;
    for (int copy = 0; copy < copies; ++copy) {
        spans.push_back({StmtId{static_cast<std::uint32_t>(copy + 1)}, copy * 8, copy * 8 + 7});
        text += ".LBB0_" + std::to_string(start + copy) + ":\n";
        for (int line = 0; line < 6; ++line)
            text += "\tvfmadd231ps\t" + std::to_string(64 * line + copy % 7) + "(%rdi,%rcx,4), %zmm"
                    + std::to_string((start + line) % 32) + ", %zmm1\n";
        text += (copy + start) % 50 == 0 ? "\tjne\t.LBB0_1\n" : "\tjmp\t.LBB0_2\n";
    }
    return text;
}

} // namespace

class SourceAlignmentTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsCompared()
    {
        const auto assembly = [](const char *line) {
            return explore::comparable(line, LineFilter::Assembly);
        };
        QCOMPARE(assembly("\tvmovaps\t32(%rax,%rcx,4), %ymm13  # 32-byte"),
                 std::string("vmovaps\t32(%r,%r,4), %ymm"));
        QCOMPARE(assembly("\tjne\t.LBB0_12"), assembly("\tjne\t.LBB3_4"));
        QVERIFY(assembly("vaddps %ymm0, %ymm1, %ymm2") != assembly("vaddps %zmm0, %zmm1, %zmm2"));
        QVERIFY(assembly("addq $64, %rax") != assembly("addq $32, %rax"));
        const auto ir = [](const char *line) { return explore::comparable(line, LineFilter::LlvmIr); };
        QCOMPARE(ir("  %12 = fadd <8 x float> %wide.load3, %4, !tbaa !17"),
                 std::string("% = fadd <8 x float> %wide.load, %, !tbaa !"));
        QCOMPARE(ir("12:"), ir("345:"));
        QCOMPARE(explore::comparable("    C[i] = 1;", LineFilter::Indentation), std::string("C[i] = 1;"));
    }

    /// The loop that one text alone has stands alone, though its lines are those of the other.
    void loopsBesideTheirPairs()
    {
        const StmtId i{1}, j{2}, k{3};
        const std::vector<script::LineSpan> before{{i, 1, 4}, {j, 2, 3}},
            after{{i, 1, 6}, {k, 2, 3}, {j, 4, 5}};
        const std::vector<LoopPair> pairs{
            {i, i, PairedBy::Identity}, {{}, k, PairedBy::None}, {j, j, PairedBy::Identity}};
        const auto rows = explore::alignLines({"head\nfor i\nfor j\nadd\nend\n", before},
                                              {"head\nfor i\nfor j\nadd\nfor j\nmul\nend\n", after}, pairs,
                                              LineFilter::Indentation);
        QCOMPARE(text(rows), std::string("0=0 1=1 -~2 -~3 2=4 3~5 4=6 5=7"));
    }

    void otherRegistersAreTheSame()
    {
        std::vector<script::LineSpan> before, after;
        const std::string one = manyLoops(3, 0, before), other = manyLoops(3, 100, after);
        std::vector<LoopPair> pairs;
        for (const script::LineSpan &span : before)
            pairs.push_back({span.stmt, span.stmt, PairedBy::Identity});
        const auto rows = explore::alignLines({one, before}, {other, after}, pairs, LineFilter::Assembly);
        QCOMPARE(rows.size(), std::size_t(25));
        for (const AlignedLine &row : rows)
            QVERIFY(row.isSame && row.first == row.second);
    }

    /// Each line of either text once, in order.
    void randomVariants()
    {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const auto [first, second] = tests::randomVariantPair(seed);
            const script::Printed one = script::print(first.path().end().module),
                                  other = script::print(second.path().end().module);
            const auto pairs =
                explore::pairLoops(first.path(), suggest::LoopNest(first.path().end(), one), second.path(),
                                   suggest::LoopNest(second.path().end(), other));
            const auto rows = explore::alignLines({one.text, one.spans}, {other.text, other.spans}, pairs,
                                                  LineFilter::Indentation);
            int went = 0, came = 0;
            for (const AlignedLine &row : rows) {
                QVERIFY(row.first == -1 || row.first == went++);
                QVERIFY(row.second == -1 || row.second == came++);
            }
            QCOMPARE(went, 1 + static_cast<int>(std::ranges::count(one.text, '\n')));
            QCOMPARE(came, 1 + static_cast<int>(std::ranges::count(other.text, '\n')));
        }
    }

    /// The time is told; it fails no test.
    void manyLines()
    {
        std::vector<script::LineSpan> before, after;
        const std::string one = manyLoops(12'500, 0, before), other = manyLoops(12'500, 3, after);
        std::vector<LoopPair> pairs;
        for (const script::LineSpan &span : before)
            pairs.push_back({span.stmt, span.stmt, PairedBy::Identity});
        QElapsedTimer timer;
        timer.start();
        const auto rows = explore::alignLines({one, before}, {other, after}, pairs, LineFilter::Assembly);
        qInfo("100,000 lines beside 100,000: %lld ms", static_cast<long long>(timer.elapsed()));
        QCOMPARE(std::ranges::count(rows, false, &AlignedLine::isSame), 500); // jumps of every fiftieth
    }
};

QTEST_APPLESS_MAIN(SourceAlignmentTest)
#include "source_alignment_test.moc"
