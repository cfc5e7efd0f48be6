// SPDX-License-Identifier: Apache-2.0
// Kernels that say "fast_math": sums in vectors, divisions as products, NaN and infinities as ever. Others
// compute in the order in which they are written.
#include "core/backend/backend.h"
#include "core/backend/link/loaded_kernel.h"
#include "core/backend/listing/loop_code.h"
#include "core/ir/node/attributes.h"
#include "core/lower/pipeline.h"
#include "core/schedule/script/reader.h"
#include "tests/support/backends.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nestwright;

namespace {

constexpr const char *rowSum = R"(
@T.prim_func
def main(A: T.Buffer((4, 1000), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 1000):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)";

constexpr const char *scale = R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), S: T.Buffer((1,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] / S[0] + T.sigmoid(A[vi])
)";

constexpr const char *haswell = "llvm -mcpu=x86-64-v3 -mtriple=x86_64-linux-gnu";
constexpr const char *annotates = "sch.annotate(sch.get_block('root'), 'fast_math', 1)";

ir::Module fast(const char *program)
{
    const auto state = schedule::makeState(tests::parsed(program)).value();
    const auto run = schedule::runScheduleScript(state, annotates, "s.py");
    if (!run)
        qFatal("%s", run.error().render().c_str());
    return run->state.module;
}

std::string sourceOf(const ir::Module &module, backend::SourceKind kind, const std::string &target = "llvm")
{
    const auto source = backend::source(module, target::parseTarget(target).value(), kind);
    if (!source)
        qFatal("%s", source.error().render().c_str());
    return source->text;
}

/// Of the widest vectors that a loop of the kernel computes with.
int vectorBits(const ir::Module &module)
{
    const auto loops = backend::loopCode(module, target::parseTarget(haswell).value());
    return std::ranges::max(loops.value(), {}, &backend::LoopCode::vectorBits).vectorBits;
}

} // namespace

class FastMathTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
    }

    void aSumIsInVectorsOnlyWhereItIsAllowed()
    {
        QCOMPARE(vectorBits(tests::parsed(rowSum)), 0);
        QVERIFY(vectorBits(fast(rowSum)) >= 128);
    }

    void computesTheSame_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("target");
        for (const char *target : {"llvm", "c"}) {
            QTest::addRow("sum, %s", target) << rowSum << target;
            QTest::addRow("scale, %s", target) << scale << target;
        }
    }
    void computesTheSame()
    {
        QFETCH(QString, program);
        QFETCH(QString, target);
        const std::string text = program.toStdString();
        const auto wrong = tests::whyNotCompiledRight(*tests::parsed(text).mainEntry()->function,
                                                      fast(text.c_str()), target.toStdString(), {});
        QVERIFY2(!wrong, wrong.value_or("").c_str());
    }

    /// Dividing by one number is multiplying by its reciprocal.
    void divisionsByOneNumberAreProducts()
    {
        const std::string program = QString(scale).remove(" + T.sigmoid(A[vi])").toStdString();
        const auto divisions = [](const ir::Module &module) {
            return QString::fromStdString(sourceOf(module, backend::SourceKind::Asm, haswell))
                .count("vdivps");
        };
        QVERIFY(divisions(tests::parsed(program)) > 1); // a vector after the other
        QVERIFY(divisions(fast(program.c_str())) <= 1);
    }

    /// Nothing is compiled as if they could not occur.
    void notANumberAndInfinitiesStay()
    {
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        constexpr float infinity = std::numeric_limits<float>::infinity();
        for (const char *target : {"llvm", "c"}) {
            const auto artifact = backend::compile(fast(scale), target::parseTarget(target).value());
            if (!artifact && artifact.error().code == "backend.no-compiler")
                continue;
            const auto kernel = backend::load(artifact.value());
            ir::NdArray a(ir::DataType::float32(), {64}), s(ir::DataType::float32(), {1}),
                b(ir::DataType::float32(), {64});
            a.set(0, nan);
            a.set(1, infinity);
            a.set(2, -infinity);
            a.set(3, 1);
            ir::NdArray *arrays[] = {&a, &s, &b};
            s.set(0, 2);
            QVERIFY(backend::call(**kernel, "main", arrays));
            QVERIFY(std::isnan(b.at(0)));
            QCOMPARE(b.at(1), double(infinity));
            QCOMPARE(b.at(2), -double(infinity));
            s.set(0, infinity);
            QVERIFY(backend::call(**kernel, "main", arrays));
            QVERIFY(std::abs(b.at(3) - 1 / (1 + std::exp(-1.0))) < 1e-6); // 1 / infinity is 0
            s.set(0, 0);
            QVERIFY(backend::call(**kernel, "main", arrays));
            QCOMPARE(b.at(3), double(infinity));
        }
    }

    /// Functions of polynomials keep the order that makes them exact.
    void elementaryFunctionsAreAsExact()
    {
        const auto module = fast(R"(
@T.prim_func
def main(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
    for i in range(256):
        with T.block("B"):
            vi = T.axis.spatial(256, i)
            B[vi] = T.exp(A[vi])
)");
        const auto kernel = backend::load(backend::compile(module, target::Target()).value());
        ir::NdArray a(ir::DataType::float32(), {256}), b(ir::DataType::float32(), {256});
        for (int i = 0; i < 256; ++i)
            a.set(i, i * 0.34 - 43);
        ir::NdArray *arrays[] = {&a, &b};
        QVERIFY(backend::call(**kernel, "main", arrays));
        for (int i = 0; i < 256; ++i)
            QVERIFY(std::abs(b.at(i) / std::exp(a.at(i)) - 1) < 3e-7);
    }

    void theLoweredFunctionSaysIt()
    {
        QVERIFY(sourceOf(fast(rowSum), backend::SourceKind::Lowered).contains("\"fast_math\": 1"));
        QVERIFY(sourceOf(fast(rowSum), backend::SourceKind::C, "c").contains("-fassociative-math"));
        QVERIFY(!sourceOf(tests::parsed(rowSum), backend::SourceKind::C, "c").contains("-fassociative-math"));
    }

    /// Those of a GPU compute as ever.
    void kernelsOfDevicesDoNotTakeItOver()
    {
        const auto state = schedule::makeState(tests::parsed(rowSum)).value();
        const auto run = schedule::runScheduleScript(
            state, std::string(annotates) + "\ni, k = sch.get_loops('B')\nsch.bind(i, 'threadIdx.x')",
            "s.py");
        const auto lowered = lower::lower(run.value().state.module, target::parseTarget("cuda").value());
        QVERIFY(!ir::allowsFastMath(*lowered.value().module.find("main_kernel")));
    }

    void anotherValueIsRefused()
    {
        const auto module = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    with T.block("root"):
        T.block_attr({"fast_math": "yes"})
        for i in range(8):
            with T.block("A"):
                vi = T.axis.spatial(8, i)
                A[vi] = A[vi] + T.float32(1)
)");
        const auto compiled = backend::compile(module, target::Target());
        QVERIFY(!compiled);
        QCOMPARE(compiled.error().code, "ir.annotation");
        QVERIFY(!compiled.error().hint.empty());
    }
};

QTEST_APPLESS_MAIN(FastMathTest)
#include "fast_math_test.moc"
