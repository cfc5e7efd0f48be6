// SPDX-License-Identifier: Apache-2.0
// The ladder of a matrix product on a GPU: legal, without races, right by OpenCL, and no more than needed.
#include "core/backend/backend.h"
#include "core/schedule/script/reader.h"
#include "core/schedule/state_index.h"
#include "core/script/printer.h"
#include "core/session/open_kernel.h"
#include "tests/support/backends.h"
#include "tests/support/check.h"
#include "tests/support/passes.h"

#include <QtTest>

#include <filesystem>

using namespace nestwright;

namespace {

ir::Module scheduled(const std::string &kernel, const std::string &rung)
{
    const auto opened = session::openKernel(kernel), script = session::openKernel(rung);
    const auto state = schedule::makeState(opened.value().module);
    return schedule::runScheduleScript(state.value(), script.value().text, rung).value().state.module;
}

int count(const std::string &text, std::string_view part)
{
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

} // namespace

class GpuLadderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rung_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("barriers");
        QTest::addColumn<int>("shared");
        QTest::newRow("one thread an element") << "0_one_thread_an_element.py" << 0 << 0;
        QTest::newRow("shared memory") << "1_shared_memory.py" << 2 << 2;
        QTest::newRow("register tile") << "2_register_tile.py" << 2 << 2;
    }
    void rung()
    {
        QFETCH(QString, file);
        QFETCH(int, barriers);
        QFETCH(int, shared);
        const std::string rung = "examples/schedules/gpu_matmul/" + file.toStdString();
        const std::string small = "op:matmul(M=64,N=64,K=32)";
        const ir::Module kernel = session::openKernel(small).value().module;
        const ir::Module module = scheduled(small, rung), threads = tests::asThreadsRun(module);
        QVERIFY(tests::checkEquivalent(kernel, threads, {.findRaces = true}));
        const std::string text = script::print(threads).text;
        QCOMPARE(count(text, "T.tvm_storage_sync"), barriers);
        QCOMPARE(count(text, "scope=\"shared\""), shared);
        if (backend::isBuilt(lower::TargetKind::OpenCl)) {
            const auto why = tests::whyNotCompiledRight(*kernel.mainEntry()->function, module, "opencl", {});
            QVERIFY2(!why, why.value_or("").c_str());
        }
        const auto why = tests::whyNotCompiledRight(*kernel.mainEntry()->function, module, "cuda", {});
        QVERIFY2(!why, why.value_or("").c_str());
        scheduled("examples/matmul.py", rung); // legal there too
    }

    void everyRungIsHere()
    {
        int files = 0;
        for (const auto &entry : std::filesystem::directory_iterator("examples/schedules/gpu_matmul"))
            files += entry.path().extension() == ".py" ? 1 : 0;
        QCOMPARE(files, 3);
    }
};

QTEST_GUILESS_MAIN(GpuLadderTest)
#include "gpu_ladder_test.moc"
