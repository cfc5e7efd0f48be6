// SPDX-License-Identifier: Apache-2.0
// Schedules that are legal because their author promised something that is not so, and intrinsics whose
// implementation does another thing than its description: none is called verified. Each of them is made right
// by one change, with which it is.
#include "core/schedule/script/reader.h"
#include "tests/core/measure/verified_variants.h"
#include "tests/support/check_primitive.h"

using namespace nestwright;
using namespace nestwright::tests;
using measure::Failure;
using measure::Measurement;

namespace {

constexpr const char *bytes = R"(
@T.prim_func
def main(A: T.Buffer((16, 256), "int8"), B: T.Buffer((256,), "int8"), C: T.Buffer((16,), "int32")):
    for i, k in T.grid(16, 256):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = 0
            C[vi] = C[vi] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk])
)";

constexpr const char *product = R"(
@T.prim_func
def main(A: T.Buffer((16, 64), "float32"), B: T.Buffer((64, 16), "float32"),
         C: T.Buffer((16, 16), "float32")):
    for i, j, k in T.grid(16, 16, 64):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

constexpr const char *wide = R"(
@T.prim_func
def main(A: T.Buffer((16, 64), "float64"), C: T.Buffer((16,), "float64")):
    for i, k in T.grid(16, 64):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float64(0)
            C[vi] = C[vi] + A[vi, vk]
)";

constexpr const char *integers = R"(
@T.prim_func
def main(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    B = T.alloc_buffer((64,), "int32")
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] * 2
    for i in range(64):
        with T.block("C"):
            vi = T.axis.spatial(64, i)
            C[vi] = T.max(B[vi], 1) + 1
)";

constexpr const char *floats = R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    B = T.alloc_buffer((64,), "float32")
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] * T.float32(3)
    for i in range(64):
        with T.block("C"):
            vi = T.axis.spatial(64, i)
            C[vi] = B[vi] + T.float32(1)
)";

constexpr const char *tail = R"(
@T.prim_func
def main(A: T.Buffer((37,), "float32"), C: T.Buffer((37,), "float32")):
    for i in range(37):
        with T.block("C"):
            vi = T.axis.spatial(37, i)
            C[vi] = A[vi] + T.float32(1)
)";

constexpr const char *stencil = R"(
@T.prim_func
def main(A: T.Buffer((66,), "float32"), C: T.Buffer((64,), "float32")):
    B = T.alloc_buffer((66,), "float32")
    for i in range(66):
        with T.block("B"):
            vi = T.axis.spatial(66, i)
            B[vi] = A[vi] * T.float32(2)
    for i in range(64):
        with T.block("C"):
            vi = T.axis.spatial(64, i)
            C[vi] = B[vi] + B[vi + 1] + B[vi + 2]
)";

constexpr const char *exponential = R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    B = T.alloc_buffer((64,), "float32")
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = T.exp(A[vi])
    for i in range(64):
        with T.block("C"):
            vi = T.axis.spatial(64, i)
            C[vi] = B[vi] + T.float32(1)
)";

/// Steps of a schedule, and those that differ from it by what makes it right.
struct Row {
    const char *name, *program, *wrong, *right;
};

constexpr Row schedules[] = {
    {"a tail that is not guarded", tail,
     "sch.split(sch.get_loops('C')[0], [None, 8], disable_predication=True)",
     "sch.split(sch.get_loops('C')[0], [None, 8])"},
    {"a tail of whole lines that is not guarded", tail,
     "sch.split(sch.get_loops('C')[0], [None, 64], disable_predication=True)",
     "sch.split(sch.get_loops('C')[0], [None, 64])"},
    {"pages of a tail that is not guarded", tail,
     "sch.split(sch.get_loops('C')[0], [None, 4000], disable_predication=True)",
     "sch.split(sch.get_loops('C')[0], [None, 4000])"},
    {"sums of bytes in sixteen bits", bytes,
     "b = sch.cache_write('C', 0, 'local')\nsch.unsafe_set_dtype('C', 0, 'int16')",
     "b = sch.cache_write('C', 0, 'local')\nsch.unsafe_set_dtype('C', 0, 'int64')"},
    {"sums of bytes without a sign", bytes,
     "b = sch.cache_write('C', 0, 'local')\nsch.unsafe_set_dtype('C', 0, 'uint16')",
     "b = sch.cache_write('C', 0, 'local')"},
    {"sums in half precision", product,
     "b = sch.cache_write('C', 0, 'local')\nsch.unsafe_set_dtype('C', 0, 'float16')",
     "b = sch.cache_write('C', 0, 'local')\nsch.unsafe_set_dtype('C', 0, 'float64')"},
    {"sums in bfloat16", product,
     "b = sch.cache_write('C', 0, 'local')\nsch.unsafe_set_dtype('C', 0, 'bfloat16')",
     "b = sch.cache_write('C', 0, 'local')"},
    {"factors in half precision", product,
     "a = sch.cache_read('C', 0, 'local')\nsch.unsafe_set_dtype(a, 0, 'float16')",
     "a = sch.cache_read('C', 0, 'local')\nsch.unsafe_set_dtype(a, 0, 'float64')"},
    {"sums of doubles in single precision", wide,
     "b = sch.cache_write('C', 0, 'local')\nsch.unsafe_set_dtype('C', 0, 'float32')",
     "b = sch.cache_write('C', 0, 'local')"},
    {"doubles copied in single precision", wide,
     "a = sch.cache_read('C', 0, 'local')\nsch.unsafe_set_dtype(a, 0, 'float32')",
     "a = sch.cache_read('C', 0, 'local')"},
    {"partial sums in half precision", product,
     "i, j, k = sch.get_loops('C')\nko, ki = sch.split(k, [None, 4])\nr = sch.rfactor(ko, 0)\n"
     "sch.unsafe_set_dtype(r, 0, 'float16')",
     "i, j, k = sch.get_loops('C')\nko, ki = sch.split(k, [None, 4])\nr = sch.rfactor(ko, 0)"},
    {"integers kept in a byte", integers, "sch.unsafe_set_dtype('B', 0, 'int8')",
     "sch.unsafe_set_dtype('B', 0, 'int64')"},
    {"integers kept in sixteen bits", integers, "sch.unsafe_set_dtype('B', 0, 'int16')",
     "sch.get_block('B')"},
    {"integers kept without a sign", integers,
     "sch.unsafe_set_dtype('B', 0, 'uint16')\nsch.parallel(sch.get_loops('B')[0])",
     "sch.parallel(sch.get_loops('B')[0])"},
    {"integers kept as halves", integers, "sch.unsafe_set_dtype('B', 0, 'float16')",
     "sch.unsafe_set_dtype('B', 0, 'float64')"},
    {"floats kept as integers", floats, "sch.unsafe_set_dtype('B', 0, 'int32')",
     "sch.unsafe_set_dtype('B', 0, 'float64')"},
    {"floats kept as halves", floats, "sch.unsafe_set_dtype('B', 0, 'float16')", "sch.get_block('B')"},
    {"floats kept in eight bits", floats, "sch.unsafe_set_dtype('B', 0, 'float8_e4m3fn')",
     "sch.compute_inline('B')"},
    {"an exponential kept as a half", exponential, "sch.unsafe_set_dtype('B', 0, 'float16')",
     "sch.unsafe_set_dtype('B', 0, 'float64')"},
    {"a region that is too small", stencil,
     "sch.annotate_buffer_access('C', 0, 'read', lambda i: [(i, i + 1)])\n"
     "sch.compute_at('B', sch.get_loops('C')[0])",
     "sch.annotate_buffer_access('C', 0, 'read', lambda i: [(i, i + 3)])\n"
     "sch.compute_at('B', sch.get_loops('C')[0])"},
    {"a region that lacks its end", stencil,
     "sch.annotate_buffer_access('C', 0, 'read', lambda i: [(i, i + 2)])\n"
     "sch.compute_at('B', sch.get_loops('C')[0])",
     "sch.compute_at('B', sch.get_loops('C')[0])"},
    {"a region beside the one that is read", stencil,
     "sch.annotate_buffer_access('C', 0, 'read', lambda i: [(i + 1, i + 3)])\n"
     "sch.compute_at('B', sch.split(sch.get_loops('C')[0], [None, 8])[0])",
     "sch.compute_at('B', sch.split(sch.get_loops('C')[0], [None, 8])[0])"},
    {"a layout with two elements in one place", floats,
     "sch.transform_layout('B', ('write', 0), lambda i: i // 2, assume_injective_transform=True)",
     "sch.transform_layout('B', ('write', 0), lambda i: (i // 2, i % 2), assume_injective_transform=True)"},
    {"a layout with all elements in four places", floats,
     "sch.transform_layout('B', ('write', 0), lambda i: i % 4, assume_injective_transform=True)",
     "sch.transform_layout('B', ('write', 0), lambda i: (i % 4, i // 4))"},
};

constexpr const char *description = R"(
@T.prim_func
def description(A: T.Buffer((4,), "float32", offset_factor=1), B: T.Buffer((4,), "float32", offset_factor=1),
                C: T.Buffer((1,), "float32", offset_factor=1)):
    with T.block("root"):
        T.reads(C[0:1], A[0:4], B[0:4])
        T.writes(C[0:1])
        for k in range(4):
            with T.block("update"):
                vk = T.axis.reduce(4, k)
                C[0] = C[0] + A[vk] * B[vk]

@T.prim_func
def implementation(A: T.Buffer((4,), "float32", offset_factor=1),
                   B: T.Buffer((4,), "float32", offset_factor=1),
                   C: T.Buffer((1,), "float32", offset_factor=1)):
    with T.block("root"):
        T.reads(C[0:1], A[0:4], B[0:4])
        T.writes(C[0:1])
        {}
)";

constexpr const char *dots = R"(
@T.prim_func
def main(A: T.Buffer((16, 64), "float32"), B: T.Buffer((16, 64), "float32"),
         C: T.Buffer((16, 16), "float32")):
    for i, j, k in T.grid(16, 16, 64):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]
)";

struct Implementation {
    const char *name, *code;
    bool isRight = false;
};

constexpr Implementation implementations[] = {
    {"terms in another order", "C[0] = C[0] + (A[3] * B[3] + A[2] * B[2] + A[1] * B[1] + A[0] * B[0])", true},
    {"a term less", "C[0] = C[0] + (A[0] * B[0] + A[1] * B[1] + A[2] * B[2])"},
    {"a term twice", "C[0] = C[0] + (A[3] * B[3] + A[2] * B[2] + A[1] * B[1] + A[1] * B[1])"},
    {"factors of other terms", "C[0] = C[0] + (A[0] * B[1] + A[1] * B[0] + A[2] * B[2] + A[3] * B[3])"},
    {"no sum before", "C[0] = A[0] * B[0] + A[1] * B[1] + A[2] * B[2] + A[3] * B[3]"},
    {"another sign", "C[0] = C[0] - (A[0] * B[0] + A[1] * B[1] + A[2] * B[2] + A[3] * B[3])"},
    {"nothing", "C[0] = C[0]"},
    {"factors in half precision",
     "C[0] = C[0] + (T.Cast(\"float32\", T.Cast(\"float16\", A[0])) * B[0] + A[1] * B[1] + A[2] * B[2] "
     "+ A[3] * B[3])"},
    {"a little more",
     "C[0] = C[0] + (A[0] * B[0] + A[1] * B[1] + A[2] * B[2] + A[3] * B[3]) * T.float32(1.0001)"},
};

Measurement scheduledBy(const schedule::State &before, const char *steps)
{
    const auto run = schedule::runScheduleScript(before, steps, "steps.py");
    return run ? verified(before, run->state.module) : refusedFor(run.error());
}

const char *reasonOf(const Measurement &result)
{
    return result.failure ? result.failure->message.c_str() : "";
}

} // namespace

class WrongSchedulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void promisesThatAreNotKept_data() { addRows(schedules); }
    void promisesThatAreNotKept()
    {
        QFETCH(const Row *, row);
        const schedule::State before = scheduled(row->program);
        const Measurement wrong = scheduledBy(before, row->wrong);
        QVERIFY2(!wrong.isVerified() && !wrong.ok(), row->name);
        QVERIFY2(wrong.failed == Failure::WrongResult || wrong.failed == Failure::Crash
                     || wrong.failed == Failure::Compile,
                 reasonOf(wrong));
        const Measurement right = scheduledBy(before, row->right);
        QVERIFY2(right.isVerified(), reasonOf(right));
    }

    void implementationsOfIntrinsics_data() { addRows(implementations); }
    void implementationsOfIntrinsics()
    {
        QFETCH(const Implementation *, row);
        schedule::State before = scheduled(dots);
        std::string text = description;
        text.replace(text.find("{}"), 2, row->code);
        const auto intrin = schedule::readTensorIntrin(text, "intrin.py");
        QVERIFY2(intrin, intrin ? "" : intrin.error().render().c_str());
        before.intrins =
            std::make_shared<const schedule::TensorIntrins>(schedule::TensorIntrins{{"mine", *intrin}});
        const Measurement result =
            scheduledBy(before, "i, j, k = sch.get_loops('C')\nko, ki = sch.split(k, [None, 4])\n"
                                "sch.decompose_reduction('C', ko)\nsch.tensorize(ki, 'mine')");
        QVERIFY2(result.isVerified() == row->isRight, reasonOf(result));
        QVERIFY2(row->isRight || result.failed == Failure::WrongResult, reasonOf(result));
    }
};

int main(int argc, char *argv[]) { return runTestOrWorker<WrongSchedulesTest>(argc, argv); }

#include "wrong_schedules_test.moc"
