// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/te_script.h"
#include "core/ir/build/custom_intrinsics.h"
#include "core/lower/custom_intrinsics.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"

#include <QtTest>

using namespace nestwright;

namespace {

/// A kernel of an intrinsic of its own, with a rule for `target`.
std::string kernel(const std::string &target)
{
    return "import tvm\nfrom tvm import te\n"
           "def mylog(x):\n"
           "    return tvm.tir.call_intrin(x.dtype, \"tir.mylog\", x)\n"
           "def rule(op):\n"
           "    if op.dtype == \"float32\":\n"
           "        return tvm.tir.log(op.args[0]) * tvm.tir.const(2, \"float32\")\n"
           "    return op\n"
           "tvm.ir.register_op_attr(\"tir.mylog\", \"TCallEffectKind\", tvm.tir.CallEffectKind.Pure)\n"
           "tvm.ir.register_intrin_lowering(\"tir.mylog\", target=\""
           + target
           + "\", f=rule, level=99)\n"
             "A = te.placeholder((8,), name=\"A\")\n"
             "B = te.compute((8,), lambda i: mylog(A[i]), name=\"B\")\n"
             "s = te.create_schedule(B.op)\n";
}

ir::Module moduleOf(const std::string &text)
{
    const auto script = te::readTeScript(text, "k.py");
    if (!script)
        qFatal("%s", script.error().render().c_str());
    return script->module;
}

support::Result<ir::Module> loweredFor(const ir::Module &module, std::string_view target)
{
    return lower::lowerCustomIntrinsics(module, *target::parseTarget(target));
}

} // namespace

class CustomIntrinsicsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theRuleOfTheTargetIsPutInPlace()
    {
        const ir::Module module = moduleOf(kernel("llvm"));
        const std::string text = script::print(module).text;
        QVERIFY2(text.contains("T.call_intrin(\"float32\", \"tir.mylog\", A[v_i])"), text.c_str());
        const auto lowered = loweredFor(module, "llvm");
        QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
        const std::string after = script::print(*lowered).text;
        QVERIFY2(after.contains("B[v_i] = T.log(A[v_i]) * T.float32(2.0)"), after.c_str());
        // The rules stay with the kernel through its text, as sessions keep it.
        const auto again = script::parseTvmScript(text, "k.py");
        QVERIFY2(again, again ? "" : again.error().render().c_str());
        QCOMPARE(script::print(*loweredFor(*again, "llvm")).text, after);
    }

    void defaultIsForTargetsWithoutARuleOfTheirOwn()
    {
        const ir::Module module = moduleOf(kernel("default"));
        for (const char *target : {"llvm", "c", "opencl", "cuda"})
            QVERIFY(loweredFor(module, target));
    }

    /// `log` of a float32 is C's function of doubles on a processor, and one of many on a device.
    void functionsOfMathAreOverloadedOnDevices()
    {
        std::string text = kernel("default");
        const std::string intrinsic = "tvm.tir.log(op.args[0])";
        text.replace(text.find(intrinsic), intrinsic.size(),
                     "tvm.tir.call_pure_extern(\"float32\", \"log\", op.args[0])");
        const ir::Module module = moduleOf(text);
        for (const char *target : {"opencl", "cuda"}) {
            const std::string after = script::print(*loweredFor(module, target)).text;
            QVERIFY2(after.contains("B[v_i] = T.log(A[v_i]) * T.float32(2.0)"), after.c_str());
        }
        const std::string after = script::print(*loweredFor(module, "llvm")).text;
        QVERIFY2(after.contains("T.call_pure_extern(\"float32\", \"log\", A[v_i])"), after.c_str());
        const auto other = script::parseTvmScript("@T.prim_func\ndef main(A: T.Buffer((8,), \"float32\")):\n"
                                                  "    for i in range(8):\n        A[i] = T.call_pure_extern("
                                                  "\"float32\", \"own\", A[i])\n",
                                                  "k.py");
        QVERIFY(script::print(*loweredFor(*other, "cuda")).text.contains("\"own\""));
    }

    void theHighestLevelCounts()
    {
        const std::string more = "tvm.ir.register_intrin_lowering(\"tir.mylog\", target=\"llvm\", "
                                 "f=lambda op: tvm.tir.exp(op.args[0]), level=";
        const auto text = [&](const std::string &level) {
            return script::print(*loweredFor(moduleOf(kernel("llvm") + more + level + ")\n"), "llvm")).text;
        };
        QVERIFY(text("100").contains("T.exp(A[v_i])"));
        QVERIFY(text("98").contains("T.log(A[v_i])"));
    }

    void withoutARuleItSaysWhatToDo()
    {
        const auto refused = lower::lower(moduleOf(kernel("opencl")), *target::parseTarget("llvm"));
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("lower.no-rule"));
        QVERIFY(refused.error().message.contains("the intrinsic \"mylog\" for llvm"));
        QVERIFY2(refused.error().hint.contains("a rule for opencl"), refused.error().hint.c_str());
        QVERIFY(loweredFor(moduleOf(kernel("opencl")), "opencl"));
        std::string none = kernel("llvm");
        none.erase(none.find("tvm.ir.register_intrin_lowering"),
                   none.find("A = te") - none.find("tvm.ir.register_intrin"));
        const auto unknown = loweredFor(moduleOf(none), "c");
        QVERIFY(!unknown && unknown.error().hint.contains("target=\"c\""));
    }

    /// The reducer of threads that reduce together is no value.
    void whatAttributesAreAboutNeedsNoRule()
    {
        const auto module = script::parseTvmScript(R"(
@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((1,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        with T.decl_buffer((1,), scope="local") as sum:
            with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", 0):
                T.tvm_thread_allreduce(T.uint32(1), A[t], T.bool(True), sum[0], t)
            if t == 0:
                B[0] = sum[0]
)",
                                                   "k.py");
        QVERIFY2(module, module ? "" : module.error().render().c_str());
        target::Target target;
        target.kind = target::TargetKind::Cuda;
        const auto lowered = lower::lower(*module, target, {});
        QVERIFY2(lowered, lowered ? "" : lowered.error().render().c_str());
        QVERIFY(script::print(lowered->module).text.contains("T.tvm_warp_shuffle_down("));
    }

    /// A rule that gives its call back has nothing to say of this type.
    void aRuleMayLeaveTypesOut()
    {
        std::string halves = kernel("llvm");
        halves.replace(halves.find("(8,), name=\"A\""), 14, "(8,), \"float16\", name=\"A\"");
        QVERIFY(!loweredFor(moduleOf(halves), "llvm"));
    }

    void aRuleOfAnotherTypeIsRefused()
    {
        std::string wrong = kernel("llvm");
        const std::string product = "tvm.tir.log(op.args[0]) * tvm.tir.const(2, \"float32\")";
        wrong.replace(wrong.find(product), product.size(), "tvm.tir.const(2, \"int32\")");
        const auto script = te::readTeScript(wrong, "k.py");
        QVERIFY(!script);
        QCOMPARE(script.error().code, std::string("te.intrinsic-rule"));
        QCOMPARE(script.error().locations[0].line, 10);
    }
};

QTEST_GUILESS_MAIN(CustomIntrinsicsTest)
#include "custom_intrinsics_test.moc"
