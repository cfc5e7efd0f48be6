// SPDX-License-Identifier: Apache-2.0
// The schedules for GPUs among the examples: legal, without races, right by OpenCL and as CUDA's text, with
// barriers, vectors and ways to meet in memory as their first lines say.
#include "core/backend/backend.h"
#include "core/frontend/open_kernel.h"
#include "core/lower/pipeline.h"
#include "core/schedule/script/reader.h"
#include "core/schedule/state_index.h"
#include "core/script/print/printer.h"
#include "core/suggest/device_advice.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"

#include <QtTest>

#include <QTemporaryDir>
#include <filesystem>

using namespace nestwright;

namespace {

ir::Module kernelOf(const std::string &file) { return frontend::openKernel(file).value().module; }

ir::Module scheduled(const ir::Module &kernel, const std::string &script)
{
    const auto state = schedule::makeState(kernel);
    const auto text = frontend::openKernel(script).value().text;
    const auto run = schedule::runScheduleScript(state.value(), text, script);
    if (!run)
        qFatal("%s", run.error().render().c_str());
    return run->state.module;
}

int count(const std::string &text, std::string_view part)
{
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

target::Target cuda() { return *target::parseTarget("cuda -arch=sm_90"); }

} // namespace

class GpuExamplesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QStringList m_rows; ///< "FOLDER/FILE"

    /// The kernel with sizes that are soon interpreted: `smaller` has pairs of texts.
    std::string small(const QString &kernel, const QStringList &smaller)
    {
        if (smaller.isEmpty())
            return kernel.toStdString();
        QFile file("examples/" + kernel);
        if (!file.open(QIODevice::ReadOnly))
            qFatal("no example %s", qPrintable(kernel));
        QString text = QString::fromUtf8(file.readAll());
        for (qsizetype i = 0; i + 1 < smaller.size(); i += 2)
            text.replace(smaller[i], smaller[i + 1]);
        QFile written(m_folder.filePath(kernel.section('/', -1)));
        if (!written.open(QIODevice::WriteOnly))
            qFatal("cannot write %s", qPrintable(written.fileName()));
        written.write(text.toUtf8());
        return written.fileName().toStdString();
    }

private Q_SLOTS:
    void schedules_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<QStringList>("smaller");
        QTest::addColumn<QString>("script");
        QTest::addColumn<int>("barriers");
        QTest::addColumn<int>("shared");  // arrays of the block
        QTest::addColumn<int>("vectors"); // statements of the CUDA text that move four numbers
        QTest::addColumn<QStringList>("costly");
        QString kernel, folder;
        QStringList smaller;
        const auto of = [&](const char *file, const QStringList &sizes, const char *schedules) {
            kernel = QString::fromLatin1(file);
            smaller = sizes;
            folder = QString::fromLatin1(schedules);
        };
        const auto row = [&](const char *file, int barriers, int shared, int vectors,
                             const QStringList &costly = {}) {
            const QString script = folder + '/' + QString::fromLatin1(file);
            m_rows << script;
            QTest::newRow(qPrintable(script))
                << kernel << smaller << script << barriers << shared << vectors << costly;
        };
        const QStringList columns{"A_shared is read with 2-way bank conflicts",
                                  "B_shared is read with 2-way bank conflicts"};
        const QStringList spaced{"A_shared is written with 2-way bank conflicts"};
        const QString scattered =
            QStringLiteral("%1: a warp has 32 sectors of memory read where 4 hold as much");
        of("op:matmul(M=128,N=128,K=32)", {}, "gpu_matmul");
        row("0_one_thread_an_element.py", 0, 0, 0);
        row("1_shared_memory.py", 2, 2, 0);
        row("2_register_tile.py", 2, 2, 0,
            columns + QStringList{"C: a warp has 16 sectors of memory written where 4 hold as much"});
        row("3_vector_loads.py", 2, 2, 3, columns);
        row("4_spaced_rows.py", 2, 2, 4, spaced);
        row("5_warp_per_row.py", 2, 2, 4);
        row("6_double_buffer.py", 1, 2, 6);
        of("gpu/transpose.py", {"1024", "128"}, "gpu_transpose");
        row("0_a_thread_an_element.py", 0, 0, 0, {scattered.arg("A")});
        row("1_shared_tile.py", 1, 1, 0, {"A_shared is read with 32-way bank conflicts"});
        row("2_spaced_rows.py", 1, 1, 0);
        of("row_sum.py", {"M = N = 1024", "M, N = 256, 1024"}, "gpu_row_sum");
        row("0_a_thread_a_row.py", 0, 0, 0, {scattered.arg("A")});
        row("1_a_block_a_row.py", 1, 1, 0);
        row("2_a_warp_a_row.py", 0, 0, 0);
        of("gpu/histogram.py", {"65536, 256", "2048, 64"}, "gpu_histogram");
        row("0_a_thread_a_value.py", 0, 0, 0);
        row("1_a_block_a_value.py", 1, 1, 0);
        row("2_parts_of_the_data.py", 1, 1, 0);
        of("softmax.py", {"M = N = 1024", "M, N = 64, 256"}, "gpu_softmax");
        row("0_a_thread_a_row.py", 0, 0, 0,
            {scattered.arg("A"), "row_exp: a warp has 32 sectors of memory written where 4 hold as much",
             scattered.arg("A"), scattered.arg("row_exp"),
             "B: a warp has 32 sectors of memory written where 4 hold as much", scattered.arg("row_exp")});
        row("1_a_block_a_row.py", 4, 5, 0);
        of("gpu/layer_norm.py", {"M = N = 1024", "M, N = 16, 256"}, "gpu_layer_norm");
        row("0_a_block_a_row.py", 3, 4, 0);
        of("conv2d.py",
           {"3, 224, 224", "3, 32, 32", "out_channels, kernel, padding, stride = 64",
            "out_channels, kernel, padding, stride = 8"},
           "gpu_conv2d");
        row("0_a_thread_an_element.py", 0, 0, 0);
        row("1_four_channels_a_thread.py", 0, 0, 0);
        of("gpu/depthwise.py", {"64, 112, 112", "4, 32, 64"}, "gpu_depthwise");
        row("0_a_thread_an_element.py", 0, 0, 0);
        row("1_shared_tile.py", 1, 1, 0);
    }
    void schedules()
    {
        QFETCH(QString, kernel);
        QFETCH(QStringList, smaller);
        QFETCH(QString, script);
        const std::string path = "examples/schedules/" + script.toStdString();
        const ir::Module given = kernelOf(small(kernel, smaller)), module = scheduled(given, path);
        const ir::Module threads = lower::lowerToThreads(module, cuda()).value();
        QVERIFY(tests::checkEquivalent(given, threads, {.findRaces = true}));
        const std::string text = script::print(threads).text;
        QTEST(count(text, "T.tvm_storage_sync"), "barriers");
        QTEST(count(text, "scope=\"shared\""), "shared");
        QStringList costly;
        const auto accesses = suggest::deviceAccesses(module, cuda());
        for (const analysis::WarpAccess &access : accesses.value()) {
            if (const std::string sentence = suggest::accessSentence(access); !sentence.empty())
                costly << QString::fromStdString(sentence);
        }
        QTEST(costly, "costly");
        const auto source = backend::source(module, cuda(), backend::SourceKind::Cuda);
        QTEST(count(source.value().text, "= *(const uint4 *)"), "vectors");
        for (const char *target : {"opencl", "cuda"}) {
            if (!backend::isBuilt(target::parseTarget(target)->kind))
                continue;
            const auto why = tests::whyNotCompiledRight(*given.mainEntry()->function, module, target, {});
            QVERIFY2(!why, why.value_or("").c_str());
        }
    }

    /// With the sizes that the examples open with: NVRTC takes them, and keeps all in registers.
    void wholeSizes_data() { schedules_data(); }
    void wholeSizes()
    {
        QFETCH(QString, kernel);
        QFETCH(QString, script);
        const std::string file =
            kernel.startsWith(QStringLiteral("op:")) ? "matmul.py" : kernel.toStdString();
        const ir::Module module =
            scheduled(kernelOf("examples/" + file), "examples/schedules/" + script.toStdString());
        const auto kernels = backend::kernelResources(module, cuda());
        if (!kernels && kernels.error().code == "cuda.no-compiler")
            QSKIP("NVRTC is not here");
        QVERIFY2(kernels, kernels ? "" : kernels.error().render().c_str());
        for (const backend::KernelResources &resources : *kernels) {
            QCOMPARE(resources.spillStores + resources.spillLoads, std::int64_t{0});
            QVERIFY(resources.registers <= 128);
        }
    }

    void everyScheduleIsHere()
    {
        QStringList found;
        for (const auto &folder : std::filesystem::directory_iterator("examples/schedules")) {
            if (!folder.path().filename().string().starts_with("gpu_"))
                continue;
            for (const auto &file : std::filesystem::directory_iterator(folder.path()))
                found << QString::fromStdString((folder.path().filename() / file.path().filename()).string());
        }
        found.sort();
        QStringList rows = m_rows;
        rows.sort();
        rows.removeDuplicates();
        QCOMPARE(found, rows);
    }
};

QTEST_GUILESS_MAIN(GpuExamplesTest)
#include "gpu_examples_test.moc"
