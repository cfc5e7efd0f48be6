// SPDX-License-Identifier: Apache-2.0
#include "core/backend/edited_code.h"

#include "core/backend/c/c_directives.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::backend;

namespace {

ir::Module adding()
{
    return tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] + T.float32(1)
)");
}

QString placeOf(const support::Diagnostic &error)
{
    const auto &at = error.locations;
    return at.empty()
               ? QString()
               : QStringLiteral("%1:%2").arg(QString::fromStdString(at.front().file)).arg(at.front().line);
}

} // namespace

class EditedCodeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The text as it is generated compiles, of every kind.
    void theGeneratedTextCompiles_data()
    {
        QTest::addColumn<QString>("format");
        for (const char *format : {"c", "llvm", "llvm-unoptimized", "asm", "asm-intel"})
            QTest::newRow(format) << format;
    }
    void theGeneratedTextCompiles()
    {
        QFETCH(QString, format);
        const SourceKind kind = findSourceFormat(format.toStdString())->kind;
        QVERIFY(isEditable(kind));
        const auto source = editableSource(adding(), {}, kind);
        QVERIFY2(source, source ? "" : source.error().render().c_str());
        const auto unit = textUnit(adding(), {}, {kind, source->text, "edited"});
        QVERIFY2(unit, unit ? "" : unit.error().render().c_str());
        const auto artifact = compileText(*unit);
        QVERIFY2(artifact, artifact ? "" : artifact.error().render().c_str());
        QVERIFY(artifact->isEdited);
        QVERIFY(!artifact->bytes.empty());
        QVERIFY(artifact->entries == entriesOf(adding()).value());
    }

    /// With the line, and the compiler's words.
    void whatDoesNotCompile_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("words");
        QTest::newRow("C") << "a.c" << "#include <stdint.h>\nint x\nint y;\n" << "a.c:2" << "expected";
        QTest::newRow("C, several") << "a.c" << "int x = a;\nint y = b;\nint z = c;\n"
                                    << "a.c:1" << "and 2 more errors";
        QTest::newRow("LLVM IR") << "a.ll" << "define i32 @f() {\n  ret i33 0\n}\n"
                                 << "a.ll:2" << "result type";
        QTest::newRow("unsound LLVM IR")
            << "a.ll" << "define i32 @f() {\n  %a = add i32 %b, 1\n  %b = add i32 %a, 1\n  ret i32 %b\n}\n"
            << "a.ll:0" << "dominate";
        QTest::newRow("assembly") << "a.s" << "\t.text\n\tnop\n\tnosuch %eax\n" << "a.s:3" << "nosuch";
    }
    void whatDoesNotCompile()
    {
        QFETCH(QString, file);
        QFETCH(QString, text);
        QFETCH(QString, place);
        QFETCH(QString, words);
        const EditedCode code{*editableKindOf(file.toStdString()), text.toStdString(), file.toStdString()};
        const auto unit = textUnit(adding(), {}, code);
        QVERIFY2(unit, unit ? "" : unit.error().render().c_str());
        const auto artifact = compileText(*unit);
        QVERIFY(!artifact);
        QCOMPARE(artifact.error().code, "edited.compile");
        QCOMPARE(placeOf(artifact.error()), place);
        QVERIFY2(artifact.error().message.find(words.toStdString()) != std::string::npos,
                 artifact.error().render().c_str());
    }

    void directives_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("line"); ///< of the fault; 0: none
        QTest::newRow("generated")
            << "#include <stdint.h>\n#ifdef _OPENMP\n#pragma omp parallel for\n#endif\n"
            << 0;
        QTest::newRow("macros") << "#define N 4\n#undef N\n# /* nothing */\n#if 1\n#elif 0\n#else\n#endif\n"
                                << 0;
        QTest::newRow("pragmas")
            << "#pragma GCC unroll 4\n#pragma clang loop unroll(full)\n#pragma STDC FP_CONTRACT ON\n"
            << 0;
        QTest::newRow("another header") << "\n#include <stdio.h>\n" << 2;
        QTest::newRow("a file") << "#include \"/etc/passwd\"\n" << 1;
        QTest::newRow("a macro") << "#define F <stdint.h>\n#include F\n" << 2;
        QTest::newRow("a path in brackets") << "#include </etc/passwd>\n" << 1;
        QTest::newRow("behind a comment") << "/* a\n b */ #include <stdio.h>\n" << 1;
        QTest::newRow("a comment within") << "# /* a */ include /* b */ <stdio.h>\n" << 1;
        QTest::newRow("spliced") << "int a;\n#inc\\\nlude <stdio.h>\n" << 2;
        QTest::newRow("spliced with blanks") << "#inc\\  \nlude <stdio.h>\n" << 1;
        QTest::newRow("digraph") << "%:include <stdio.h>\n" << 1;
        QTest::newRow("trigraph") << "int a;\n?"
                                     "?=include <stdio.h>\n"
                                  << 2;
        QTest::newRow("include_next") << "#include_next <stdint.h>\n" << 1;
        QTest::newRow("embed") << "#embed \"/etc/passwd\"\n" << 1;
        QTest::newRow("a dependency") << "#pragma GCC dependency \"/etc/passwd\"\n" << 1;
        QTest::newRow("a line") << "#line 3 \"/etc/passwd\"\n" << 1;
        QTest::newRow("in a comment") << "/*\n#include <stdio.h>\n*/ // \\\n#include <stdio.h>\n" << 0;
        QTest::newRow("in a string") << "char a[] = \"\\\n#include <stdio.h>\";\n" << 0;
        QTest::newRow("a quote in a comment") << "// don't\n#include <stdio.h>\n" << 2;
        QTest::newRow("a comment in a string") << "char a[] = \"/*\";\n#include <stdio.h>\n" << 2;
        QTest::newRow("an open quote ends with its line") << "int a = ';\n#include <stdio.h>\n" << 2;
        QTest::newRow("lines of another system") << "int a;\r\n#include <stdio.h>\r\n" << 2;
    }
    void directives()
    {
        QFETCH(QString, text);
        QFETCH(int, line);
        const auto checked = checkDirectives(text.toStdString(), {"stdint.h", "math.h"}, "a.c");
        QCOMPARE(checked.has_value(), line == 0);
        if (line == 0)
            return;
        QCOMPARE(checked.error().code, "edited.include");
        QCOMPARE(placeOf(checked.error()), QStringLiteral("a.c:%1").arg(line));
    }

    void whatCannotBeEdited()
    {
        QVERIFY(!isEditable(SourceKind::Cuda));
        QVERIFY(!isEditable(SourceKind::Lowered));
        QVERIFY(!editableKindOf("a.cu"));
        QVERIFY(!editableKindOf("c"));
        target::Target gpu;
        gpu.kind = target::TargetKind::Cuda;
        const auto refused = editableSource(adding(), gpu, SourceKind::C);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, "edited.kind");
    }

    void conflictsAreNotCompiled()
    {
        const auto unit = textUnit(
            adding(), {}, {SourceKind::C, "int a;\n<<<<<<< 1\nint b;\n=======\nint c;\n>>>>>>> 2\n", "a.c"});
        QVERIFY(!unit);
        QCOMPARE(unit.error().code, "edited.conflict");
        QCOMPARE(placeOf(unit.error()), "a.c:2");
    }
};

QTEST_GUILESS_MAIN(EditedCodeTest)
#include "edited_code_test.moc"
