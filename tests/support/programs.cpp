// SPDX-License-Identifier: Apache-2.0
#include "tests/support/programs.h"

#include "core/script/tvmscript/parser.h"
#include "tests/support/text_edits.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace nestwright::tests {

namespace {

constexpr std::string_view matmul = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"),
         C: T.Buffer((128, 128), "float32")):
    T.func_attr({"tir.noalias": True})
    for i, j, k in T.grid(128, 128, 128):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A[vi, vk], B[vk, vj])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

constexpr std::string_view matmulSmall = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 8), "int32"), B: T.Buffer((8, 6), "int32"), C: T.Buffer((4, 6), "int32")):
    for i, j, k in T.grid(4, 6, 8):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A[vi, vk], B[vk, vj])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = 0
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

constexpr std::string_view mmRelu = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"),
         D: T.Buffer((128, 128), "float32")):
    T.func_attr({"tir.noalias": True})
    C = T.alloc_buffer((128, 128))
    for i, j, k in T.grid(128, 128, 128):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A[vi, vk], B[vk, vj])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(128, 128):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(C[vi, vj])
            T.writes(D[vi, vj])
            D[vi, vj] = T.max(C[vi, vj], T.float32(0))
)";

constexpr std::string_view elementwise = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128, 128), "float32"), C: T.Buffer((128, 128), "float32")):
    B = T.alloc_buffer((128, 128))
    for i, j in T.grid(128, 128):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(128, 128):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = B[vi, vj] + T.float32(1)
)";

constexpr std::string_view twoAxis = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64, 32), "float32"), D: T.Buffer((64, 32), "float32")):
    B = T.alloc_buffer((64, 32))
    C = T.alloc_buffer((64, 32))
    for i, j in T.grid(64, 32):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(64, 32):
        with T.block("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = T.exp(B[vi, vj])
    for i, j in T.grid(64, 32):
        with T.block("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(C[vi, vj])
            T.writes(D[vi, vj])
            D[vi, vj] = C[vi, vj] + T.float32(1)
)";

constexpr std::string_view conv2dPad = R"(
from tvm.script import tir as T

@T.prim_func
def main(X: T.Buffer((1, 8, 14, 14), "float32"), W: T.Buffer((16, 8, 3, 3), "float32"),
         Y: T.Buffer((1, 16, 14, 14), "float32")):
    P = T.alloc_buffer((1, 8, 16, 16))
    for n, c, h, w in T.grid(1, 8, 16, 16):
        with T.block("pad"):
            vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
            T.reads(X[vn, vc, vh - 1, vw - 1])
            T.writes(P[vn, vc, vh, vw])
            P[vn, vc, vh, vw] = T.if_then_else(1 <= vh and vh < 15 and 1 <= vw and vw < 15,
                                               X[vn, vc, vh - 1, vw - 1], T.float32(0))
    for n, f, h, w, c, r, s in T.grid(1, 16, 14, 14, 8, 3, 3):
        with T.block("conv"):
            vn, vf, vh, vw, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, h, w, c, r, s])
            T.reads(P[vn, vc, vh + vr, vw + vs], W[vf, vc, vr, vs])
            T.writes(Y[vn, vf, vh, vw])
            with T.init():
                Y[vn, vf, vh, vw] = T.float32(0)
            Y[vn, vf, vh, vw] = Y[vn, vf, vh, vw] + P[vn, vc, vh + vr, vw + vs] * W[vf, vc, vr, vs]
)";

constexpr std::string_view softmax = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 32), "float32"), S: T.Buffer((16, 32), "float32")):
    M = T.alloc_buffer((16,))
    E = T.alloc_buffer((16, 32))
    Z = T.alloc_buffer((16,))
    for i, k in T.grid(16, 32):
        with T.block("M"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(M[vi])
            with T.init():
                M[vi] = T.float32(-3.4028234663852886e+38)
            M[vi] = T.max(M[vi], A[vi, vk])
    for i, j in T.grid(16, 32):
        with T.block("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj], M[vi])
            T.writes(E[vi, vj])
            E[vi, vj] = T.exp(A[vi, vj] - M[vi])
    for i, k in T.grid(16, 32):
        with T.block("Z"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(E[vi, vk])
            T.writes(Z[vi])
            with T.init():
                Z[vi] = T.float32(0)
            Z[vi] = Z[vi] + E[vi, vk]
    for i, j in T.grid(16, 32):
        with T.block("S"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(E[vi, vj], Z[vi])
            T.writes(S[vi, vj])
            S[vi, vj] = E[vi, vj] / Z[vi]
)";

constexpr std::string_view rowSum = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128, 64), "float32"), B: T.Buffer((128,), "float32")):
    for i, k in T.grid(128, 64):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(B[vi])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)";

constexpr std::string_view predicate = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((10, 8), "float32"), B: T.Buffer((8, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    for i0, i1, j, k in T.grid(3, 4, 12, 8):
        with T.block("C"):
            vi = T.axis.spatial(10, i0 * 4 + i1)
            vj, vk = T.axis.remap("SR", [j, k])
            T.where(i0 * 4 + i1 < 10)
            T.reads(A[vi, vk], B[vk, vj])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)";

constexpr std::string_view symbolic = R"(
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    m = T.int32()
    A = T.match_buffer(a, (n, m))
    B = T.match_buffer(b, (n, m))
    for i, j in T.grid(n, m):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] + T.float32(1)
)";

constexpr std::string_view integers = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 32), "int8"), B: T.Buffer((24, 32), "int8"), C: T.Buffer((16, 24), "int32")):
    for i, j, k in T.grid(16, 24, 32):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A[vi, vk], B[vj, vk])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = 0
            C[vi, vj] = C[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vj, vk])
)";

constexpr std::string_view scalar = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((), "float32")):
    for k in range(64):
        with T.block("B"):
            vk = T.axis.reduce(64, k)
            T.reads(A[vk])
            T.writes(B[()])
            with T.init():
                B[()] = T.float32(0)
            B[()] = B[()] + A[vk]
)";

constexpr std::string_view opaque = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32"), N: T.Buffer((1,), "int32")):
    with T.block("root"):
        T.reads()
        T.writes()
        for i in T.serial(16, annotations={"pragma_unroll_explicit": 1}):
            with T.block("row"):
                vi = T.axis.spatial(16, i)
                T.reads(A[vi, 0:16])
                T.writes(B[vi, 0:16], N[0])
                T.block_attr({"kind": "copy"})
                N[0] = 0
                while N[0] < 16:
                    if A[vi, N[0]] < T.float32(0):
                        B[vi, N[0]] = T.float32(0) - A[vi, N[0]]
                    else:
                        B[vi, N[0]] = T.sqrt(A[vi, N[0]])
                    N[0] = N[0] + 1
)";

constexpr std::string_view lowered = R"(
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    T.func_attr({"tir.noalias": True})
    for i in T.parallel(32):
        tmp = T.allocate([32], "float32", "global")
        tmp_1 = T.decl_buffer((32,), data=tmp)
        for j in range(8):
            tmp_1[j * 4:j * 4 + 4] = A[i * 32 + j * 4:i * 32 + j * 4 + 4] * T.Broadcast(T.float32(2), 4)
        for j in T.vectorized(32):
            B[i * 32 + j] = tmp_1[j]
)";

constexpr std::array<Program, 14> table{{
    {"matmul", matmul, "matrix product"},
    {"matmul_small", matmulSmall, "matrix product of small integers"},
    {"mm_relu", mmRelu, "matrix product and ReLU"},
    {"elementwise", elementwise, "two element-wise blocks"},
    {"two_axis", twoAxis, "three element-wise blocks"},
    {"conv2d_pad", conv2dPad, "padding and convolution"},
    {"softmax", softmax, "softmax of rows"},
    {"row_sum", rowSum, "sum of rows"},
    {"predicate", predicate, "a split loop with a predicate"},
    {"symbolic", symbolic, "symbolic sizes"},
    {"integers", integers, "int8 matrix product"},
    {"scalar", scalar, "a sum into a scalar buffer"},
    {"opaque", opaque, "control flow in an opaque block"},
    {"lowered", lowered, "lowered form"},
}};

} // namespace

std::span<const Program> programs() { return table; }

std::string_view programText(std::string_view name)
{
    const auto found = std::ranges::find(table, name, &Program::name);
    if (found == table.end()) {
        std::fprintf(stderr, "there is no program '%.*s'\n", static_cast<int>(name.size()), name.data());
        std::abort();
    }
    return found->text;
}

ir::Module parsed(std::string_view text)
{
    auto result = script::parseTvmScript(text, "test.py");
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().render().c_str());
        std::abort();
    }
    return *result;
}

ir::Module program(std::string_view name) { return parsed(programText(name)); }

std::string anyProgram(Random &random)
{
    return std::string(table[static_cast<std::size_t>(random.below(std::ssize(table)))].text);
}

std::vector<std::string> tokenPool()
{
    std::vector<std::string> pool;
    for (const Program &each : table) {
        const std::vector<std::string> tokens = tokensOf(each.text);
        pool.insert(pool.end(), tokens.begin(), tokens.end());
    }
    return pool;
}

} // namespace nestwright::tests
