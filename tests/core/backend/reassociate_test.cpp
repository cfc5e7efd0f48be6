// SPDX-License-Identifier: Apache-2.0
/// Loops that are annotated "reassociate": sums, products, minima and maxima in vectors, of any length, and
/// NaN where an element is NaN. Without the annotation each term waits for the one before.
#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "tests/support/backends.h"
#include "tests/support/programs.h"

#include <QRegularExpression>
#include <QtTest>

#include <cmath>
#include <format>
#include <limits>

using namespace nestwright;

namespace {

ir::Module reducing(int length, const std::string &step, const std::string &first, bool annotated,
                    const std::string &type = "float32")
{
    const std::string loop = annotated
                                 ? std::format("T.serial({}, annotations={{\"reassociate\": 1}})", length)
                                 : std::format("range({})", length);
    return tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((3, {0}), "{4}"), B: T.Buffer((3,), "{4}")):
    for i in range(3):
        with T.block("B_init"):
            vi = T.axis.spatial(3, i)
            B[vi] = T.{4}({2})
        for k in {3}:
            with T.block("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                B[vi] = {1}
)",
                                     length, step, first, loop, type));
}

std::string llvmOf(const ir::Module &module)
{
    const auto source = backend::source(module, *target::parseTarget("llvm"), backend::SourceKind::LlvmIr);
    if (!source)
        qFatal("%s", source.error().render().c_str());
    return source->text;
}

const std::tuple<const char *, const char *, const char *> rows[] = {
    {"sum", "B[vi] + A[vi, vk]", "0"},
    {"term first", "A[vi, vk] + B[vi]", "0"},
    {"product", "B[vi] * A[vi, vk]", "1"},
    {"maximum", "T.max(B[vi], A[vi, vk])", "-1000"},
    {"minimum", "T.min(B[vi], A[vi, vk])", "1000"},
};

} // namespace

class ReassociateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(target::parseTarget("llvm")->kind))
            QSKIP("built without LLVM");
    }

    void computesTheSame_data()
    {
        QTest::addColumn<QString>("step");
        QTest::addColumn<QString>("first");
        QTest::addColumn<int>("length");
        QTest::addColumn<QString>("type");
        for (const auto &[name, step, first] : rows) {
            for (const int length : {1, 16, 197, 256})
                QTest::addRow("%s of %d", name, length) << step << first << length << "float32";
        }
        QTest::addRow("float64") << "B[vi] + A[vi, vk]" << "0" << 197 << "float64";
        QTest::addRow("float16") << "B[vi] + A[vi, vk]" << "0" << 19 << "float16";
        QTest::addRow("int32") << "B[vi] + A[vi, vk]" << "0" << 197 << "int32";
        QTest::addRow("difference") << "B[vi] - A[vi, vk]" << "0" << 197 << "float32";
        QTest::addRow("another element") << "B[0] + A[vi, vk]" << "0" << 7 << "float32";
    }

    void computesTheSame()
    {
        QFETCH(QString, step);
        QFETCH(QString, first);
        QFETCH(int, length);
        QFETCH(QString, type);
        const auto module =
            reducing(length, step.toStdString(), first.toStdString(), true, type.toStdString());
        const auto wrong = tests::whyNotCompiledRight(*module.mainEntry()->function, module, "llvm", {});
        QVERIFY2(!wrong, wrong.value_or("").c_str());
    }

    void inVectorsWhereAnnotated()
    {
        for (const auto &[name, step, first] : rows) {
            const std::string free = llvmOf(reducing(256, step, first, true));
            QVERIFY2(free.contains("llvm.vector.reduce"), name);
            QVERIFY2(!llvmOf(reducing(256, step, first, false)).contains("llvm.vector.reduce"), name);
        }
    }

    /// Wherever it stands among the elements.
    void notANumberStays()
    {
        constexpr int length = 197;
        for (const char *step : {"T.max(B[vi], A[vi, vk])", "T.min(B[vi], A[vi, vk])", "B[vi] + A[vi, vk]"}) {
            const auto module = reducing(length, step, "0", true);
            const auto artifact = backend::compile(module, *target::parseTarget("llvm"));
            const auto kernel = backend::load(artifact.value());
            for (const int place : {0, 17, 196}) {
                ir::NdArray a(ir::DataType::float32(), {3, length}), b(ir::DataType::float32(), {3});
                a.fillRandom(1);
                a.set(length + place, std::numeric_limits<double>::quiet_NaN());
                ir::NdArray *arrays[] = {&a, &b};
                QVERIFY(backend::call(**kernel, "main", arrays));
                QVERIFY(std::isnan(b.at(1)));
                QVERIFY(std::isfinite(b.at(0)) && std::isfinite(b.at(2)));
            }
        }
    }

    /// Stages of a row that is longer than the registers read it anew: unrolled whole, they kept it on the
    /// stack.
    void longRowsAreReadAnew()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((16, 4, 768), "float32"), B: T.Buffer((16, 4), "float32")):
    for j in range(16):
        total = T.decl_buffer((4,))
        squares = T.decl_buffer((4,))
        for i in range(4):
            total[i] = T.float32(0)
            for k in T.serial(768, annotations={"reassociate": 1}):
                total[i] = total[i] + A[j, i, k]
        for i in range(4):
            squares[i] = T.float32(0)
            for k in T.serial(768, annotations={"reassociate": 1}):
                squares[i] = squares[i] + (A[j, i, k] - total[i]) * A[j, i, k]
        for i in range(4):
            B[j, i] = squares[i]
)");
        target::Target target;
        target.mtriple = "x86_64-linux-gnu";
        target.mcpu = "skylake-avx512";
        const auto assembly = backend::source(module, target, backend::SourceKind::Asm);
        QVERIFY(assembly);
        static const QRegularExpression onStack(
            QStringLiteral("\\(%rsp\\)[^\n]*[yz]mm|[yz]mm[^\n]*\\(%rsp\\)"));
        const qsizetype moves = QString::fromStdString(assembly->text).count(onStack);
        constexpr qsizetype vectors = qsizetype{4} * 768 / 16;
        QVERIFY2(moves < vectors / 4, std::format("{} of {} vectors", moves, vectors).c_str());
    }
};

QTEST_APPLESS_MAIN(ReassociateTest)
#include "reassociate_test.moc"
