// SPDX-License-Identifier: Apache-2.0
// Targets as text; the pipeline's records, its stop, and its refusals.
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/block_marker.h"
#include "core/ir/node/equality.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/check.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace nestwright;

namespace {

ir::Module parsed(const std::string &text)
{
    auto module = script::parseTvmScript(text, "test.py");
    if (!module)
        qFatal("%s", module.error().render().c_str());
    return *std::move(module);
}

} // namespace

class PipelineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void targetsAreReadAndWritten()
    {
        for (const char *text :
             {"llvm", "llvm -mcpu=skylake-avx512 -mtriple=x86_64-linux-gnu", "c -num-cores=2",
              "c -num-cores=1", "opencl", "cuda -arch=sm_90", "llvm -mattr=+avx2,-fma -fast-math=reassoc"}) {
            const auto target = target::parseTarget(text);
            QVERIFY2(target, text);
            QCOMPARE(QString::fromStdString(target->str()), QString(text));
        }
    }

    void badTargetsAreRefused_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::newRow("no such kind") << "fpga" << "target.unknown";
        QTest::newRow("nothing") << "" << "target.unknown";
        QTest::newRow("option of another kind") << "c -mtriple=aarch64-linux-gnu" << "target.option";
        QTest::newRow("no value") << "llvm -mcpu" << "target.option";
        QTest::newRow("no number") << "llvm -num-cores=many" << "target.option";
        QTest::newRow("no core") << "llvm -num-cores=0" << "target.option";
        QTest::newRow("too many cores") << "llvm -num-cores=99999999999" << "target.option";
        QTest::newRow("a million cores") << "llvm -num-cores=1000000" << "target.option";
        QTest::newRow("one core too many") << "c -num-cores=257" << "target.option";
        QTest::newRow("more than a number") << "llvm -num-cores=4x" << "target.option";
        QTest::newRow("two numbers") << "llvm -num-cores=4 -num-cores=99999999999" << "target.option";
        QTest::newRow("other fast mathematics") << "llvm -fast-math=all" << "target.option";
        QTest::newRow("fast mathematics of another kind") << "c -fast-math=reassoc" << "target.option";
        QTest::newRow("no such option") << "llvm -slow-math=reassoc" << "target.option";
    }
    void badTargetsAreRefused()
    {
        QFETCH(QString, text);
        QFETCH(QString, code);
        const auto target = target::parseTarget(text.toStdString());
        QVERIFY(!target);
        QCOMPARE(QString::fromStdString(target.error().code), code);
    }

    void recordsFollowEachOther()
    {
        const ir::Module module = tests::program("mm_relu");
        const auto result = lower::lower(module, {}, {.keepRecords = true, .stop = {}});
        QVERIFY(result);
        const auto expected = lower::pipeline({});
        QCOMPARE(result->records.size(), expected.size());
        ir::Module before = module;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const lower::PassRecord &record = result->records[i];
            QCOMPARE(record.name, std::string(expected[i]->name));
            QVERIFY(record.before.same(before));
            QCOMPARE(record.unchanged, ir::structurallyEqual(record.before, record.after));
            QVERIFY(record.micros >= 0);
            before = record.after;
        }
        QVERIFY(before.same(result->module));
        const auto without = lower::lower(module, {});
        QVERIFY(without && without->records.empty());
    }

    /// Loops and blocks stay findable: every id of the flat program is one of the scheduled program.
    void idsSurvive()
    {
        const ir::Module module = tests::program("mm_relu");
        std::set<std::int64_t> before, after;
        ir::forEachStmt(module.mainEntry()->function->body, [&](const ir::Stmt &s) {
            if (const auto *loop = s.as<ir::For>())
                before.insert(loop->id.value);
            if (const auto *block = s.as<ir::Block>())
                before.insert(block->id.value);
            return true;
        });
        const auto result = lower::lower(module, {});
        ir::forEachStmt(result->module.mainEntry()->function->body, [&](const ir::Stmt &s) {
            if (const auto *loop = s.as<ir::For>())
                after.insert(loop->id.value);
            if (const auto *mark = s.as<ir::AttrStmt>(); mark && mark->key == ir::blockMarker)
                after.insert(*ir::AttrValue(mark->value).asInt());
            return true;
        });
        QVERIFY(std::ranges::includes(before, after));
        QCOMPARE(after.size() + 1, before.size()); // all but the root
    }

    void flatProgramsPassThrough()
    {
        const auto once = lower::lower(tests::program("matmul"), {});
        QVERIFY(once);
        const auto twice = lower::lower(once->module, {}, {.keepRecords = true, .stop = {}});
        QVERIFY(twice);
        for (const lower::PassRecord &record : twice->records)
            QVERIFY2(record.unchanged, record.name.c_str());
    }

    void onePassOnLessLoweredPrograms()
    {
        const auto run = [](const char *pass, const ir::Module &module) {
            return lower::runPass(*lower::findPass(pass), module, {});
        };
        const ir::Module loops = parsed(R"(
@T.prim_func
def main(A: T.Buffer((16, 16), "int32"), n: T.int32):
    for i, j in T.grid(16, 16):
        if i == n and j == n:
            if i == n:
                A[i, j] = 0 * n
)");
        const auto simpler = run("simplify", loops);
        QVERIFY2(simpler, simpler ? "" : simpler.error().render().c_str());
        const std::string text = script::print(simpler->after).text;
        QVERIFY2(!text.contains("0 * n") && text.contains("A[i, j] = 0"), text.c_str());
        QVERIFY(!tests::whyNotEquivalent(loops, simpler->after));
        QVERIFY(run("remove-no-op", loops));
        QVERIFY(run("flatten-buffer", loops) && run("vectorize-loop", run("flatten-buffer", loops)->after));
        const auto early = run("vectorize-loop", loops);
        QVERIFY(!early);
        QCOMPARE(early.error().code, std::string("lower.form"));
        QCOMPARE(early.error().hint, std::string("run flatten-buffer before it"));
        QCOMPARE(early.error().message,
                 std::string(
                     "the pass 'vectorize-loop' works on programs of one-dimensional buffers, but this one "
                     "has buffers of several dimensions"));
        // With blocks.
        const ir::Module blocks = tests::program("mm_relu");
        QVERIFY(run("simplify", blocks));
        const auto earlier = run("unroll-loop", blocks);
        QVERIFY(!earlier && earlier.error().code == "lower.form");
        QCOMPARE(earlier.error().hint,
                 std::string(
                     "run lower-init-block,lower-blocks,compact-buffer-allocation,flatten-buffer before it"));
        const auto compact = run("compact-buffer-allocation", blocks);
        QVERIFY(!compact);
        QCOMPARE(compact.error().message, std::string("the pass 'compact-buffer-allocation' works on "
                                                      "programs without blocks, but this one has blocks"));
    }

    void illFormedProgramsAreRefusedAtOnce()
    {
        ir::PrimFunc function;
        const ir::Buffer a("A", {8});
        function.params = {{ir::Var("a", ir::DataType::handle()), a}};
        function.body = ir::store(a, 1.0F, {ir::Var("nowhere")});
        const ir::Module module({{"main", std::make_shared<const ir::PrimFunc>(function)}});
        for (const bool whole : {true, false}) {
            const auto error = whole ? lower::lower(module, {}).error()
                                     : lower::runPass(*lower::findPass("simplify"), module, {}).error();
            QCOMPARE(error.code, std::string("verify.undefined-variable"));
            QVERIFY2(error.message.starts_with("the program is ill-formed: ")
                         && error.message.contains("'nowhere'"),
                     error.message.c_str());
        }
    }

    void aStopIsHeard()
    {
        std::stop_source source;
        source.request_stop();
        const auto result =
            lower::lower(tests::program("matmul"), {}, {.keepRecords = false, .stop = source.get_token()});
        QVERIFY(!result);
        QCOMPARE(QString::fromStdString(result.error().code), "cancelled");
    }

    void passesAreFoundByName()
    {
        for (const lower::Pass &pass : lower::passes())
            QCOMPARE(lower::findPass(pass.name), &pass);
        QVERIFY(!lower::findPass("no-such-pass"));
    }
};

QTEST_GUILESS_MAIN(PipelineTest)
#include "pipeline_test.moc"
