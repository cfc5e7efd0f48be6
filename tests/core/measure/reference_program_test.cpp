// SPDX-License-Identifier: Apache-2.0
/// The program that results are compared with: on this processor, without threads, unless threads meet.
#include "core/backend/backend.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/measure/verify/reference_program.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using target::TargetKind;

namespace {

/// `body` under a loop over threads of a kernel of 32 elements.
ir::Module withThreads(const std::string &body)
{
    return tests::parsed("@T.prim_func\n"
                         "def main(A: T.Buffer((32,), \"float32\"), B: T.Buffer((32,), \"float32\")):\n"
                         "    for i in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
                         + body);
}

int threadLoops(const ir::Module &module)
{
    int count = 0;
    ir::forEachStmt(module.mainEntry()->function->body, [&](const ir::Stmt &s) {
        const auto *loop = s.as<ir::For>();
        count += loop && (loop->forKind == ir::ForKind::ThreadBinding || !loop->thread.empty()) ? 1 : 0;
        return true;
    });
    return count;
}

} // namespace

class ReferenceProgramTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Even where the program's own file gives its arithmetic freedom.
    void itsArithmeticIsExact()
    {
        const auto plain = tests::parsed(R"(
@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    T.func_attr({"fast_math": 1})
    with T.block("root"):
        T.block_attr({"fast_math": 1})
        for i in range(8):
            with T.block("A"):
                vi = T.axis.spatial(8, i)
                A[vi] = A[vi] + T.float32(1)
)");
        QVERIFY(ir::allowsFastMath(*plain.mainEntry()->function));
        const auto program = measure::referenceProgram(plain, target::Target());
        QVERIFY(!ir::allowsFastMath(*program.module.mainEntry()->function));
        QVERIFY(ir::allowsFastMath(*plain.mainEntry()->function));
    }

    void threadsBecomeLoopsOnTheProcessor()
    {
        target::Target device = *target::parseTarget("cuda -arch=sm_90");
        device.threads = 3;
        const ir::Module module = withThreads("        B[i] = A[i] + T.float32(1)\n");
        QCOMPARE(threadLoops(module), 1);
        const measure::ReferenceProgram reference = measure::referenceProgram(module, device);
        const bool isHere = backend::isBuilt(TargetKind::Llvm);
        QCOMPARE(reference.target.kind, isHere ? TargetKind::Llvm : TargetKind::Cuda);
        QCOMPARE(reference.target.threads, 3);
        QCOMPARE(threadLoops(reference.module), isHere ? 0 : 1);
    }

    void threadsThatMeetStayOnTheDevice_data()
    {
        QTest::addColumn<QString>("body");
        QTest::newRow("a barrier") << "        T.tvm_storage_sync(\"shared\")\n        B[i] = A[i]\n";
        QTest::newRow("an exchange")
            << "        B[i] = T.tvm_warp_shuffle_down(T.uint32(4294967295), A[i], 1, 32, 32)\n";
        QTest::newRow("behind another statement")
            << "        B[i] = A[i]\n        T.tvm_storage_sync(\"shared\")\n";
    }
    void threadsThatMeetStayOnTheDevice()
    {
        QFETCH(QString, body);
        const auto target = target::parseTarget("opencl");
        const measure::ReferenceProgram reference =
            measure::referenceProgram(withThreads(body.toStdString()), *target);
        QCOMPARE(reference.target, *target);
        QCOMPARE(threadLoops(reference.module), 1);
    }
};

QTEST_GUILESS_MAIN(ReferenceProgramTest)
#include "reference_program_test.moc"
