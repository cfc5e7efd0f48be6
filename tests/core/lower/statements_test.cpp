// SPDX-License-Identifier: Apache-2.0
/// Statements that lowering makes and finds again: launches of kernels, reductions across threads.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/lower/kernel_launch.h"
#include "core/lower/thread_allreduce.h"

#include <QtTest>

using namespace nestwright;
using lower::KernelLaunch;
using lower::ThreadAllreduce;

namespace {

ir::Stmt called(ir::Callee callee, std::vector<ir::Expr> args)
{
    return ir::evaluate(ir::call(ir::DataType::int32(), std::move(callee), std::move(args)));
}

/// A sum of one value across the threads of no axis.
ThreadAllreduce sum()
{
    ThreadAllreduce made;
    made.combine = [](const ThreadAllreduce::Values &a, const ThreadAllreduce::Values &b) {
        return ThreadAllreduce::Values{a[0] + b[0]};
    };
    made.identities = {ir::floatImm(0, ir::DataType::float32())};
    made.values = {ir::Var("v", ir::DataType::float32())};
    made.results = {ir::Var("r", ir::DataType::float32())};
    return made;
}

} // namespace

class StatementsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void launchesAreFoundAgain()
    {
        const std::vector<ir::Expr> sizes{1, 2, 3, 4, 5, 6};
        KernelLaunch launch;
        launch.kernel = "k";
        std::copy_n(sizes.begin(), 3, launch.blocks.begin());
        std::copy_n(sizes.begin() + 3, 3, launch.threads.begin());
        const auto found = KernelLaunch::of(launch.stmt());
        QVERIFY(found);
        QCOMPARE(found->kernel, std::string("k"));
        QVERIFY(found->arguments.empty());
        QCOMPARE(*ir::asInt(found->threads[2]), 6);
        launch.arguments = {ir::Var("p", ir::DataType::handle())};
        QCOMPARE(KernelLaunch::of(launch.stmt())->arguments.size(), 1UL);
    }

    void otherCallsAreNoLaunches()
    {
        const std::vector<ir::Expr> args{ir::stringImm("k"), 1, 2, 3, 4, 5, 6};
        QVERIFY(KernelLaunch::of(called(ir::intrinsics::callPacked, args)));
        QVERIFY(!KernelLaunch::of(called(ir::intrinsics::callExtern, args)));
        QVERIFY(!KernelLaunch::of(called(ir::intrinsics::callPacked, {args.begin(), args.end() - 1})));
        QVERIFY(!KernelLaunch::of(called(ir::intrinsics::callPacked, {1, 1, 2, 3, 4, 5, 6})));
        QVERIFY(!KernelLaunch::of(ir::evaluate(0)));
    }

    void reductionsAreFoundAgain()
    {
        ThreadAllreduce reduction = sum();
        const auto bare = ThreadAllreduce::of(reduction.stmt());
        QVERIFY(bare && bare->threads.empty());
        reduction.threads = {ir::Var("threadIdx_x", ir::DataType::int32())};
        const auto found = ThreadAllreduce::of(reduction.stmt());
        QVERIFY(found);
        QCOMPARE(found->threads.size(), 1UL);
        QCOMPARE(found->results.size(), 1UL);
    }

    /// Not of another call, nor of another description of how values are combined.
    void otherAttributesAreNoReductions()
    {
        const ir::Stmt whole = sum().stmt();
        const auto &attr = *whole.as<ir::AttrStmt>();
        const auto &call = *attr.body.as<ir::Evaluate>()->value.as<ir::Call>();
        const auto &described = *attr.node.as<ir::Call>();
        const auto with = [&](const std::function<void(ir::AttrStmt &)> &change) {
            ir::AttrStmt changed = attr;
            change(changed);
            return ThreadAllreduce::of(ir::make(std::move(changed)));
        };
        QVERIFY(with([](ir::AttrStmt &) {}));
        QVERIFY(!with([](ir::AttrStmt &a) { a.key = "other"; }));
        QVERIFY(!with([&](ir::AttrStmt &a) { a.body = called(ir::intrinsics::callExtern, call.args); }));
        QVERIFY(!with([&](ir::AttrStmt &a) {
            a.node = ir::call(ir::DataType::handle(), ir::intrinsics::callExtern, described.args);
        }));
        const std::vector<ir::Expr> fewer(call.args.begin(), call.args.end() - 1);
        QVERIFY(!with([&](ir::AttrStmt &a) { a.body = called(call.callee, fewer); }));
    }
};

QTEST_APPLESS_MAIN(StatementsTest)
#include "statements_test.moc"
