// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/verify/verify.h"
#include "core/ir/node/equality.h"
#include "core/schedule/intrin/tensor_intrin.h"
#include "core/schedule/script/trace_json.h"
#include "core/schedule/script/writer.h"
#include "core/script/print/printer.h"
#include "tests/support/check.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

/// Four products added to each of four sums; the implementation does it the other way round.
constexpr const char *fourByFour = R"(
@T.prim_func
def description(A: T.Buffer((4,), "int32", offset_factor=1), B: T.Buffer((4, 4), "int32", offset_factor=1),
                C: T.Buffer((4,), "int32", offset_factor=1)):
    with T.block("root"):
        T.reads(C[0:4], A[0:4], B[0:4, 0:4])
        T.writes(C[0:4])
        for i, k in T.grid(4, 4):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                C[vi] = C[vi] + A[vk] * B[vi, vk]

@T.prim_func
def implementation(A: T.Buffer((4,), "int32", offset_factor=1), B: T.Buffer((4, 4), "int32", offset_factor=1),
                   C: T.Buffer((4,), "int32", offset_factor=1)):
    with T.block("root"):
        T.reads(C[0:4], A[0:4], B[0:4, 0:4])
        T.writes(C[0:4])
        T.block_attr({"done": "by hand"})
        for i in range(4):
            C[i] = C[i] + (B[i, 3] * A[3] + B[i, 2] * A[2] + B[i, 1] * A[1] + B[i, 0] * A[0])
)";

/// Products of rows of A with columns of B, which lie in tiles.
constexpr const char *product = R"(
@T.prim_func
def main(A: T.Buffer((8, 12), "int32"), B: T.Buffer((2, 3, 4, 4), "int32"), C: T.Buffer((8, 8), "int32")):
    for i, j, k in T.grid(8, 8, 12):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = 0
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj // 4, vk // 4, vj % 4, vk % 4]
)";

constexpr const char *tiles = R"(
i, j, k = sch.get_loops("C")
j0, j1 = sch.split(j, [None, 4])
k0, k1 = sch.split(k, [None, 4])
sch.reorder(i, j0, k0, j1, k1)
sch.decompose_reduction("C", k0)
)";

schedule::State stateOf(std::string_view program, std::string_view intrinText = fourByFour)
{
    schedule::State state = scheduled(program);
    const auto intrin = schedule::readTensorIntrin(intrinText, "intrin.py");
    if (!intrin)
        qFatal("%s", intrin.error().render().c_str());
    schedule::TensorIntrins intrins;
    intrins["mine"] = *intrin;
    state.intrins = std::make_shared<const schedule::TensorIntrins>(intrins);
    return state;
}

} // namespace

class TensorizeTest : public QObject {
    Q_OBJECT

    /// Runs the steps with the checks of checkPrimitive.
    schedule::ScriptRun checked(const schedule::State &state, const std::string &script)
    {
        const auto run = schedule::runScheduleScript(state, script, "steps.py");
        if (!run) {
            QTest::qFail(run.error().render().c_str(), __FILE__, __LINE__);
            return {state, {}};
        }
        if (const std::string wrong = firstFault(state, *run); !wrong.empty())
            QTest::qFail(wrong.c_str(), __FILE__, __LINE__);
        return *run;
    }

    void refused(const std::string &script, const char *code, const std::string &part = {})
    {
        const schedule::State state = stateOf(product);
        const auto run = schedule::runScheduleScript(state, script, "steps.py");
        QVERIFY(!run);
        QCOMPARE(run.error().code, code);
        QVERIFY2((run.error().message + run.error().hint).contains(part), run.error().render().c_str());
    }

private Q_SLOTS:
    void aLoop()
    {
        const auto run = checked(stateOf(product), std::string(tiles) + "sch.tensorize(j1, 'mine')");
        const ir::Module expected = parsed(R"(
@T.prim_func
def main(A: T.Buffer((8, 12), "int32"), B: T.Buffer((2, 3, 4, 4), "int32"), C: T.Buffer((8, 8), "int32")):
    for i, j_0 in T.grid(8, 2):
        for j_1_init in range(4):
            with T.block("C_init"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.spatial(8, j_0 * 4 + j_1_init)
                T.reads()
                T.writes(C[vi, vj])
                C[vi, vj] = 0
        for k_0 in range(3):
            with T.block("C_update_o"):
                vi_o, vj_o, vk_o = T.axis.remap("SSR", [i, j_0, k_0])
                T.reads(C[vi_o, vj_o * 4:vj_o * 4 + 4], A[vi_o, vk_o * 4:vk_o * 4 + 4],
                        B[vj_o, vk_o, 0:4, 0:4])
                T.writes(C[vi_o, vj_o * 4:vj_o * 4 + 4])
                T.block_attr({"done": "by hand"})
                A_1 = T.match_buffer(A[vi_o, vk_o * 4:vk_o * 4 + 4], (4,), "int32", offset_factor=1)
                B_1 = T.match_buffer(B[vj_o, vk_o, 0:4, 0:4], (4, 4), "int32", offset_factor=1)
                C_1 = T.match_buffer(C[vi_o, vj_o * 4:vj_o * 4 + 4], (4,), "int32", offset_factor=1)
                for i_1 in range(4):
                    C_1[i_1] = (C_1[i_1]
                                + (B_1[i_1, 3] * A_1[3] + B_1[i_1, 2] * A_1[2] + B_1[i_1, 1] * A_1[1]
                                   + B_1[i_1, 0] * A_1[0]))
)");
        const auto difference = ir::firstDifference(expected, run.state.module);
        QVERIFY2(!difference, difference ? difference->c_str() : "");
    }

    void aBlock()
    {
        checked(stateOf(product), std::string(tiles) + "b = sch.blockize(j1)\nsch.tensorize(b, 'mine')");
    }

    void severalTimes()
    {
        checked(stateOf(R"(
@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4, 4), "int32"), C: T.Buffer((4,), "int32"),
         D: T.Buffer((4,), "int32")):
    for i, k in T.grid(4, 4):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = 0
            C[vi] = C[vi] + A[vk] * B[vi, vk]
    for i, k in T.grid(4, 4):
        with T.block("D"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                D[vi] = 0
            D[vi] = D[vi] + C[vk] * B[vi, vk]
)"),
                R"(
for_c, for_d = sch.get_loops("C")[0], sch.get_loops("D")[0]
sch.decompose_reduction("C", for_c)
sch.decompose_reduction("D", for_d)
sch.tensorize(for_c, "mine")
sch.tensorize(for_d, "mine")
)");
    }

    void refusals()
    {
        const std::string steps = tiles;
        refused(steps + "sch.tensorize(k1, 'mine')", "schedule.intrinsic-mismatch", "elements");
        refused(steps + "sch.tensorize(j1, 'dot_16x4_vnni')", "schedule.intrinsic-mismatch", "16");
        refused(steps + "sch.tensorize(j1, 'dot_16x4_vni')", "schedule.unknown-intrinsic", "dot_16x4_vnni");
        refused("sch.tensorize('C', 'mine')", "schedule.intrinsic-mismatch");
        refused("i, j, k = sch.get_loops('C')\nsch.tensorize(j, 'mine')", "schedule.intrinsic-mismatch",
                "elements");
        refused("sch.tensorize(sch.get_block('root'), 'mine')", "schedule.root-block");
    }

    /// The implementation's indices have 64 bits where the program's have.
    void wideIndices()
    {
        const auto run = checked(stateOf(R"(
@T.prim_func
def main(A: T.Buffer((T.int64(8), T.int64(4)), "int32"), B: T.Buffer((T.int64(4), T.int64(4)), "int32"),
         C: T.Buffer((T.int64(8), T.int64(4)), "int32")):
    for i, j, k in T.grid(T.int64(8), T.int64(4), T.int64(4)):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]
)"),
                                 "sch.tensorize(sch.get_loops('C')[1], 'mine')");
        const ir::Module expected = parsed(R"(
@T.prim_func
def main(A: T.Buffer((T.int64(8), T.int64(4)), "int32"), B: T.Buffer((T.int64(4), T.int64(4)), "int32"),
         C: T.Buffer((T.int64(8), T.int64(4)), "int32")):
    for i in range(T.int64(8)):
        with T.block("C_o"):
            vi_o = T.axis.spatial(T.int64(8), i)
            vj_o = T.axis.spatial(T.int64(1), T.int64(0))
            vk_o = T.axis.reduce(T.int64(1), T.int64(0))
            T.reads(C[vi_o, T.int64(0):T.int64(4)], A[vi_o, T.int64(0):T.int64(4)],
                    B[T.int64(0):T.int64(4), T.int64(0):T.int64(4)])
            T.writes(C[vi_o, T.int64(0):T.int64(4)])
            T.block_attr({"done": "by hand"})
            A_1 = T.match_buffer(A[vi_o, T.int64(0):T.int64(4)], (T.int64(4),), "int32", offset_factor=1)
            B_1 = T.match_buffer(B[T.int64(0):T.int64(4), T.int64(0):T.int64(4)], (T.int64(4), T.int64(4)),
                                 "int32", offset_factor=1)
            C_1 = T.match_buffer(C[vi_o, T.int64(0):T.int64(4)], (T.int64(4),), "int32", offset_factor=1)
            for i_1 in range(T.int64(4)):
                C_1[i_1] = (C_1[i_1]
                            + (B_1[i_1, T.int64(3)] * A_1[T.int64(3)] + B_1[i_1, T.int64(2)] * A_1[T.int64(2)]
                               + B_1[i_1, T.int64(1)] * A_1[T.int64(1)]
                               + B_1[i_1, T.int64(0)] * A_1[T.int64(0)]))
)");
        const auto difference = ir::firstDifference(run.state.module, expected);
        QVERIFY2(!difference, difference ? difference->c_str() : "");
    }

    void files()
    {
        const auto code = [](const std::string &text) {
            const auto read = schedule::readTensorIntrin(text, "f.py");
            return read ? std::string() : read.error().code;
        };
        const std::string good = fourByFour;
        QCOMPARE(code(good), "");
        QCOMPARE(code(good.substr(0, good.find("@T.prim_func", 20))), "intrin.file");
        QCOMPARE(code(std::string(good).replace(good.rfind("int32"), 5, "int16")), "intrin.file");
        QVERIFY(!code("def f(").empty());
    }

    void standardOnesAreWellFormed()
    {
        const auto names = schedule::standardIntrinNames();
        QVERIFY(std::ranges::contains(names, "dot_16x4_vnni"));
        QVERIFY(std::ranges::contains(names, "dot_4x4_i8i8s32_sdot"));
        QVERIFY(std::ranges::contains(names, "wmma_load_16x16x16_f16_b_trans_shared_dyn"));
        for (const std::string_view name :
             {"sdot4", "dot_32x4_u8u8i32_vrmpy", "dot_32x4_u8i8i32_vrmpy", "dot_product_32x2_i16i16i32_vdmpy",
              "mma_ldmatrix_f16_a_trans_dyn", "mma_ldmatrix_bf16_b", "mma_ldmatrix_i8_b_trans",
              "mma_f16f16f16_trans_a_trans_b", "mma_bf16bf16f32", "mma_i8i8i32_trans_b", "mma_e4m3e4m3f32",
              "mma_fill_16x16_i32", "mma_store_16x16_f32_global_", "mma_store_16x16_f16_shared_dyn_simple_"})
            QVERIFY2(std::ranges::contains(names, name), name.data());
        for (const std::string_view name : names) {
            const schedule::TensorIntrin *intrin = schedule::findStandardIntrin(name);
            QVERIFY(intrin);
            for (const ir::Function &function : {intrin->description, intrin->implementation}) {
                const ir::Module module({{"main", function}});
                const ir::Module again = parsed(script::print(module).text);
                const auto difference = ir::firstDifference(module, again);
                QVERIFY2(!difference, difference ? difference->c_str() : "");
            }
        }
        QVERIFY(!schedule::findStandardIntrin("nothing"));
    }
};

QTEST_GUILESS_MAIN(TensorizeTest)
#include "tensorize_test.moc"
