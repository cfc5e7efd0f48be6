// SPDX-License-Identifier: Apache-2.0
/// Loops that are left early, and values that are left open: lowered, compiled and interpreted they do the
/// same.
#include "core/interp/interpreter.h"
#include "core/lower/pipeline.h"
#include "tests/support/backends.h"
#include "tests/support/passes.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <format>

using namespace nestwright;

namespace {

/// B of 16 numbers from A by statements of this text.
ir::Module program(const std::string &body)
{
    std::string text = R"(
@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
)";
    for (std::size_t begin = 0; begin < body.size();) {
        const std::size_t end = body.find('\n', begin);
        text += "    " + body.substr(begin, end - begin) + "\n";
        begin = end == std::string::npos ? body.size() : end + 1;
    }
    return tests::parsed(text);
}

/// B after the function ran on A = 0, 1, … and B = -1.
QString numbersOf(const ir::Module &module)
{
    ir::NdArray a(ir::DataType::int32(), {16}), b(ir::DataType::int32(), {16});
    for (int i = 0; i < 16; ++i) {
        a.set(i, i);
        b.set(i, -1);
    }
    const auto done = interp::run(*module.mainEntry()->function, std::vector{&a, &b});
    if (!done)
        return QString::fromStdString(done.error().message);
    QString text;
    for (int i = 0; i < 16; ++i)
        text += QString::number(b.at(i)) + ' ';
    return text.trimmed();
}

/// As the interpreter runs the program, which the lowered and the compiled one do too.
QString result(const std::string &body)
{
    const ir::Module module = program(body);
    if (!tests::checkEquivalent(module, tests::lowered(module), {.runs = 3}))
        return "lowered to something else";
    if (!tests::checkBackends(module))
        return "compiled to something else";
    return numbersOf(module);
}

} // namespace

class JumpsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loopsThatAreLeft()
    {
        QCOMPARE(result("for i in range(16):\n    if A[i] == 3:\n        break\n    B[i] = A[i]"),
                 "0 1 2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1");
        QCOMPARE(result("for i in range(16):\n    if A[i] % 3 != 0:\n        continue\n    B[i] = A[i]"),
                 "0 -1 -1 3 -1 -1 6 -1 -1 9 -1 -1 12 -1 -1 15");
        QCOMPARE(
            result("for i in range(16):\n    if A[i] % 2 == 0:\n        if A[i] > 8:\n            break\n"
                   "        continue\n    B[i] = A[i]\n    B[i] = B[i] * 2"),
            "-1 2 -1 6 -1 10 -1 14 -1 18 -1 -1 -1 -1 -1 -1");
    }

    void theInnermostLoopIsLeft()
    {
        QCOMPARE(result("for i, j in T.grid(4, 4):\n    B[i * 4 + j] = 0\nfor i in range(4):\n"
                        "    for j in range(4):\n        if j > i:\n            break\n"
                        "        B[i * 4 + j] = 1\n    if i == 2:\n        break\n"),
                 "1 0 0 0 1 1 0 0 1 1 1 0 0 0 0 0");
    }

    void whileLoops()
    {
        QCOMPARE(result("n = T.alloc_buffer((1,), \"int32\")\nn[0] = 0\nwhile n[0] < 16:\n"
                        "    n[0] = n[0] + 1\n    if n[0] == 3:\n        continue\n    if n[0] == 6:\n"
                        "        break\n    B[n[0]] = n[0]\n"),
                 "-1 1 2 -1 4 5 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1");
    }

    void whatIsLeftIsNotComputed()
    {
        // A read beyond the array would stop the interpreter.
        QCOMPARE(result("for i in range(32):\n    if i >= 16:\n        break\n    B[i] = A[i]"),
                 "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
    }

    void loopsSideBySideAreNotLeft()
    {
        const auto lowered = lower::lower(
            program("for i in T.parallel(16):\n    if A[i] == 3:\n        break\n    B[i] = A[i]"), {});
        QVERIFY(!lowered);
        QCOMPARE(QString::fromStdString(lowered.error().message),
                 "the loop 'i' is left early, but its iterations run side by side");
    }

    void valuesThatAreLeftOpen()
    {
        QCOMPARE(result("for i in range(16):\n    B[i] = A[i]\nB[2] = T.undef()\nB[3] = T.undef() + 1"),
                 "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
        const auto lowered = lower::lower(program("B[T.undef()] = 1"), {});
        QVERIFY(!lowered);
        QCOMPARE(QString::fromStdString(lowered.error().message),
                 "a place or a condition depends on a value that T.undef leaves open");
    }
};

QTEST_APPLESS_MAIN(JumpsTest)
#include "jumps_test.moc"
