// SPDX-License-Identifier: Apache-2.0
// Listings of compilers, made readable: what stays, and which statement a line is of.
#include "core/backend/listing/listing.h"

#include "core/backend/llvm/read/llvm_listing.h"

#include <QtTest>

using namespace nestwright::backend;
using nestwright::script::LineSpan;
using nestwright::support::StmtId;

namespace {

/// Each line behind the number of its statement: "7 ret".
QStringList shown(const Listing &listing)
{
    QStringList lines = QString::fromStdString(listing.text).split('\n');
    lines.removeLast(); // behind the last end of a line
    std::vector<std::uint32_t> statements(static_cast<std::size_t>(lines.size()));
    for (const LineSpan &span : listing.spans) {
        for (int line = span.firstLine; line <= span.lastLine; ++line)
            statements.at(static_cast<std::size_t>(line)) = span.stmt.value;
    }
    for (qsizetype i = 0; i < lines.size(); ++i)
        lines[i].prepend(QString::number(statements[static_cast<std::size_t>(i)]) + ' ');
    return lines;
}

} // namespace

class ListingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsOfOneStatementAreOneSpan()
    {
        ListingWriter writer;
        for (const std::uint32_t stmt : {7U, 7U, 0U, 7U, 8U, 8U, 8U})
            writer.line("line", StmtId{stmt});
        const Listing listing = writer.take();
        QCOMPARE(listing.text, std::string("line\nline\nline\nline\nline\nline\nline\n"));
        const std::vector<LineSpan> expected{{StmtId{7}, 0, 1}, {StmtId{7}, 3, 3}, {StmtId{8}, 4, 6}};
        QVERIFY(listing.spans == expected);
    }

    void wordsAndNumbers()
    {
        QCOMPARE(trimmed(" \t a b\t "), std::string_view("a b"));
        QCOMPARE(trimmed("a"), std::string_view("a"));
        QCOMPARE(trimmed(" \t "), std::string_view());
        QCOMPARE(leadingNumber("42 x"), 42U);
        QCOMPARE(leadingNumber("x 42"), 0U);
        QCOMPARE(leadingNumber(""), 0U);
        QStringList lines;
        forEachLine("a\n\nb", [&](std::string_view line) { lines << QString::fromUtf8(line); });
        forEachLine("", [&](std::string_view) { lines << "none"; });
        QCOMPARE(lines, QStringList({"a", "", "b"}));
    }

    void assembly()
    {
        const Listing listing = cleanAssembly("\t.text\n"
                                              "\t.file\t\"kernel\"\n"
                                              "\t.globl\tmain_kernel\n"
                                              "main_kernel:                            # @main_kernel\n"
                                              ".Lfunc_begin0:\n"
                                              "\t.cfi_startproc\n"
                                              "# %bb.0:                                # %entry\n"
                                              "\t.loc\t1 7 0                           # loops:7:0\n"
                                              "\tmovl\t$1, %eax  # a comment\n"
                                              ".Ltmp0:\n"
                                              "\t.loc 1 9 0\n"
                                              "\n"
                                              ".LBB0_1:\n"
                                              "    addl\t$1, %eax\n"
                                              "\t# nothing but a comment\n"
                                              "\t.p2align\t4\n"
                                              "\t.loc\t1\n"
                                              "\tretq\n"
                                              "\t.loc\t1 9 0\n"
                                              "other:\n"
                                              "\tretq\n"
                                              "# -- End function\n"
                                              "\t.section\t\".note.GNU-stack\",\"\",@progbits\n");
        QCOMPARE(shown(listing), QStringList({"0 \t.globl\tmain_kernel", "0 main_kernel:",
                                              "7 \tmovl\t$1, %eax", "0 .LBB0_1:", "9     addl\t$1, %eax",
                                              "0 \t.p2align\t4", "0 \tretq", "0 other:", "0 \tretq"}));
    }

    void llvmIr()
    {
        const Listing listing = cleanLlvmIr("; ModuleID = 'kernel'\n"
                                            "source_filename = \"kernel\"\n"
                                            "target datalayout = \"e-m:e\"\n"
                                            "\n"
                                            "\n"
                                            "; Function Attrs: nounwind\n"
                                            "define i32 @main(ptr %A) local_unnamed_addr #0 !dbg !5 {\n"
                                            "entry:\n"
                                            "  %0 = load i32, ptr %A, align 4, !dbg !8\n"
                                            "  %1 = load i32, ptr %A, align 4, !dbg !9, !noalias !3\n"
                                            "  %2 = load i32, ptr %A, align 4, !alias.scope !3\n"
                                            "  br label %entry, !dbg !9, !llvm.loop !12\n"
                                            "  ret i32 %0, !dbg !10\n"
                                            "}\n"
                                            "\n"
                                            "\n"
                                            "declare float @expf(float) #1\n"
                                            "attributes #0 = { nounwind }\n"
                                            "!8 = !DILocation(line: 7, scope: !5)\n"
                                            "!9 = !DILocation(line: 12, scope: !5)\n");
        QCOMPARE(shown(listing),
                 QStringList({"0 define i32 @main(ptr %A) local_unnamed_addr #0 {", "0 entry:",
                              "7   %0 = load i32, ptr %A, align 4", "12   %1 = load i32, ptr %A, align 4",
                              "0   %2 = load i32, ptr %A, align 4", "12   br label %entry", "0   ret i32 %0",
                              "0 }", "0 ", "0 declare float @expf(float) #1"}));
    }
};

QTEST_GUILESS_MAIN(ListingTest)
#include "listing_test.moc"
