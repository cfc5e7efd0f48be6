// SPDX-License-Identifier: Apache-2.0
// Programs that match a description, and those that differ from it in one thing.
#include "core/schedule/intrin/intrinsic_match.h"

#include "core/analysis/kernel/index.h"
#include "core/support/errors/errors.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;

namespace {

constexpr const char *description = R"(
@T.prim_func
def main(A: T.Buffer((4, 4), "float32", offset_factor=1), B: T.Buffer((4,), "float32", offset_factor=1)):
    with T.block("root"):
        T.reads(A[0:4, 0:4], B[0:4])
        T.writes(B[0:4])
        for i in range(4):
            for k in range(4):
                with T.block("update"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    T.where(i * 4 + k < 15)
                    T.reads(A[vi, vk], B[vi])
                    T.writes(B[vi])
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + T.Select(
                    not A[vi, vk] < T.float32(2), T.exp(A[vi, vk]), T.float32(1.5)) * T.Cast("float32", vk)
)";

/// Whether the program matches `wanted`, or the difference.
std::string whyNotEqual(const std::string &program, const std::string &wanted)
{
    const ir::Module module = tests::parsed(program), intrinsic = tests::parsed(wanted);
    const analysis::FunctionIndex index(module.mainEntry()->function);
    try {
        schedule::matchIntrinsic(*index.block(index.root()), *intrinsic.mainEntry()->function, "it");
        return "";
    } catch (const support::UserError &error) {
        const support::Diagnostic &diagnostic = error.diagnostic();
        const std::size_t start = diagnostic.message.find("computes: ");
        return diagnostic.code == "schedule.intrinsic-mismatch" && start != std::string::npos
                   ? diagnostic.message.substr(start + 10)
                   : diagnostic.render();
    }
}

} // namespace

class IntrinsicMatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void differences_data()
    {
        QTest::addColumn<QString>("was");
        QTest::addColumn<QString>("is");
        QTest::addColumn<QString>("difference");
        const auto row = [](const char *was, const char *is, const char *difference) {
            QTest::newRow((std::string(was) + " -> " + is).c_str()) << was << is << difference;
        };
        const char *same = "", *kinds = "its statements are of other kinds than the intrinsic's";
        // Names do not matter.
        row("\"update\"", "\"other\"", same);
        // Values.
        row("T.float32(1.5)", "T.float32(2.5)",
            "it has T.float32(2.5) where the intrinsic has T.float32(1.5)");
        row("T.exp", "T.log", "T.log");
        row("T.exp(A[vi, vk])", "T.exp(A[vk, vi])", "vk");
        row("T.exp(A[vi, vk])", "T.exp(A[vi, vk] + A[vi, vk])", "A[vi, vk] + A[vi, vk]");
        row("not A[vi, vk] < T.float32(2)", "A[vi, vk] < T.float32(2)",
            "it has A[vi, vk] < T.float32(2.0) where");
        row("not A[vi, vk] < T.float32(2)", "not A[vi, vk] <= T.float32(2)",
            "it has A[vi, vk] <= T.float32(2.0) where");
        row("not A[vi, vk] < T.float32(2)", "not A[vi, vk] < T.float32(3)",
            "it has T.float32(3.0) where the intrinsic has T.float32(2.0)");
        row("T.exp(A[vi, vk]), T.float32(1.5)", "T.float32(1.5), T.exp(A[vi, vk])",
            "it has T.float32(1.5) where");
        row("T.Cast(\"float32\", vk)", "T.Cast(\"float32\", vi)", "it has vi where the intrinsic has vk");
        row("B[vi] + T.Select", "B[vi] - T.Select", "B[vi] - ");
        row("B[vi] = B[vi] + T.Select", "B[vi] = B[3 - vi] + T.Select", "it has 3 - vi where");
        // Statements.
        row("                        B[vi] = T.float32(0)\n",
            "                        B[vi] = T.float32(1)\n",
            "it has T.float32(1.0) where the intrinsic has T.float32(0.0)");
        row("                    with T.init():\n                        B[vi] = T.float32(0)\n", "",
            "block 'update' is of another form");
        row("T.Cast(\"float32\", vk)\n",
            "T.Cast(\"float32\", vk)\n                    B[vi] = B[vi] + T.float32(1)\n", kinds);
        row("                    B[vi] = B[vi] + ",
            "                    if vi < 3:\n                        B[vi] = B[vi] + ", kinds);
        // Loops.
        row("for i in range(4)", "for i in T.unroll(4)",
            "loop 'i' runs in another way than the intrinsic's 'i'");
        row("for i in range(4)", "for i in T.thread_binding(4, thread=\"threadIdx.x\")",
            "loop 'i' runs in another way");
        row("for k in range(4)", "for k in T.serial(4, annotations={\"a\": 1})",
            "loop 'k' carries other annotations");
        row("for k in range(4)", "for k in range(3)", "loop 'k' has 3 iterations, the intrinsic's 'k' 4");
        row("for k in range(4)", "for k in range(1, 5)", "it has 1 where the intrinsic has 0");
        // Blocks.
        row("\"SR\"", "\"SS\"", "the variable 'vk' is of another kind than the intrinsic's 'vk'");
        row("[i, k]", "[k, i]", "it has k where the intrinsic has i");
        row("i * 4 + k < 15", "i * 4 + k < 14", "it has 14 where the intrinsic has 15");
        row("T.reads(A[vi, vk], B[vi])", "T.reads(A[vi, vk])", "it reads 1 buffers, the intrinsic 2");
        row("T.reads(A[vi, vk], B[vi])", "T.reads(A[vi, 0:4], B[vi])",
            "of dimension 1 of 'A' it touches 4 elements");
        row("T.reads(A[vi, vk], B[vi])", "T.reads(A[vi, 3 - vk], B[vi])", "where the intrinsic has vk");
        row("T.reads(A[0:4, 0:4], B[0:4])", "T.reads(A[0:4, 0:3], B[0:4])",
            "of dimension 1 of 'A' it touches 3 elements");
        row("        T.writes(B[0:4])", "        T.writes(B[0:4], A[0:4, 0:4])",
            "it writes 2 buffers, the intrinsic 1");
        // Buffers.
        row("A: T.Buffer((4, 4), \"float32\"", "A: T.Buffer((4, 4), \"float16\"",
            "'A' is float16, the intrinsic's 'A' float32");
        row("\"float32\", offset_factor=1), B", "\"float32\", scope=\"shared\", offset_factor=1), B",
            "'A' lies in \"shared\", the intrinsic's 'A' in \"global\"");
    }
    void differences()
    {
        QFETCH(QString, was);
        QFETCH(QString, is);
        QFETCH(QString, difference);
        QString program = QString(description);
        QVERIFY(program.contains(was));
        program.replace(program.indexOf(was), was.size(), is);
        const std::string found = whyNotEqual(program.toStdString(), description);
        QVERIFY2(difference.isEmpty() ? found.empty() : found.contains(difference.toStdString()),
                 found.c_str());
    }

    /// The program may have more dimensions than the description, of one element each, and begin anywhere.
    void partsOfLargerArrays()
    {
        const std::string copy = R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32", offset_factor=1), B: T.Buffer((4,), "float32", offset_factor=1)):
    with T.block("root"):
        T.reads(A[0:4])
        T.writes(B[0:4])
        for i in range(4):
            with T.block("copy"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi]
)";
        const auto program = [](const std::string &whole, const std::string &one) {
            return R"(
@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), B: T.Buffer((4,), "float32")):
    with T.block("root"):
        T.reads(A[)"
                   + whole + R"(])
        T.writes(B[0:4])
        for i in range(4):
            with T.block("copy"):
                vi = T.axis.spatial(4, i)
                T.reads(A[)"
                   + one + R"(])
                T.writes(B[vi])
                B[vi] = A[)"
                   + one + "]\n";
        };
        QCOMPARE(whyNotEqual(program("2, 8:12", "2, vi + 8"), copy), "");
        QCOMPARE(whyNotEqual(program("2, 8:12", "3, vi + 8"), copy), "it has 1 where the intrinsic has 0");
        QCOMPARE(whyNotEqual(program("2, 8:12", "2, vi + 9"), copy),
                 "it has vi + 1 where the intrinsic has vi");
        QVERIFY(whyNotEqual(program("2:6, 8", "vi + 2, 8"), copy)
                    .starts_with("of dimension 0 of 'A' it touches 4"));
        QVERIFY(whyNotEqual(program("2, 8:13", "2, vi + 8"), copy)
                    .starts_with("of dimension 1 of 'A' it touches 5"));
        QCOMPARE(whyNotEqual(copy, copy), "");
        // And not fewer.
        QVERIFY(whyNotEqual(copy, program("2, 8:12", "2, vi + 8")).starts_with("'A' has fewer dimensions"));
    }

    void sequencesOfStatements()
    {
        const auto stores = [](const std::vector<std::string> &values) {
            std::string text = R"(
@T.prim_func
def main(B: T.Buffer((4,), "float32", offset_factor=1)):
    with T.block("root"):
        T.reads()
        T.writes(B[0:4])
)";
            for (std::size_t i = 0; i < values.size(); ++i)
                text += "        B[" + std::to_string(i) + "] = T.float32(" + values[i] + ")\n";
            return text;
        };
        QCOMPARE(whyNotEqual(stores({"1", "2"}), stores({"1", "2"})), "");
        QCOMPARE(whyNotEqual(stores({"1", "3"}), stores({"1", "2"})),
                 "it has T.float32(3.0) where the intrinsic has T.float32(2.0)");
        QCOMPARE(whyNotEqual(stores({"1", "2", "3"}), stores({"1", "2"})),
                 "it has other statements than the intrinsic");
        QCOMPARE(whyNotEqual(stores({"1", "2"}), stores({"1", "2", "3"})),
                 "it has other statements than the intrinsic");
    }

    /// Each buffer of the program is one of the description.
    void buffersStandForOneEach()
    {
        const auto sum = [](const std::string &a, const std::string &b) {
            return R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    with T.block("root"):
        T.reads()" + a
                   + "[0:4], " + b + R"([0:4])
        T.writes(C[0:4])
        for i in range(4):
            with T.block("sum"):
                vi = T.axis.spatial(4, i)
                T.reads()"
                   + a + "[vi], " + b + R"([vi])
                T.writes(C[vi])
                C[vi] = )"
                   + a + "[vi] + " + b + "[vi]\n";
        };
        QCOMPARE(whyNotEqual(sum("A", "B"), sum("A", "B")), "");
        QCOMPARE(whyNotEqual(sum("B", "A"), sum("A", "B")), ""); // names are free
        std::string turned = sum("A", "B"); // the body changes, the declared regions do not
        turned.replace(turned.rfind("A[vi] + B[vi]"), 13, "B[vi] + A[vi]");
        QCOMPARE(whyNotEqual(turned, sum("A", "B")), "'B' and 'A' would both be the intrinsic's 'A'");
        QCOMPARE(whyNotEqual(sum("A", "A"), sum("A", "B")), "'A' would be two buffers of the intrinsic");
        QCOMPARE(whyNotEqual(sum("A", "B"), sum("A", "A")), "'B' and 'A' would both be the intrinsic's 'A'");
    }

    /// Where a buffer begins is said by the regions of the block around: one that they leave out is nowhere.
    void accessesAreDeclared()
    {
        std::string program = description;
        for (const auto &[was, is] : {std::pair{"T.reads(A[0:4, 0:4], B[0:4])", "T.reads(B[0:4])"},
                                      std::pair{"T.reads(A[vi, vk], B[vi])", "T.reads(B[vi])"}}) {
            QVERIFY(program.contains(was));
            program.replace(program.find(was), std::string_view(was).size(), is);
        }
        QCOMPARE(whyNotEqual(program, program), "it accesses 'A' in another way");
    }

    void memoryWithin()
    {
        const auto through = [](const std::string &memory) {
            return R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    with T.block("root"):
        T.reads(A[0:4])
        T.writes(B[0:4])
        for i in range(4):
            with T.block("through"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                t = T.alloc_buffer()"
                   + memory + R"()
                t[0] = A[vi]
                B[vi] = t[0]
)";
        };
        QCOMPARE(whyNotEqual(through("(1,)"), through("(1,)")), "");
        QCOMPARE(whyNotEqual(through("(1,), scope='shared'"), through("(1,)")),
                 "'t' lies in \"shared\", the intrinsic's 't' in \"global\"");
        QCOMPARE(whyNotEqual(through("(2,)"), through("(1,)")),
                 "'t' has another shape than the intrinsic's 't'");
    }
};

QTEST_GUILESS_MAIN(IntrinsicMatchTest)
#include "intrinsic_match_test.moc"
