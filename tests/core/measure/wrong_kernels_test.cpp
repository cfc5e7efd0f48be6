// SPDX-License-Identifier: Apache-2.0
// Kernels that are wrong in ways that a careless or clever writer may hope to hide: none is called verified.
#include "core/backend/edited_code.h"
#include "core/measure/sandbox/withheld_memory.h"
#include "tests/core/measure/worker_fixture.h"

#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace nestwright;
using namespace nestwright::tests;
using measure::Failure;
using measure::Measurement;

namespace {

/// Programs by name; each takes its arguments in the order of the C code's a, b, c.
const std::map<std::string, const char *> programs = {
    {"add", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] + T.float32(1)
)"},
    {"tail", R"(
@T.prim_func
def main(A: T.Buffer((37,), "float32"), B: T.Buffer((37,), "float32")):
    for i in range(37):
        with T.block("B"):
            vi = T.axis.spatial(37, i)
            B[vi] = A[vi] + T.float32(1)
)"},
    {"mask", R"(
@T.prim_func
def main(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
    for i in range(256):
        with T.block("B"):
            vi = T.axis.spatial(256, i)
            B[vi] = T.if_then_else(vi % 8 == 0, A[vi] + T.float32(-1e9), A[vi] * T.float32(3) + T.float32(5))
)"},
    {"exp", R"(
@T.prim_func
def main(A: T.Buffer((512,), "float32"), B: T.Buffer((512,), "float32")):
    for i in range(512):
        with T.block("B"):
            vi = T.axis.spatial(512, i)
            B[vi] = T.exp(A[vi])
)"},
    {"product", R"(
@T.prim_func
def main(A: T.Buffer((32, 48), "float32"), B: T.Buffer((48, 16), "float32"),
         C: T.Buffer((32, 16), "float32")):
    for i, j, k in T.grid(32, 16, 48):
        with T.block("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
)"},
    {"bytes", R"(
@T.prim_func
def main(A: T.Buffer((64, 256), "int8"), B: T.Buffer((256,), "int8"), C: T.Buffer((64,), "int32")):
    for i, k in T.grid(64, 256):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = 0
            C[vi] = C[vi] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk])
)"},
    {"count", R"(
@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] * 3 + 1
)"},
    {"largest", R"(
@T.prim_func
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32")):
    for i, k in T.grid(64, 64):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.min_value("float32")
            B[vi] = T.max(B[vi], A[vi, vk])
)"},
    {"accumulate", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = B[vi] + A[vi]
)"},
    {"half", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(32):
        with T.block("B"):
            vi = T.axis.spatial(32, i)
            B[vi] = A[vi] + T.float32(1)
)"},
    {"alias", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    C = T.decl_buffer((64,), "float32", data=B.data)
    for i in range(64):
        C[i] = A[i] + T.float32(1)
)"},
    {"two", R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.block("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] + T.float32(1)
            C[vi] = A[vi] - T.float32(1)
)"},
    {"shares", R"(
@T.prim_func
def main(A: T.Buffer((16, 32), "float32"), B: T.Buffer((16, 32), "float32")):
    S = T.alloc_buffer((16,), "float32")
    for i, k in T.grid(16, 32):
        with T.block("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + T.exp(A[vi, vk])
    for i, k in T.grid(16, 32):
        with T.block("B"):
            vi, vk = T.axis.remap("SS", [i, k])
            B[vi, vk] = T.exp(A[vi, vk]) / S[vi]
)"},
};

/// A C source whose function has `code` as its body, behind `before`.
std::string sourceOf(const std::string &program, const std::string &code, const std::string &before)
{
    const bool isBytes = program == "bytes", isCount = program == "count";
    const char *const in = isBytes ? "signed char" : isCount ? "int" : "float";
    const char *const out = isBytes || isCount ? "int" : "float";
    return std::format(R"(#include <stdint.h>
long send(int line, const void *bytes, unsigned long count, int flags);
int32_t main_kernel__packed(void **args);
{}
int32_t main_kernel__packed(void **args)
{{
    {} *a = args[0]; {} *b = args[1];
    {}
    return 0;
}}
)",
                       before, in, program == "bytes" ? in : out,
                       std::string(program == "product" || program == "two" ? "float *c = args[2]; "
                                   : isBytes                                ? "int *c = args[2]; "
                                                                            : "")
                           + code);
}

Measurement measuredAs(const std::string &program, const std::string &source)
{
    measure::WorkerOptions options;
    options.program = thisProgram();
    options.silence = std::chrono::seconds(5);
    measure::Measurer measurer(options);
    const ir::Module module = tests::parsed(programs.at(program));
    measure::MeasureJob job = jobOf({module});
    job.reference = module;
    job.edits[0] = backend::EditedCode{backend::SourceKind::C, source, "edited"};
    const auto results = measurer.measure(job, ignore);
    if (!results)
        qFatal("%s", results.error().render().c_str());
    return results->front();
}

const char *reasonOf(const Measurement &result)
{
    return result.failure ? result.failure->message.c_str() : "";
}

struct Row {
    const char *name, *program, *code, *before = "";
};

/// Each kernel is the right one with one fault.
constexpr Row wrong[] = {
    {"does nothing", "add", ""},
    {"works on its first call only", "add", "if (!done++) for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;",
     "static int done;"},
    {"is wrong from the second call", "add", "for (int i = 0; i < 64; ++i) b[i] = sum[i] += a[i] + 1;",
     "static float sum[64];"},
    {"is wrong from the third call", "add", "for (int i = 0; i < 64; ++i) b[i] = a[i] + (n < 2); ++n;",
     "static int n;"},
    {"is wrong from the tenth call", "add", "for (int i = 0; i < 64; ++i) b[i] = a[i] + (n < 9); ++n;",
     "static int n;"},
    {"is wrong after thousands of calls", "add",
     "for (int i = 0; i < 64; ++i) b[i] = a[i] + (n < 5000); ++n;", "static int n;"},
    {"works every other call", "add", "if (n++ & 1) for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;",
     "static int n;"},
    {"remembers its first result", "add",
     "if (!n++) for (int i = 0; i < 64; ++i) r[i] = a[i] + 1; __builtin_memcpy(b, r, sizeof r);",
     "static int n; static float r[64];"},
    {"looks at the pointer alone", "add",
     "if (last == a) return 0; last = a; for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;",
     "static float *last;"},
    {"looks at one element alone", "add",
     "if (last == a[0]) return 0; last = a[0]; for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;",
     "static float last;"},
    {"does nothing where its first result is there already", "add",
     "if (b[0] == a[0] + 1) return 0; for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;"},
    {"does nothing where some of its results are there already", "add",
     "if (b[0] == a[0] + 1 && b[17] == a[17] + 1 && b[63] == a[63] + 1) return 0; "
     "for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;"},
    {"works every other call from the twentieth on", "add",
     "if (n++ > 20 && n & 1) return 0; for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;", "static int n;"},
    {"works every thousandth call from the twentieth on", "add",
     "if (n++ > 20 && n % 1000) return 0; for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;", "static int n;"},
    {"writes one half in each call from the twentieth on", "add",
     "int d = n++ < 20 ? 1 : 2; for (int i = n % d; i < 64; i += d) b[i] = a[i] + 1;", "static int n;"},
    {"keeps results by some elements of its input", "add",
     "if (a[0] != k[0] || a[63] != k[1]) for (int i = 0; i < 64; ++i) r[i] = a[i] + 1; "
     "k[0] = a[0]; k[1] = a[63]; __builtin_memcpy(b, r, sizeof r);",
     "static float k[2], r[64];"},
    {"keeps integers by some elements of its input", "count",
     "if (a[0] != k[0] || a[63] != k[1]) for (int i = 0; i < 64; ++i) r[i] = a[i] * 3 + 1; "
     "k[0] = a[0]; k[1] = a[63]; __builtin_memcpy(b, r, sizeof r);",
     "static int k[2], r[64];"},
    {"clears its input", "add", "for (int i = 0; i < 64; ++i) { b[i] = a[i] + 1; a[i] = 0; }"},
    {"changes a bit of its input", "add",
     "for (int i = 0; i < 64; ++i) b[i] = a[i] + 1; ((int *)a)[63] ^= 1;"},
    {"changes the sign of a zero of its input", "add",
     "for (int i = 0; i < 64; ++i) { b[i] = a[i] + 1; if (a[i] == 0) a[i] = -a[i]; else a[i] *= -1; }"},
    {"works in its input", "add", "for (int i = 0; i < 64; ++i) b[i] = a[i] += 1;"},
    {"leaves out the last element", "add", "for (int i = 0; i < 63; ++i) b[i] = a[i] + 1;"},
    {"leaves out the first element", "add", "for (int i = 1; i < 64; ++i) b[i] = a[i] + 1;"},
    {"leaves out every other element", "add", "for (int i = 0; i < 64; i += 2) b[i] = a[i] + 1;"},
    {"is off by a hundred-thousandth", "add", "for (int i = 0; i < 64; ++i) b[i] = a[i] + 1.00001f;"},
    {"is off in one element", "add", "for (int i = 0; i < 64; ++i) b[i] = a[i] + 1; b[17] += 1e-5f;"},
    {"takes negative numbers for zero", "add",
     "for (int i = 0; i < 64; ++i) b[i] = (a[i] < 0 ? 0 : a[i]) + 1;"},
    {"is right for small numbers only", "add",
     "for (int i = 0; i < 64; ++i) b[i] = (a[i] > 1 ? 1 : a[i]) + 1;"},
    {"hides NaN", "add", "for (int i = 0; i < 64; ++i) b[i] = (a[i] != a[i] ? 0 : a[i]) + 1;"},
    {"hides infinity", "add", "for (int i = 0; i < 64; ++i) b[i] = __builtin_fminf(a[i], 3e38f) + 1;"},
    {"spreads NaN", "add",
     "float s = 0; for (int i = 0; i < 64; ++i) s += a[i] * 0; "
     "for (int i = 0; i < 64; ++i) b[i] = a[i] + 1 + s;"},
    {"gives zero beside large elements", "mask",
     "for (int i = 0; i < 256; ++i) b[i] = i % 8 == 0 ? a[i] - 1e9f : 0;"},
    {"is off beside large elements", "mask",
     "for (int i = 0; i < 256; ++i) b[i] = i % 8 == 0 ? a[i] - 1e9f : a[i] * 3 + 4.999f;"},
    {"has a mask of another size", "mask",
     "for (int i = 0; i < 256; ++i) b[i] = i % 8 == 0 ? a[i] - 1.001e9f : a[i] * 3 + 5;"},
    {"a short series", "exp", "for (int i = 0; i < 512; ++i) b[i] = 1 + a[i] + a[i] * a[i] / 2;"},
    {"a series that is right between -1 and 1", "exp",
     "for (int i = 0; i < 512; ++i) { double t = 1, s = 1; for (int k = 1; k < 13; ++k) s += t *= a[i] / k; "
     "b[i] = s; }"},
    {"a function that is off by a ten-thousandth", "exp",
     "for (int i = 0; i < 512; ++i) b[i] = __builtin_expf(a[i]) * 1.0001f;"},
    {"a function that ends at 80", "exp",
     "for (int i = 0; i < 512; ++i) b[i] = __builtin_expf(__builtin_fminf(a[i], 80));"},
    {"leaves out the last term", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { float s = 0; "
     "for (int k = 0; k < 47; ++k) s += a[i*48+k] * b[k*16+j]; c[i*16+j] = s; }"},
    {"leaves out one term of one element", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { float s = 0; "
     "for (int k = 0; k < 48; ++k) s += i * j * k == 31 * 15 * 47 ? 0 : a[i*48+k] * b[k*16+j]; "
     "c[i*16+j] = s; }"},
    {"takes one term twice", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { float s = a[i*48] * b[j]; "
     "for (int k = 0; k < 48; ++k) s += a[i*48+k] * b[k*16+j]; c[i*16+j] = s; }"},
    {"reads another row", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { float s = 0; "
     "for (int k = 0; k < 48; ++k) s += a[(i ^ (k == 3))*48+k] * b[k*16+j]; c[i*16+j] = s; }"},
    {"adds in half precision", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { _Float16 s = 0; "
     "for (int k = 0; k < 48; ++k) s += (_Float16)(a[i*48+k] * b[k*16+j]); c[i*16+j] = s; }"},
    {"takes numbers of eight bits", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { float s = 0; "
     "for (int k = 0; k < 48; ++k) s += cut(a[i*48+k]) * b[k*16+j]; c[i*16+j] = s; }",
     "static float cut(float x) { union { float f; unsigned u; } v = {x}; v.u &= 0xffff0000; return v.f; }"},
    {"adds whole numbers", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { int s = 0; "
     "for (int k = 0; k < 48; ++k) s += a[i*48+k] * b[k*16+j]; c[i*16+j] = s; }"},
    {"adds a little", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { float s = 1e-3f; "
     "for (int k = 0; k < 48; ++k) s += a[i*48+k] * b[k*16+j]; c[i*16+j] = s; }"},
    {"sums of sixteen bits", "bytes",
     "for (int i = 0; i < 64; ++i) { short s = 0; for (int k = 0; k < 256; ++k) s += a[i*256+k] * b[k]; "
     "c[i] = s; }"},
    {"sums that stop at the end of sixteen bits", "bytes",
     "for (int i = 0; i < 64; ++i) { int s = 0; for (int k = 0; k < 256; ++k) { s += a[i*256+k] * b[k]; "
     "s = s > 32767 ? 32767 : s < -32768 ? -32768 : s; } c[i] = s; }"},
    {"takes bytes without their sign", "bytes",
     "for (int i = 0; i < 64; ++i) { int s = 0; for (int k = 0; k < 256; ++k) "
     "s += (unsigned char)a[i*256+k] * b[k]; c[i] = s; }"},
    {"takes half of each byte", "bytes",
     "for (int i = 0; i < 64; ++i) { int s = 0; for (int k = 0; k < 256; ++k) "
     "s += (signed char)(a[i*256+k] << 4) / 16 * b[k]; c[i] = s; }"},
    {"takes one of -128 for another", "bytes",
     "for (int i = 0; i < 64; ++i) { int s = 0; for (int k = 0; k < 256; ++k) "
     "s += (a[i*256+k] == -128 ? -127 : a[i*256+k]) * b[k]; c[i] = s; }"},
    {"computes in sixteen bits", "count", "for (int i = 0; i < 64; ++i) b[i] = (short)(a[i] * 3 + 1);"},
    {"takes the sign away", "count",
     "for (int i = 0; i < 64; ++i) b[i] = (a[i] < 0 ? -a[i] : a[i]) * 3 + 1;"},
    {"a maximum that begins at zero", "largest",
     "for (int i = 0; i < 64; ++i) { float m = 0; for (int k = 0; k < 64; ++k) m = __builtin_fmaxf(m, "
     "a[i*64+k]); "
     "b[i] = m; }"},
    {"a maximum of magnitudes", "largest",
     "for (int i = 0; i < 64; ++i) { float m = -__builtin_inff(); for (int k = 0; k < 64; ++k) "
     "m = __builtin_fmaxf(m, __builtin_fabsf(a[i*64+k])); b[i] = m; }"},
    {"overwrites", "accumulate", "for (int i = 0; i < 64; ++i) b[i] = a[i];"},
    {"adds twice", "accumulate", "for (int i = 0; i < 64; ++i) b[i] += 2 * a[i];"},
    {"adds on its first call only", "accumulate", "if (!n++) for (int i = 0; i < 64; ++i) b[i] += a[i];",
     "static int n;"},
    {"writes more than it may", "half", "for (int i = 0; i < 64; ++i) b[i] = i < 32 ? a[i] + 1 : 0;"},
    {"nothing through another buffer", "alias", ""},
    {"one of two results", "two", "for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;"},
    {"results exchanged", "two", "for (int i = 0; i < 64; ++i) { c[i] = a[i] + 1; b[i] = a[i] - 1; }"},
    {"shares that are not divided", "shares", "for (int i = 0; i < 512; ++i) b[i] = __builtin_expf(a[i]);"},
    {"shares of the wrong row", "shares",
     "for (int i = 0; i < 16; ++i) { float s = 0; for (int k = 0; k < 32; ++k) s += "
     "__builtin_expf(a[i*32+k]); "
     "for (int k = 0; k < 32; ++k) b[i*32+k] = __builtin_expf(a[(i ^ (i == 9))*32+k]) / s; }"},
    {"shares of a sum that lacks a term", "shares",
     "for (int i = 0; i < 16; ++i) { float s = 0; for (int k = 0; k < 31; ++k) s += "
     "__builtin_expf(a[i*32+k]); "
     "for (int k = 0; k < 32; ++k) b[i*32+k] = __builtin_expf(a[i*32+k]) / s; }"},
    {"writes an element behind its results", "tail", "for (int i = 0; i < 38; ++i) b[i] = a[i] + 1;"},
    {"writes whole lines behind its results", "tail", "for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;"},
    {"writes an element behind its input", "tail",
     "for (int i = 0; i < 37; ++i) b[i] = a[i] + 1; a[37] = 0;"},
    {"writes an element before its results", "tail", "for (int i = -1; i < 37; ++i) b[i] = a[i] + 1;"},
    {"reads pages behind its input", "tail",
     "float s = a[100000]; for (int i = 0; i < 37; ++i) b[i] = a[i] + 1 + s * 0;"},
    {"reads pages before its input", "tail",
     "float s = a[-100000]; for (int i = 0; i < 37; ++i) b[i] = a[i] + 1 + s * 0;"},
    {"answers before it is asked", "add",
     "for (int i = 0; i < 64; ++i) b[i] = a[i] + 1; "
     "for (int kind = 3; kind < 11; ++kind) { char m[552] = {0}; __builtin_memcpy(m, &kind, 4); long n = 1; "
     "double s = "
     "1e-9; "
     "__builtin_memcpy(m + 8, &n, 8); __builtin_memcpy(m + 16, &s, 8); send(3, m, sizeof m, 0x40); }"},
};

/// The same programs computed in other ways.
constexpr Row right[] = {
    {"as it is", "add", "for (int i = 63; i >= 0; --i) b[i] = 1 + a[i];"},
    {"with the choice made otherwise", "mask",
     "for (int i = 0; i < 256; ++i) b[i] = a[i] * 3 + 5; for (int i = 0; i < 256; i += 8) b[i] = a[i] - "
     "1e9f;"},
    {"another library's function", "exp", "for (int i = 0; i < 512; ++i) b[i] = __builtin_exp(a[i]);"},
    {"terms from behind", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { float s = 0; "
     "for (int k = 47; k >= 0; --k) s += a[i*48+k] * b[k*16+j]; c[i*16+j] = s; }"},
    {"terms in four sums", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { float s[4] = {0}; "
     "for (int k = 0; k < 48; ++k) s[k % 4] += a[i*48+k] * b[k*16+j]; "
     "c[i*16+j] = (s[0] + s[1]) + (s[2] + s[3]); }"},
    {"wider sums", "product",
     "for (int i = 0; i < 32; ++i) for (int j = 0; j < 16; ++j) { double s = 0; "
     "for (int k = 0; k < 48; ++k) s += (double)a[i*48+k] * b[k*16+j]; c[i*16+j] = s; }"},
    {"sums of bytes from behind", "bytes",
     "for (int i = 0; i < 64; ++i) { int s = 0; for (int k = 255; k >= 0; --k) s += b[k] * a[i*256+k]; "
     "c[i] = s; }"},
    {"a maximum from behind", "largest",
     "for (int i = 0; i < 64; ++i) { float m = -__builtin_inff(); for (int k = 63; k >= 0; --k) "
     "m = __builtin_fmaxf(a[i*64+k], m); b[i] = m; }"},
    {"adds", "accumulate", "for (int i = 63; i >= 0; --i) b[i] = a[i] + b[i];"},
    {"a tail", "tail", "for (int i = 36; i >= 0; --i) b[i] = a[i] + 1;"},
    {"half", "half", "for (int i = 0; i < 32; ++i) b[i] = a[i] + 1;"},
    {"alias", "alias", "for (int i = 0; i < 64; ++i) b[i] = a[i] + 1;"},
    {"shares by a reciprocal", "shares",
     "for (int i = 0; i < 16; ++i) { float s = 0; for (int k = 31; k >= 0; --k) s += "
     "__builtin_expf(a[i*32+k]); "
     "float r = 1 / s; for (int k = 0; k < 32; ++k) b[i*32+k] = __builtin_expf(a[i*32+k]) * r; }"},
};

} // namespace

class WrongKernelsTest : public QObject {
    Q_OBJECT

    template <std::size_t N> static void addRows(const Row (&rows)[N])
    {
        QTest::addColumn<const Row *>("row");
        for (const Row &row : rows)
            QTest::newRow(row.name) << &row;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const Measurement first = measuredAs("add", sourceOf("add", right[0].code, ""));
        if (first.failure && first.failure->code == "backend.no-compiler")
            QSKIP("there is no C compiler");
        QVERIFY2(first.isVerified(), reasonOf(first));
    }

    void noneIsVerified_data() { addRows(wrong); }
    void noneIsVerified()
    {
        QFETCH(const Row *, row);
        const Measurement result = measuredAs(row->program, sourceOf(row->program, row->code, row->before));
        QVERIFY2(!result.isVerified() && !result.ok(), row->name);
        QVERIFY2(result.failed == Failure::WrongResult || result.failed == Failure::Crash, reasonOf(result));
    }

    void rightOnesAreVerified_data() { addRows(right); }
    void rightOnesAreVerified()
    {
        QFETCH(const Row *, row);
        const Measurement result = measuredAs(row->program, sourceOf(row->program, row->code, row->before));
        QVERIFY2(result.isVerified(), reasonOf(result));
        QVERIFY(result.ok() && result.final);
        QVERIFY2(result.evidence.contains("small numbers; "), result.evidence.c_str());
    }

    /// Memory of answers is not there in a copy of this process.
    void answersAreWithheldFromCopies()
    {
        ir::NdArray answers = measure::withheldArray(ir::DataType::float32(), {1024});
        answers.set(1023, 7);
        const pid_t child = fork();
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL);
            volatile const float *stolen = answers.data<float>();
            _exit(stolen[1023] == 7 ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        QVERIFY(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
        QCOMPARE(answers.at(1023), 7.0);
        QCOMPARE(answers.at(0), 0.0);
    }
};

int main(int argc, char *argv[]) { return runTestOrWorker<WrongKernelsTest>(argc, argv); }

#include "wrong_kernels_test.moc"
