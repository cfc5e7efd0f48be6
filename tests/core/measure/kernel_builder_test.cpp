// SPDX-License-Identifier: Apache-2.0
#include "core/measure/build/kernel_builder.h"

#include "core/backend/backend.h"
#include "tests/support/programs.h"

#include <QTest>

using namespace nestwright;
using measure::BuildTask;
using measure::KernelBuilder;

namespace {

/// Adds a number to each of eight elements.
BuildTask adding(int number)
{
    const std::string text = "@T.prim_func\ndef main(A: T.Buffer((8,)), B: T.Buffer((8,))):\n"
                             "    for i in range(8):\n        with T.block(\"B\"):\n"
                             "            v = T.axis.spatial(8, i)\n            B[v] = A[v] + T.float32("
                             + std::to_string(number) + ")\n";
    return {.module = tests::parsed(text), .function = "main", .target = {}};
}

} // namespace

class KernelBuilderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!backend::isBuilt(target::TargetKind::Llvm))
            QSKIP("built without LLVM");
    }

    void manyAtOnceEachInItsPlace()
    {
        KernelBuilder builder;
        std::vector<BuildTask> tasks;
        for (int i = 0; i < 12; ++i)
            tasks.push_back(adding(i % 4));
        const auto kernels = builder.build(tasks);
        QCOMPARE(kernels.size(), tasks.size());
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            QVERIFY2(kernels[i], kernels[i] ? "" : kernels[i].error().render().c_str());
            QCOMPARE(kernels[i]->content, kernels[i % 4]->content);
            QCOMPARE(kernels[i]->content, builder.build(adding(static_cast<int>(i % 4)))->content);
            QCOMPARE(kernels[i]->entry, std::string("main"));
        }
        QVERIFY(kernels[0]->content != kernels[1]->content);
    }

    void eachKeepsItsOwnError()
    {
        KernelBuilder builder;
        BuildTask wrong = adding(1);
        wrong.target.mcpu = "no-such-processor";
        const std::vector<BuildTask> tasks{adding(0), wrong, adding(2)};
        const auto kernels = builder.build(tasks);
        QVERIFY(kernels[0] && kernels[2]);
        QVERIFY(!kernels[1]);
        QCOMPARE(kernels[1].error().code, std::string("target.option"));
    }

    void otherTargetsAreOtherKernels()
    {
        KernelBuilder builder;
        BuildTask narrow = adding(1);
        narrow.target.mattr = "-avx512f,-avx2,-avx";
        const auto wide = builder.build(adding(1)), other = builder.build(narrow);
        QVERIFY(wide && other);
        QVERIFY(wide->artifact.target != other->artifact.target);
    }

    void cancelled()
    {
        KernelBuilder builder;
        std::stop_source stop;
        stop.request_stop();
        const std::vector<BuildTask> tasks{adding(0), adding(1)};
        for (const auto &kernel : builder.build(tasks, stop.get_token())) {
            QVERIFY(!kernel);
            QCOMPARE(kernel.error().code, std::string("cancelled"));
        }
    }
};

QTEST_GUILESS_MAIN(KernelBuilderTest)
#include "kernel_builder_test.moc"
