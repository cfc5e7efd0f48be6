// SPDX-License-Identifier: GPL-3.0-or-later
// Programs and target texts for a code pane: loops linked to their lines and coloured by their axes.
#include "app/present/code_source.h"

#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"
#include "widgets/look/axis.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

document::NestPtr nestOf(std::string_view program)
{
    return document::makeNest(scheduled(programText(program)));
}

QString textAt(const code::Source &source, const code::ColorSpan &span)
{
    return source.text.split(u'\n').at(span.line).mid(span.column, span.length);
}

QString linesOf(const code::Source &source, const code::Span &span)
{
    return source.text.split(u'\n').mid(span.firstLine, span.lastLine - span.firstLine + 1).join(u'\n');
}

support::StmtId loopOf(const document::Nest &nest, const char *name)
{
    const auto row = std::ranges::find(nest.rows, QLatin1String(name), &document::NestRow::name);
    return row == nest.rows.end() ? support::StmtId() : row->id;
}

} // namespace

class CodeSourceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void programWithItsLoops_data()
    {
        QTest::addColumn<bool>("splitsGrids");
        QTest::newRow("grids") << false;
        QTest::newRow("each on its own line") << true;
    }
    void programWithItsLoops()
    {
        QFETCH(bool, splitsGrids);
        const document::NestPtr nest = nestOf("matmul");
        const code::Source source = app::nestSource(*nest, splitsGrids);
        QCOMPARE(source.language, code::Language::TvmScript);
        QCOMPARE(source.text.contains(QStringLiteral("T.grid(")), !splitsGrids);
        for (const char *name : {"i", "j", "k"}) {
            const support::StmtId loop = loopOf(*nest, name);
            const auto span = std::ranges::find(source.spans, loop, &code::Span::id);
            QVERIFY(span != source.spans.end());
            QCOMPARE(span->axis, nest->row(loop)->axis);
            QVERIFY(span->axis >= 0);
            QVERIFY(linesOf(source, *span).trimmed().startsWith(QStringLiteral("for ")));
            QVERIFY(linesOf(source, *span).contains(QStringLiteral("A[vi, vk] * B[")));
        }
        int heads = 0;
        for (const code::ColorSpan &color : source.colors) {
            QCOMPARE(textAt(source, color), nest->row(color.id)->name);
            QCOMPARE(color.axis, nest->row(color.id)->axis);
            heads += source.text.split(u'\n').at(color.line).trimmed().startsWith(u"for ") ? 1 : 0;
        }
        QCOMPARE(heads, 3);
        QCOMPARE(source.colors.size(), 6U); // and each once as a value of the block
    }

    /// A block is a span of its own, within those of its loops; what is no row of the nest is none.
    void blocksAndWhatIsNone()
    {
        const document::NestPtr nest = nestOf("mm_relu");
        const code::Source source = app::nestSource(*nest, true);
        std::size_t blocks = 0;
        for (const code::Span &span : source.spans) {
            QVERIFY(nest->row(span.id));
            blocks += nest->row(span.id)->kind == document::RowKind::Block ? 1 : 0;
        }
        QCOMPARE(blocks, 2U);
        QCOMPARE(source.spans.size(), nest->rows.size());
    }

    /// The same loops have the same colours in what they become.
    void targetTexts_data()
    {
        QTest::addColumn<backend::SourceKind>("kind");
        QTest::addColumn<QString>("content");
        QTest::newRow("lowered") << backend::SourceKind::Lowered << "T.prim_func";
        QTest::newRow("C") << backend::SourceKind::C << "for (";
    }
    void targetTexts()
    {
        QFETCH(backend::SourceKind, kind);
        QFETCH(QString, content);
        const document::NestPtr nest = nestOf("matmul");
        const target::Target target = backend::targetOf(backend::sourceFormat(kind), {});
        const auto made = backend::source(nest->loops.state().module, target, kind);
        QVERIFY2(made.has_value(), made ? "" : made.error().render().c_str());
        const code::Source source = app::targetSource(*made, *nest);
        QVERIFY(source.text.contains(content));
        QCOMPARE(source.language, app::languageOf(kind));
        for (const char *name : {"i", "j", "k"}) {
            const support::StmtId loop = loopOf(*nest, name);
            const auto span = std::ranges::find(source.spans, loop, &code::Span::id);
            QVERIFY(span != source.spans.end());
            QCOMPARE(span->axis, nest->row(loop)->axis);
            QVERIFY(linesOf(source, *span).contains(QStringLiteral("128")));
        }
        QCOMPARE(source.colors.empty(), kind != backend::SourceKind::Lowered);
    }

    /// Spans of statements that the nest does not have, as of another variant, are left out.
    void statementsOfOthers()
    {
        const document::NestPtr nest = nestOf("matmul");
        const support::StmtId loop = loopOf(*nest, "i"), none{4711};
        const backend::Source source{.text = "one\ntwo i\n",
                                     .spans = {{none, 0, 1}, {loop, 1, 1}},
                                     .kind = backend::SourceKind::Cuda,
                                     .varUses = {{0, 0, 3, none}, {1, 4, 1, loop}}};
        const code::Source shown = app::targetSource(source, *nest);
        QCOMPARE(shown.spans.size(), 1U);
        QCOMPARE(shown.spans.front().id, loop);
        QCOMPARE(shown.colors.size(), 1U);
        QCOMPARE(textAt(shown, shown.colors.front()), QStringLiteral("i"));
    }

    /// Columns of the printer are characters, those of a pane UTF-16: some characters take two of these.
    void columnsBehindWideCharacters()
    {
        const document::NestPtr nest = nestOf("matmul");
        const support::StmtId loop = loopOf(*nest, "i");
        const backend::Source source{.text = "T.call(\"\U0001f600\u00e9\", i)\nfor i in 4:\n",
                                     .spans = {},
                                     .kind = backend::SourceKind::Lowered,
                                     .varUses = {{0, 13, 1, loop}, {1, 4, 1, loop}}};
        const code::Source shown = app::targetSource(source, *nest);
        QCOMPARE(shown.colors.size(), 2U);
        for (const code::ColorSpan &color : shown.colors)
            QCOMPARE(textAt(shown, color), QStringLiteral("i"));
    }

    void languages()
    {
        using Kind = backend::SourceKind;
        using code::Language;
        const std::map<Kind, Language> expected{
            {Kind::Lowered, Language::TvmScript}, {Kind::UnoptimizedLlvmIr, Language::LlvmIr},
            {Kind::LlvmIr, Language::LlvmIr},     {Kind::Asm, Language::Assembly},
            {Kind::IntelAsm, Language::Assembly}, {Kind::C, Language::C},
            {Kind::OpenCl, Language::OpenCl},     {Kind::Cuda, Language::Cuda},
            {Kind::Ptx, Language::Ptx},           {Kind::Sass, Language::Sass}};
        for (const backend::SourceFormat &format : backend::sourceFormats())
            QCOMPARE(app::languageOf(format.kind), expected.at(format.kind));
    }
};

QTEST_GUILESS_MAIN(CodeSourceTest)
#include "code_source_test.moc"
