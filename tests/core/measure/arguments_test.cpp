// SPDX-License-Identifier: Apache-2.0
/// Arguments of kernels: shapes, numbers in their ranges, files, and places of results.
#include "core/ir/exact_integers.h"
#include "core/measure/build/given_inputs.h"
#include "core/measure/build/job_arguments.h"
#include "core/measure/verify/integer_bits.h"
#include "core/measure/worker/kernel_arrays.h"
#include "core/support/errors/errors.h"
#include "tests/support/programs.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <format>
#include <fstream>

using namespace nestwright;
using namespace nestwright::measure;

namespace {

const char *const gathering = R"(
@T.prim_func
def main(a: T.handle, I: T.Buffer((6,), "int32"), b: T.handle, s: T.float32, t: T.int32):
    n = T.int32()
    m = T.int32()
    A = T.match_buffer(a, (n, 4))
    B = T.match_buffer(b, (6, m))
    for i, j in T.grid(6, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[I[vi], vj] * s + T.Cast("float32", t)
)";

MeasureJob jobOf(std::map<std::string, std::int64_t> sizes)
{
    MeasureJob job;
    job.sizes = std::move(sizes);
    job.defaultSize = 9;
    return job;
}

std::string refusalOf(const std::map<std::string, ir::NdArray> &inputs,
                      std::map<std::string, std::int64_t> sizes = {})
{
    const ir::Module module = tests::parsed(gathering);
    const auto bound = bindInputs(*module.find("main"), inputs, sizes);
    return bound ? "" : bound.error().code + ": " + bound.error().message + " (" + bound.error().hint + ")";
}

ArgumentSet setOf(std::vector<BufferSpec> buffers, Values values = Values::Small)
{
    ArgumentSet set;
    set.buffers = std::move(buffers);
    set.values = values;
    set.seed = 5;
    return set;
}

std::vector<std::int64_t> integersOf(const ir::NdArray &array)
{
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < array.size() * array.dtype().lanes; ++i)
        values.push_back(ir::integerAt(array, i));
    return values;
}

const ir::DataType float32 = ir::DataType::float32(), int32 = ir::DataType::int32();

} // namespace

class ArgumentsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sizesRangesAndScalars()
    {
        const ir::Module module = tests::parsed(gathering);
        const auto arguments = argumentsOf(*module.find("main"), jobOf({{"n", 5}}));
        QVERIFY2(arguments, arguments ? "" : arguments.error().render().c_str());
        QCOMPARE(arguments->names, (std::vector<std::string>{"A", "I", "B"}));
        QCOMPARE(arguments->buffers[0].shape, (std::vector<std::int64_t>{5, 4}));
        QCOMPARE(arguments->buffers[2].shape, (std::vector<std::int64_t>{6, 9}));
        QCOMPARE(arguments->sizes, (std::map<std::string, std::int64_t>{{"m", 9}, {"n", 5}}));
        QVERIFY(!arguments->buffers[0].written && !arguments->buffers[1].written);
        QVERIFY(arguments->buffers[2].written);
        QVERIFY(arguments->buffers[1].range == std::pair(std::int64_t{0}, std::int64_t{4}));
        QVERIFY(!arguments->buffers[0].range && !arguments->buffers[2].range);
        QCOMPARE(arguments->scalars, (std::vector<std::int64_t>{std::bit_cast<std::int64_t>(1.0), 1}));
    }

    void inputsGiveSizes()
    {
        const ir::Module module = tests::parsed(gathering);
        MeasureJob job = jobOf({});
        job.inputs.emplace("A", ir::NdArray(float32, {7, 4}));
        const auto arguments = argumentsOf(*module.find("main"), job);
        QVERIFY(arguments);
        QCOMPARE(arguments->sizes.at("n"), 7);
        QVERIFY(arguments->buffers[1].range == std::pair(std::int64_t{0}, std::int64_t{6}));
    }

    void inputsMustFit()
    {
        QCOMPARE(refusalOf({}), std::string());
        QCOMPARE(refusalOf({{"A", ir::NdArray(float32, {7, 4})}, {"B", ir::NdArray(float32, {6, 2})}}),
                 std::string());
        QCOMPARE(refusalOf({{"A", ir::NdArray(float32, {7, 4})}}, {{"n", 7}}), std::string());
        QCOMPARE(
            refusalOf({{"A", ir::NdArray(float32, {7, 4})}}, {{"n", 8}}),
            std::string(
                "measure.input: the array given for 'A' is float32 (7, 4), but dimension 0 of 'A' is 8 ()"));
        QCOMPARE(
            refusalOf({{"A", ir::NdArray(float32, {7, 5})}}),
            std::string(
                "measure.input: the array given for 'A' is float32 (7, 5), but dimension 1 of 'A' is 4 ()"));
        QCOMPARE(refusalOf({{"A", ir::NdArray(int32, {7, 4})}}),
                 std::string("measure.input: the array given for 'A' is int32 (7, 4), but 'A' is float32 "
                             "(n, 4) (write it with numpy.save(file, array.astype(\"float32\")))"));
        QCOMPARE(refusalOf({{"A", ir::NdArray(float32, {28})}}),
                 std::string("measure.input: the array given for 'A' is float32 (28), but 'A' is float32 "
                             "(n, 4) ()"));
        QCOMPARE(refusalOf({{"C", ir::NdArray(float32, {1})}}),
                 std::string("measure.input: the kernel has no argument 'C' (it has 'A', 'I', 'B')"));
        QCOMPARE(refusalOf({{"A", ir::NdArray(float32, {7, 4})}, {"s", ir::NdArray(float32, {})}}),
                 std::string("measure.input: the kernel has no argument 's' (it has 'A', 'I', 'B')"));
    }

    /// Type, shape and elements tell arrays apart; the file they came from does not.
    void contentsAreTold()
    {
        ir::NdArray array(float32, {2, 3});
        const std::uint64_t zeros = contentOf(array);
        QVERIFY(zeros != 0 && contentOf(ir::NdArray(float32, {2, 3})) == zeros);
        QVERIFY(contentOf(ir::NdArray(float32, {3, 2})) != zeros);
        QVERIFY(contentOf(ir::NdArray(int32, {2, 3})) != zeros);
        array.set(5, 1);
        QVERIFY(contentOf(array) != zeros);
        QVERIFY(haveSameContent({}, {}));
        QVERIFY(haveSameContent({{"A", {"/a.npy", 7}}}, {{"A", {"/b.npy", 7}}}));
        QVERIFY(!haveSameContent({{"A", {"/a.npy", 7}}}, {{"A", {"/a.npy", 8}}}));
        QVERIFY(!haveSameContent({{"A", {"/a.npy", 7}}}, {{"B", {"/a.npy", 7}}}));
        QVERIFY(!haveSameContent({{"A", {"/a.npy", 7}}}, {}));
        QVERIFY(!haveSameContent({{"A", {"/a.npy"}}}, {{"A", {"/a.npy"}}})); // not read yet
    }

    void inputsAreReadFromFiles()
    {
        QTemporaryDir folder;
        const std::string file = folder.filePath("a.npy").toStdString();
        ir::NdArray array(int32, {4});
        array.set(2, 9);
        QVERIFY(ir::writeNpy(file, array));
        const auto read = readInputs({{"A", {file}}});
        QVERIFY(read);
        QCOMPARE(integersOf(read->arrays.at("A")), (std::vector<std::int64_t>{0, 0, 9, 0}));
        QCOMPARE(read->given.at("A").path, file);
        QCOMPARE(read->given.at("A").content, contentOf(array));
        const auto type = ir::readNpyType(file);
        QVERIFY(type && type->dtype == int32 && type->shape == std::vector<std::int64_t>{4});
        for (const char *wrong : {"/no/such/file.npy", "/dev/zero"}) {
            QVERIFY(!readInputs({{"A", {file}}, {"B", {wrong}}}));
            QVERIFY(!ir::readNpyType(wrong));
        }
    }

    void dimensionsThatAreComputed()
    {
        const ir::Module module = tests::parsed(R"(
@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,))
    B = T.match_buffer(b, (n * 2,))
    for i in range(n):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            B[vi] = A[vi]
)");
        const auto arguments = argumentsOf(*module.find("main"), jobOf({}));
        QVERIFY(arguments);
        QCOMPARE(arguments->buffers.at(1).shape.at(0), 2 * arguments->buffers.at(0).shape.at(0));
    }

    void randomIntegersFillTheirRange()
    {
        BufferSpec spec{int32, {2000}, false, std::pair(-3, 2), false, {}};
        ir::NdArray array(spec.dtype, spec.shape);
        fillRandomly(array, 1, spec);
        std::vector<std::int64_t> values = integersOf(array);
        QVERIFY(!std::ranges::is_sorted(values));
        std::ranges::sort(values);
        QCOMPARE(values.front(), -3);
        QCOMPARE(values.back(), 2);
        for (std::int64_t each = -3; each <= 2; ++each) // about a sixth each
            QVERIFY(std::ranges::count(values, each) > 200);
        spec.isAscending = true;
        fillRandomly(array, 1, spec);
        QCOMPARE(integersOf(array), values);
        spec.range = std::pair(4, 4);
        fillRandomly(array, 1, spec);
        QVERIFY(std::ranges::all_of(integersOf(array), [](std::int64_t each) { return each == 4; }));
    }

    void argumentsAreSeededEachByItself()
    {
        const BufferSpec spec{float32, {8}};
        const auto arrays = filledArrays(setOf({spec, spec})), again = filledArrays(setOf({spec, spec}));
        QCOMPARE(arrays.size(), 2UL);
        for (int i = 0; i < 8; ++i)
            QCOMPARE(arrays[0].at(i), again[0].at(i));
        QVERIFY(arrays[0].at(0) != arrays[1].at(0) && arrays[0].at(1) != arrays[1].at(1));
        const ArgumentSet mixed = setOf({spec, {int32, {8}}});
        const auto wide = inDouble(filledArrays(mixed), mixed, std::array{std::size_t{0}});
        QCOMPARE(wide.size(), 3UL);
        QVERIFY(wide[0].dtype() == ir::DataType::float_(64));
        QVERIFY(wide[1].dtype() == int32);
        QVERIFY(wide[2].dtype() == ir::DataType::float_(64) && wide[2].shape() == spec.shape);
        for (int i = 0; i < 8; ++i) {
            QCOMPARE(wide[0].at(i), arrays[0].at(i));
            QCOMPARE(wide[2].at(i), 0.0);
        }
    }

    /// As large as sums and products of them fit, where integers are compared.
    void integersAreAsLargeAsSumsFit()
    {
        const auto bitsOf = [](const char *value, const char *init = "0") {
            const ir::Module module = tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((64, 256), "int32"), B: T.Buffer((256,), "int32"), C: T.Buffer((64,), "int32")):
    for i, k in T.grid(64, 256):
        with T.block("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = {}
            C[vi] = {}
)",
                                                                init, value));
            return integerBits(*module.mainEntry()->function, {});
        };
        QCOMPARE(bitsOf("T.max(C[vi], A[vi, vk])"), 31);
        QCOMPARE(bitsOf("T.max(C[vi], A[vi, vk] * 2 + 1)"), 30);
        QCOMPARE(bitsOf("C[vi] + T.max(A[vi, vk], 0)"), 23); // 2^22 · 2^8 is less than 2^31
        QCOMPARE(bitsOf("C[vi] + T.max(A[vi, vk], 0) * B[vk]"), 12);
        QCOMPARE(bitsOf("C[vi] * T.max(A[vi, vk], 0)", "1"), 11); // never: the least
        QCOMPARE(bitsOf("C[vi] + A[vi, vk] * B[vk]"), 18);        // wraps as it would in any order
        QCOMPARE(bitsOf("C[vi] + A[vi, vk]"), 23);
    }

    /// Bytes of the whole range, floats of many magnitudes; sums of wider integers fit.
    void wideNumbersAreOfAllSizes()
    {
        const auto valuesOf = [](ir::DataType dtype, int bits = 18) {
            BufferSpec spec{dtype, {4096}};
            spec.integerBits = bits;
            const ir::NdArray array = filledArrays(setOf({spec}, Values::Wide))[0];
            std::vector<double> values;
            for (int i = 0; i < 4096; ++i)
                values.push_back(array.at(i));
            std::ranges::sort(values);
            return values;
        };
        const auto bytes = valuesOf(ir::DataType::int_(8)), unsignedBytes = valuesOf(ir::DataType::uint(8));
        QVERIFY(bytes.front() == -128 && bytes.back() == 127);
        QVERIFY(unsignedBytes.front() == 0 && unsignedBytes.back() == 255);
        QVERIFY(valuesOf(ir::DataType::int_(16)).back() > 32000);
        QVERIFY(valuesOf(int32).back() > 65536 && valuesOf(int32, 11).back() < 1024);
        for (const ir::DataType dtype : {ir::DataType::float_(16), float32, ir::DataType::float_(64)}) {
            const auto values = valuesOf(dtype);
            QVERIFY(values.front() < -8 && values.back() > 8);
            QVERIFY(std::ranges::count(values, 0.0) > 10);
            QVERIFY(std::ranges::any_of(values, [](double each) { return each > 0 && each < 1e-4; }));
        }
        const ir::NdArray special = filledArrays(setOf({{float32, {64}}}, Values::Special))[0];
        std::vector<double> rest;
        int unusual = 0;
        for (int i = 0; i < 64; ++i)
            unusual += std::isfinite(special.at(i)) ? 0 : 1;
        QVERIFY(unusual > 0 && unusual <= 3);
    }

    void elementsComeFromFiles()
    {
        const QTemporaryDir folder;
        const auto written = [&](const char *name, const std::vector<float> &values) {
            const std::string path = folder.filePath(name).toStdString();
            std::ofstream(path, std::ios::binary)
                .write(reinterpret_cast<const char *>(values.data()),
                       static_cast<std::streamsize>(values.size() * sizeof(float)));
            return path;
        };
        const auto arraysOf = [&](const std::string &path) {
            BufferSpec spec{float32, {3}};
            spec.file = path;
            return filledArrays(setOf({spec}))[0].at(2);
        };
        QCOMPARE(arraysOf(written("right", {1, 2, 3})), 3.0);
        QVERIFY_THROWS_EXCEPTION(support::UserError, arraysOf(written("short", {1, 2})));
        QVERIFY_THROWS_EXCEPTION(support::UserError, arraysOf(written("long", {1, 2, 3, 4})));
        QVERIFY_THROWS_EXCEPTION(support::UserError, arraysOf(folder.filePath("none").toStdString()));
    }

    /// Through whatever buffer: another one on the same memory, or a part of it.
    void whatIsWrittenIsFoundByItsMemory()
    {
        const auto writtenOf = [](const char *body) {
            const ir::Module module = tests::parsed(std::format(R"(
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
{}
)",
                                                                body));
            const auto arguments = argumentsOf(*module.find("main"), {});
            return std::pair(arguments->buffers[0].written, arguments->buffers[1].written);
        };
        QCOMPARE(writtenOf("    C = T.decl_buffer((64,), \"float32\", data=B.data)\n"
                           "    for i in range(64):\n        C[i] = A[i]"),
                 std::pair(false, true));
        QCOMPARE(
            writtenOf("    for i in range(64):\n"
                      "        with T.block(\"b\"):\n"
                      "            vi = T.axis.spatial(64, i)\n"
                      "            T.reads(A[vi])\n"
                      "            T.writes(B[vi])\n"
                      "            C = T.match_buffer(B[vi], (), elem_offset=T.int32(), offset_factor=1)\n"
                      "            C[()] = A[vi]"),
            std::pair(false, true));
    }

    void theLongestSumIsFound()
    {
        const auto terms = [](std::string_view text, const std::map<std::string, std::int64_t> &sizes = {}) {
            return longestReduction(*tests::parsed(text).find("main"), sizes);
        };
        QCOMPARE(terms(tests::programText("matmul")), 128);
        QCOMPARE(terms(tests::programText("elementwise")), 1);
        QCOMPARE(terms(tests::programText("conv2d_pad")), 8 * 3 * 3);
        const char *const rows = R"(
@T.prim_func
def main(a: T.handle, B: T.Buffer((4,), "float32")):
    n = T.int32()
    A = T.match_buffer(a, (4, n))
    for i, k in T.grid(4, n):
        with T.block("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
)";
        QCOMPARE(terms(rows, {{"n", 33}}), 33);
        QCOMPARE(terms(rows, {{"m", 33}}), 1);
        QCOMPARE(terms(rows, {{"n", std::int64_t{1} << 60}}), 1'000'000'000'000'000);
    }
};

QTEST_GUILESS_MAIN(ArgumentsTest)
#include "arguments_test.moc"
