// SPDX-License-Identifier: Apache-2.0
// Recipes that come with the program: legal and right for the shapes that they are for, and those that they
// have to round up; their parameters, and what is said where they do not fit.
#include "core/backend/backend.h"
#include "core/backend/link/runtime.h"
#include "core/backend/listing/loop_code.h"
#include "core/frontend/open_kernel.h"
#include "core/ir/build/walk.h"
#include "core/session/reuse/recipe.h"
#include "core/support/host.h"
#include "tests/support/backends.h"
#include "tests/support/passes.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <QTemporaryDir>

#include <format>

using namespace nestwright;

namespace {

schedule::State opened(const QString &kernel)
{
    return schedule::makeState(frontend::openKernel(kernel.toStdString()).value().module).value();
}

std::string codeOf(const std::string &kernel, const std::string &recipe)
{
    const auto found = session::findRecipe(recipe);
    if (!found)
        return found.error().code;
    const auto run = session::runRecipe(opened(QString::fromStdString(kernel)), *found);
    return run ? "" : run.error().code;
}

std::string productOfBytes(int m, int n, int k)
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer(({0}, {2}), "uint8"), B: T.Buffer(({2}, {1}), "int8"), C: T.Buffer(({0}, {1}), "int32")):
    for i, j, k in T.grid({0}, {1}, {2}):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = 0
            C[vi, vj] = C[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk, vj])
)",
                       m, n, k);
}

/// 3×3, of `channels` blocks to as many blocks of filters as said.
std::string convolutionOfBytes(int channels, int size, int filters, int block = 16)
{
    return std::format(R"(
@T.prim_func
def main(X: T.Buffer((1, {0}, {3}, {3}, {4}), "uint8"), W: T.Buffer(({2}, {0}, 3, 3, {5}, {4}, 4), "int8"),
         Y: T.Buffer((1, {2}, {1}, {1}, {4}), "int32")):
    for n, f, h, w, i, c, r, s, q, d in T.grid(1, {2}, {1}, {1}, {4}, {0}, 3, 3, {5}, 4):
        with T.block("Y"):
            vn, vf, vh, vw, vi = T.axis.remap("SSSSS", [n, f, h, w, i])
            vc, vr, vs, vq, vd = T.axis.remap("RRRRR", [c, r, s, q, d])
            with T.init():
                Y[vn, vf, vh, vw, vi] = 0
            Y[vn, vf, vh, vw, vi] = Y[vn, vf, vh, vw, vi] + (
                T.Cast("int32", X[vn, vc, vh + vr, vw + vs, vq * 4 + vd])
                * T.Cast("int32", W[vf, vc, vr, vs, vq, vi, vd]))
)",
                       channels, size, filters, size + 2, block, block / 4);
}

std::string transposition(int rows, int columns)
{
    return std::format(R"(
@T.prim_func
def main(A: T.Buffer(({1}, {0}), "float32"), B: T.Buffer(({0}, {1}), "float32")):
    for i, j in T.grid({0}, {1}):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vj, vi]
)",
                       rows, columns);
}

/// Of each channel by itself, 3 × 3; with a loop over images where there are several.
std::string depthwise(int images, int channels, int height, int width)
{
    const bool isMany = images > 1;
    return std::format(R"(
@T.prim_func
def main(X: T.Buffer(({0}{1}, {4}, {5}), "float32"), W: T.Buffer(({1}, 3, 3), "float32"),
         Y: T.Buffer(({0}{1}, {2}, {3}), "float32")):
    for {6}c, h, w, r, s in T.grid({0}{1}, {2}, {3}, 3, 3):
        with T.block("Y"):
            {7}vc, vh, vw, vr, vs = T.axis.remap("{8}SSSRR", [{6}c, h, w, r, s])
            with T.init():
                Y[{7}vc, vh, vw] = T.float32(0)
            Y[{7}vc, vh, vw] = Y[{7}vc, vh, vw] + X[{7}vc, vh + vr, vw + vs] * W[vc, vr, vs]
)",
                       isMany ? std::format("{}, ", images) : "", channels, height, width, height + 2,
                       width + 2, isMany ? "n, " : "", isMany ? "vn, " : "", isMany ? "S" : "");
}

int loopsOf(const ir::Module &module, ir::ForKind kind)
{
    int count = 0;
    ir::forEachStmt(module.mainEntry()->function->body, [&](const ir::Stmt &s) {
        const auto *loop = s.as<ir::For>();
        count += loop && loop->forKind == kind ? 1 : 0;
        return true;
    });
    return count;
}

} // namespace

class RecipeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void computesTheSame_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QString>("recipe");
        const auto row = [](const char *recipe, const QString &kernel) {
            QTest::addRow("%s %s", recipe, qPrintable(kernel)) << kernel << QString::fromUtf8(recipe);
        };
        for (const auto &[m, n, k] : {std::tuple(64, 64, 64),
                                      {127, 65, 31},
                                      {1, 96, 40},
                                      {1, 33, 9},
                                      {3, 5, 7},
                                      {40, 320, 1030},
                                      {66, 150, 40},
                                      {50, 1, 30},
                                      {100, 32, 16},
                                      {9, 1, 4},
                                      {1, 1, 1}})
            row("gemm", QStringLiteral("op:matmul(M=%1,N=%2,K=%3)").arg(m).arg(n).arg(k));
        row("gemm:rows=6,vectors=4", QStringLiteral("op:matmul(M=13,N=70,K=20)"));
        row("gemm:threads=4", QStringLiteral("op:matmul(M=66,N=150,K=40)"));
        row("gemm:threads=1", QStringLiteral("op:matmul(M=40,N=256,K=400)"));
        row("gemm", QStringLiteral("op:matmul_relu(M=64,N=64,K=16)"));
        row("gemm:threads=3", QStringLiteral("op:matmul_relu(M=35,N=70,K=16)"));
        row("gemm", QStringLiteral("op:matmul_relu(M=30,N=20,K=16)"));
        row("gemm", QStringLiteral("examples/mm_relu.py"));
    }

    void computesTheSame()
    {
        QFETCH(QString, kernel);
        QFETCH(QString, recipe);
        const schedule::State state = opened(kernel);
        const auto run = session::runRecipe(state, session::findRecipe(recipe.toStdString()).value());
        if (!run)
            QFAIL(run.error().render().c_str());
        QVERIFY(!run->steps.empty());
        QVERIFY(loopsOf(run->state.module, ir::ForKind::Vectorized) > 0);
        if (!backend::isBuilt(target::parseTarget("llvm")->kind))
            QSKIP("built without LLVM");
        const ir::PrimFunc &reference = *state.module.mainEntry()->function;
        const auto wrong = tests::whyNotCompiledRight(reference, run->state.module, "llvm", {});
        QVERIFY2(!wrong, wrong.value_or("").c_str());
    }

    /// As the interpreter runs them, which knows the instructions that are put in.
    void ofOthers_data()
    {
        QTest::addColumn<std::string>("kernel");
        QTest::addColumn<std::string>("recipe");
        for (const char *tiles : {"tiles=0", "tiles=1"}) {
            const auto ofBytes = [&](const char *name, const std::string &program,
                                     const std::string &recipe) {
                QTest::addRow("%s, %s", name, tiles) << program << recipe + "," + tiles;
            };
            ofBytes("a product", productOfBytes(18, 64, 32), "gemm_int8:threads=2");
            ofBytes("one vector", productOfBytes(5, 48, 8), "gemm_int8:rows=4");
            ofBytes("a convolution", convolutionOfBytes(2, 14, 2), "conv2d_int8:block=Y");
            ofBytes("of few filters", convolutionOfBytes(1, 7, 1), "conv2d_int8:block=Y");
        }
        QTest::newRow("blocks of 64")
            << convolutionOfBytes(1, 6, 1, 64) << std::string("conv2d_int8:block=Y,tiles=1");
        QTest::newRow("an odd number of rows, in blocks of 64")
            << convolutionOfBytes(1, 5, 1, 64) << std::string("conv2d_int8:block=Y,tiles=1");
        for (const char *kernel : {"op:softmax(M=9,N=70)", "op:softmax(M=4,N=64)", "op:row_sum(M=13,N=77)"})
            QTest::newRow(kernel) << std::string(kernel) << std::string("rows");
        QTest::newRow("channels") << depthwise(1, 6, 8, 32) << std::string("depthwise");
        QTest::newRow("images, whose columns are no vectors")
            << depthwise(2, 3, 7, 20) << std::string("depthwise");
        for (const char *kernel :
             {"op:conv2d(C=3,H=9,W=7,F=32)", "op:conv2d(C=3,H=8,W=32,F=32)",
              "op:conv2d(C=3,H=15,W=31,F=16,stride=2)", "op:conv2d(C=2,H=9,W=9,F=16,stride=2)",
              "op:conv2d(C=2,H=6,W=21,F=16,KH=1,KW=1,padding=0)"})
            QTest::newRow(kernel) << std::string(kernel) << std::string("conv2d");
        for (const char *kernel :
             {"op:conv2d(C=3,H=8,W=32,F=32)", "op:conv2d(C=8,H=9,W=7,F=32)",
              "op:conv2d(C=16,H=6,W=14,F=16,KH=1,KW=1,padding=0)", "op:conv2d(C=3,H=15,W=31,F=16,stride=2)"})
            QTest::addRow("many short vectors: %s", kernel)
                << std::string(kernel) << std::string("conv2d:lanes=4,registers=32");
        for (const char *kernel : {"op:matmul(M=37,N=50,K=33)", "op:matmul(M=20,N=48,K=16)"})
            QTest::addRow("many short vectors: %s", kernel)
                << std::string(kernel) << std::string("gemm:lanes=4,registers=32");
        for (const char *kernel : {"op:add_relu(M=13,N=7)", "op:sigmoid(M=64,N=64)", "op:elementwise_chain"})
            QTest::newRow(kernel) << std::string(kernel) << std::string("elementwise");
        QTest::newRow("rows and columns") << transposition(64, 96) << std::string("transpose");
        QTest::newRow("narrow tiles") << transposition(24, 40) << std::string("transpose:side=8,below=2");
    }

    void ofOthers()
    {
        QFETCH(std::string, kernel);
        QFETCH(std::string, recipe);
        const bool isText = !kernel.starts_with("op:");
        const schedule::State state = isText ? schedule::makeState(tests::parsed(kernel)).value()
                                             : opened(QString::fromStdString(kernel));
        const auto run = session::runRecipe(state, session::findRecipe(recipe).value());
        if (!run)
            QFAIL(run.error().render().c_str());
        const auto wrong = tests::whyNotEquivalent(state.module, tests::lowered(run->state.module));
        QVERIFY2(!wrong, wrong.value_or("").c_str());
    }

    void onArm_data()
    {
        QTest::addColumn<QString>("processor");
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<std::string>("recipe");
        for (const char *processor : {"cortex-a72", "neoverse-v2"}) {
            for (const char *sizes : {"M=512,N=512,K=512", "M=1000,N=1000,K=1000", "M=1024,N=1024,K=1024"})
                QTest::addRow("%s, %s", processor, sizes)
                    << processor << QStringLiteral("op:matmul(%1)").arg(sizes) << std::string("gemm");
            for (const char *sizes : {"C=64,H=56,W=56,F=64", "C=512,H=7,W=7,F=512",
                                      "C=3,H=112,W=112,F=64,KH=7,KW=7,padding=3,stride=2",
                                      "C=256,H=14,W=14,F=256,KH=1,KW=1,padding=0"})
                QTest::addRow("%s, %s", processor, sizes)
                    << processor << QStringLiteral("op:conv2d(%1)").arg(sizes) << std::string("conv2d");
        }
    }

    /// The loop that does most of the work keeps its sums in registers, and does little else than add to
    /// them.
    void onArm()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
        QFETCH(QString, processor);
        QFETCH(QString, kernel);
        QFETCH(std::string, recipe);
        const auto target =
            target::parseTarget("llvm -mtriple=aarch64-linux-gnu -mcpu=" + processor.toStdString()).value();
        const auto run = session::runRecipe(opened(kernel), session::findRecipe(recipe, target).value());
        QVERIFY2(run, run ? "" : run.error().render().c_str());
        const auto code = backend::loopCode(run->state.module, target).value();
        const auto &hot = *std::ranges::max_element(code, {}, [](const backend::LoopCode &loop) {
            return loop.isInnermost ? loop.counts.multiplyAddInstructions : 0;
        });
        QCOMPARE(hot.counts.spills + hot.counts.reloads, 0);
        QVERIFY2(100 * hot.counts.multiplyAddInstructions >= 82 * hot.counts.all,
                 backend::instructionsText(hot).c_str());
    }

    /// The nest that the registers are for stays whole.
    void tiles()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
        for (const auto &[kernel, recipe] :
             {std::pair(productOfBytes(64, 64, 128), "gemm_int8:tiles=1"),
              std::pair(productOfBytes(6, 16, 64), "gemm_int8:threads=6,tiles=1"),
              std::pair(convolutionOfBytes(2, 14, 2), "conv2d_int8:block=Y,tiles=1"),
              std::pair(convolutionOfBytes(1, 7, 1), "conv2d_int8:block=Y,tiles=1"),
              std::pair(convolutionOfBytes(1, 28, 1, 64), "conv2d_int8:block=Y,tiles=1")}) {
            const schedule::State state = schedule::makeState(tests::parsed(kernel)).value();
            const auto run = session::runRecipe(state, session::findRecipe(recipe).value());
            QVERIFY2(run, recipe);
            const auto text =
                backend::source(run->state.module, target::parseTarget("llvm -mcpu=sapphirerapids").value(),
                                backend::SourceKind::Asm);
            QVERIFY2(text && text->text.contains("tdpbusd"), recipe);
            const ir::PrimFunc &reference = *state.module.mainEntry()->function;
            const auto wrong = tests::whyNotCompiledRight(reference, run->state.module, "llvm", {});
            QVERIFY2(!wrong, wrong.value_or("").c_str());
        }
    }

    /// Numbers of the machine that the target is for, unless they are given.
    void machineOfTheTarget()
    {
        const auto numberOf = [](const char *recipe, const char *target, std::string_view name) {
            const auto found = session::findRecipe(recipe, target::parseTarget(target).value()).value();
            const auto parameter =
                std::ranges::find(found.parameters, name, &schedule::ScriptParameter::name);
            return parameter == found.parameters.end() ? schedule::ArgValue() : parameter->value;
        };
        const char *narrow = "llvm -mcpu=x86-64-v2", *usual = "llvm -mcpu=haswell -num-cores=6",
                   *wide = "llvm -mcpu=skylake-avx512";
        QCOMPARE(numberOf("gemm", narrow, "lanes"), schedule::ArgValue(4));
        QCOMPARE(numberOf("gemm", usual, "lanes"), schedule::ArgValue(8));
        QCOMPARE(numberOf("gemm", usual, "registers"), schedule::ArgValue(16));
        QCOMPARE(numberOf("gemm", usual, "threads"), schedule::ArgValue(6));
        QCOMPARE(numberOf("gemm", wide, "lanes"), schedule::ArgValue(16));
        QCOMPARE(numberOf("gemm", wide, "registers"), schedule::ArgValue(32));
        QCOMPARE(numberOf("gemm:lanes=2", wide, "lanes"), schedule::ArgValue(2));
        QCOMPARE(numberOf("gemm_int8", wide, "tiles"), schedule::ArgValue(0)); // it has none
    }

    /// A tile of each class of processors fits its registers.
    void tilesFitTheRegisters()
    {
        const schedule::State state = opened("op:matmul(M=256,N=256,K=256)");
        for (const auto &[target, lanes, registers] :
             {std::tuple{"llvm -mcpu=x86-64-v2", 4, 16},
              {"llvm -mcpu=haswell", 8, 16},
              {"llvm -mcpu=skylake-avx512", 16, 32},
              {"llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", 4, 32}}) {
            const auto recipe = session::findRecipe("gemm:threads=1", target::parseTarget(target).value());
            const auto run = session::runRecipe(state, recipe.value());
            QVERIFY2(run, run ? "" : run.error().render().c_str());
            std::vector<std::int64_t> unrolled;
            for (const schedule::ScriptStep &each : run->steps) {
                if (each.step.primitive->name == "split" && unrolled.size() < 2)
                    unrolled.push_back(*each.step.args[1].as<schedule::ArgList>()->back().as<std::int64_t>());
            }
            QCOMPARE(unrolled.back(), lanes); // j in vectors
            QVERIFY(unrolled.front() * 2 + 2 < registers);
        }
    }

    void parameters()
    {
        const auto all = session::recipes();
        QVERIFY(all);
        QVERIFY(!all->empty());
        for (const session::Recipe &recipe : *all) {
            QVERIFY2(!recipe.title.empty(), recipe.name.c_str());
            QVERIFY2(!recipe.title.contains("tvm"), recipe.name.c_str());
        }
        const auto given = session::findRecipe("gemm:rows=6,block=D");
        QVERIFY(given);
        QCOMPARE(given->parameters[0].value, schedule::ArgValue("D"));
        QCOMPARE(given->parameters[1].value, schedule::ArgValue(6));
        QCOMPARE(session::findRecipe("gemm:block=\"D\"")->parameters[0].value, schedule::ArgValue("D"));
        const bool hasTiles =
            support::processorFeatures().contains("amx_int8") && nestwright_has_tiles() != 0;
        QCOMPARE(session::findRecipe("gemm_int8")->parameters.back().value,
                 schedule::ArgValue(hasTiles ? 1 : 0));
        QCOMPARE(session::findRecipe("gemm_int8:tiles=0")->parameters.back().value, schedule::ArgValue(0));
        QCOMPARE(codeOf("op:matmul", "gem"), "recipe.unknown");
        QCOMPARE(codeOf("op:matmul", "gemm:row=6"), "recipe.parameter");
        QCOMPARE(codeOf("op:matmul", "gemm:rows"), "recipe.parameter");
        QCOMPARE(codeOf("op:matmul", "gemm:rows=6 +"), "script.syntax");
        QCOMPARE(codeOf("op:matmul", "nowhere.py"), "open.no-file");
    }

    /// Of several blocks, that for which the steps are legal.
    void choosesTheBlock()
    {
        QCOMPARE(codeOf("op:matmul_relu(M=64,N=64,K=64)", "gemm"), "");
        QCOMPARE(codeOf("op:matmul_relu(M=64,N=64,K=64)", "gemm:block=X"), "analysis.unknown-block");
        QCOMPARE(codeOf("op:row_sum", "gemm"), "script.assert");
        QCOMPARE(codeOf("op:row_sum", "elementwise"), "script.assert");
        QCOMPARE(codeOf("op:add_relu", "rows"), "script.assert");
        QCOMPARE(codeOf("op:matmul", "gemm_int8"), "script.assert");
        const auto run = session::runRecipe(opened("op:row_sum"), session::findRecipe("gemm").value());
        QVERIFY(run.error().message.contains("'gemm' does not fit here"));
    }

    void ofAFile()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath("mine.py");
        QFile script(file);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(
            "# Splits rows,\n# and no more.\n# from tvm import tir\ndef mine(sch, factors=[None, 2, 4]):\n"
            "  loops = sch.get_loops(sch.get_block(\"C\"))\n  sch.split(loops[0], factors)\n");
        script.close();
        const auto recipe = session::findRecipe(file.toStdString() + ":factors=[None, 4, 2]");
        QVERIFY(recipe);
        QCOMPARE(recipe->title, "Splits rows, and no more.");
        const auto run = session::runRecipe(opened("op:matmul(M=64,N=64,K=64)"), *recipe);
        QVERIFY(run);
        QCOMPARE(schedule::str(run->steps.back().step.args[1]), "[None, 4, 2]");
    }
};

QTEST_APPLESS_MAIN(RecipeTest)
#include "recipe_test.moc"
