// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access/repeated_reads.h"

#include "core/ir/build/walk.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

/// Statements of the body's first sequence that read more than 2048 bytes again: "0 1" where the second
/// does.
QString repeated(const std::string &body)
{
    const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8192,), "float32"), B: T.Buffer((8192,), "float32"), C: T.Buffer((8192,), "float32"),
         n: T.int32):
)" + body);
    std::optional<std::vector<bool>> found;
    ir::forEachStmt(module.mainEntry()->function->body, [&](const ir::Stmt &s) {
        if (const auto *sequence = s.as<ir::Seq>(); sequence && !found)
            found = analysis::repeatedReads(sequence->stmts, 2048);
        return !found;
    });
    QStringList text;
    for (const bool each : found.value())
        text << QString::number(each ? 1 : 0);
    return text.join(u' ');
}

} // namespace

class RepeatedReadsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void moreThanTheRegistersHold()
    {
        QCOMPARE(repeated("    for i in range(513):\n        B[i] = A[i]\n"
                          "    for i in range(513):\n        C[i] = A[i]\n"),
                 "0 1");
        QCOMPARE(repeated("    for i in range(512):\n        B[i] = A[i]\n"
                          "    for i in range(512):\n        C[i] = A[i]\n"),
                 "0 0");
        // Vectors of 16 elements in 33 iterations.
        QCOMPARE(repeated("    for i in range(32):\n        B[i] = A[i]\n"
                          "    for i in range(33):\n        C[i * 16:i * 16 + 16] = A[i * 16:i * 16 + 16]\n"),
                 "0 1");
    }

    void ofWhatWasReadBefore()
    {
        QCOMPARE(repeated("    for i in range(1024):\n        B[i] = A[i]\n"
                          "    for i in range(1024):\n        C[i] = B[i]\n" // was written
                          "    for i in range(1024):\n        A[i] = B[i]\n" // was read
                          "    for i in range(1024):\n        B[i] = C[i]\n"),
                 "0 0 1 0");
    }

    void withinOtherLoops()
    {
        QCOMPARE(repeated("    for j in range(4):\n        for i in range(768):\n            B[i] = A[i]\n"
                          "    for j in range(4):\n        if j < n:\n            for i in range(768):\n"
                          "                C[i] = A[i] * A[j]\n"),
                 "0 1");
    }

    /// Reads of one place in the innermost loop, and in loops of an extent that is not known, are short.
    void shortReads()
    {
        QCOMPARE(repeated("    for i in range(1024):\n        B[i] = A[n]\n"
                          "    for i in range(1024):\n        C[i] = A[n]\n"),
                 "0 0");
        QCOMPARE(repeated("    for i in range(n):\n        B[i] = A[i]\n"
                          "    for i in range(n):\n        C[i] = A[i]\n"),
                 "0 0");
        QCOMPARE(repeated("    for j in range(1024):\n        for i in range(4):\n            B[i] = A[j]\n"
                          "    for j in range(1024):\n        for i in range(4):\n            C[i] = A[j]\n"),
                 "0 0");
    }
};

QTEST_APPLESS_MAIN(RepeatedReadsTest)
#include "repeated_reads_test.moc"
