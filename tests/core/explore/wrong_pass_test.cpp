// SPDX-License-Identifier: Apache-2.0
// A pass that computes something else is found among those of the pipeline.
#include "core/explore/judge/wrong_pass.h"

#include "core/catalog/preset.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/rewriter.h"
#include "core/ir/node/equality.h"
#include "core/schedule/script/reader.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::explore;

namespace {

/// Adds where the program multiplies.
class Adder : public ir::Rewriter {
public:
    ir::Expr expr(const ir::Expr &e) override
    {
        const ir::Expr changed = children(e);
        const auto *binary = changed.as<ir::Binary>();
        const bool isProduct = binary && binary->op == ir::BinaryOp::Mul && e.dtype().isFloating();
        return isProduct ? binary->a + binary->b : changed;
    }
};

/// A product with a split that does not divide, and vectors.
ir::Module program()
{
    const auto kernel = catalog::parseInvocation("op:matmul_relu(M=13,N=8,K=6)");
    const auto state = schedule::makeState(catalog::makeModule(kernel.value()).value());
    const auto run = schedule::runScheduleScript(state.value(), R"(def apply_trace(sch):
  y = sch.get_block("Y")
  i, j, k = sch.get_loops(y)
  i0, i1 = sch.split(i, [None, 5])
  sch.reorder(i0, k, i1, j)
  sch.vectorize(sch.get_loops("C")[1])
)",
                                                 "program.py");
    return run.value().state.module;
}

using Records = std::vector<lower::PassRecord>;

/// The records of the passes of `target`, with one that is wrong behind `before` of them.
support::Result<Records> withWrongPass(const target::Target &target, std::size_t before)
{
    support::PassRunner<ir::Module> runner(program(), {.keepRecords = true});
    const auto sound = [](const ir::Module &) { return support::Result<void>(); };
    std::size_t count = 0;
    for (const lower::Pass *pass : lower::pipeline(target)) {
        const auto run = [&](const ir::Module &module) { return pass->run(module, target); };
        const auto wrong = [](const ir::Module &module) { return ir::rewriteModule<Adder>(module); };
        const auto planted = count++ == before ? runner.run("adds", wrong, sound) : support::Result<void>();
        const auto done = planted ? runner.run(pass->name, run, sound) : planted;
        if (!done)
            return support::fail(done.error());
    }
    return runner.takeRecords();
}

} // namespace

class WrongPassTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPlaceIsFound()
    {
        const target::Target target;
        for (std::size_t before = 0; before < lower::pipeline(target).size(); ++before) {
            const auto records = withWrongPass(target, before);
            QVERIFY2(records, records ? "" : records.error().render().c_str());
            const auto wrong = firstWrongPass(*records, {});
            QVERIFY2(wrong, wrong ? "" : wrong.error().render().c_str());
            QVERIFY(*wrong);
            QCOMPARE((*wrong)->place, before);
            QCOMPARE((*records)[(*wrong)->place].name, std::string("adds"));
            QCOMPARE((*wrong)->turn.reason.code, std::string("measure.wrong-result"));
            QVERIFY((*wrong)->turn.isConfirmed && (*wrong)->turn.isMonotone);
        }
    }

    void thePipelineIsRight()
    {
        for (const char *text : {"llvm", "c", "cuda"}) {
            const auto target = target::parseTarget(text).value();
            const auto lowered = lower::lower(program(), target, {.keepRecords = true});
            QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
            const auto wrong = firstWrongPass(lowered->records, {});
            QVERIFY2(wrong, wrong ? "" : wrong.error().render().c_str());
            QVERIFY(!*wrong);
        }
        QVERIFY(!firstWrongPass({}, {}).value());
    }
};

QTEST_GUILESS_MAIN(WrongPassTest)
#include "wrong_pass_test.moc"
