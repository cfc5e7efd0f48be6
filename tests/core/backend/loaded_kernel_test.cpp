// SPDX-License-Identifier: Apache-2.0
// Arguments of compiled kernels: those that fit, and what is said of others.
#include "core/backend/link/loaded_kernel.h"

#include "core/backend/backend.h"
#include "core/backend/link/runtime.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <bit>
#include <cstring>

using namespace nestwright;
using namespace nestwright::backend;

namespace {

const ir::DataType float32 = ir::DataType::float32(), float16 = ir::DataType::float_(16),
                   int32 = ir::DataType::int32();

/// f(A: float32 (any, 4), s: float16, k: int32, n: the first dimension of A)
Entry entry()
{
    return {.name = "f",
            .symbol = "f",
            .arguments = {{.kind = Argument::Kind::Buffer, .name = "A", .dtype = float32, .shape = {-1, 4}},
                          {.kind = Argument::Kind::Scalar, .name = "s", .dtype = float16, .shape = {}},
                          {.kind = Argument::Kind::Scalar, .name = "k", .dtype = int32, .shape = {}},
                          {.kind = Argument::Kind::Size,
                           .name = "n",
                           .dtype = int32,
                           .shape = {},
                           .buffer = 0,
                           .dimension = 0}}};
}

std::string refusalOf(std::vector<ir::NdArray> arrays, const std::vector<std::int64_t> &scalars = {0, 0},
                      const Entry &of = entry())
{
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : arrays)
        pointers.push_back(&array);
    const auto packed = PackedArguments::make(of, pointers, scalars);
    return packed ? "" : packed.error().code + ": " + packed.error().message;
}

template <class T> T wordAt(PackedArguments &packed, std::size_t argument)
{
    T value{};
    std::memcpy(&value, packed.data()[argument], sizeof value);
    return value;
}

} // namespace

class LoadedKernelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void argumentsArePackedInTheirTypes()
    {
        ir::NdArray a(float32, {7, 4});
        const std::array arrays{&a};
        const std::array scalars{std::bit_cast<std::int64_t>(-1.5), std::int64_t{-3}};
        auto packed = PackedArguments::make(entry(), arrays, scalars);
        QVERIFY2(packed, packed ? "" : packed.error().message.c_str());
        QCOMPARE(packed->data()[0], static_cast<void *>(a.bytes().data()));
        QCOMPARE(packed->bytes(0).size(), a.bytes().size());
        QCOMPARE(wordAt<std::uint16_t>(*packed, 1), ir::floatToHalf(-1.5F));
        QCOMPARE(wordAt<std::int32_t>(*packed, 2), -3);
        QCOMPARE(wordAt<std::int32_t>(*packed, 3), 7);
        QCOMPARE(packed->bytes(3).size(), std::size_t{8});
    }

    void vectorsMayBeGivenByTheirElements()
    {
        Entry of = entry();
        of.arguments[0].dtype = ir::DataType::float_(32, 4);
        of.arguments[0].shape = {2};
        QCOMPARE(refusalOf({ir::NdArray(ir::DataType::float_(32, 4), {2})}, {0, 0}, of), std::string());
        QCOMPARE(refusalOf({ir::NdArray(float32, {2})}, {0, 0}, of), std::string());
        QVERIFY(!refusalOf({ir::NdArray(float16, {2})}, {0, 0}, of).empty());
    }

    void argumentsMustFit()
    {
        const std::string code = "backend.arguments: ";
        const std::string isA = "the buffer 'A' is float32 (any, 4), but the array given for it is ";
        QCOMPARE(refusalOf({ir::NdArray(float32, {1, 4})}), std::string());
        QCOMPARE(refusalOf({ir::NdArray(float32, {7, 3})}), code + isA + "float32 (7, 3)");
        QCOMPARE(refusalOf({ir::NdArray(float32, {28})}), code + isA + "float32 (28)");
        QCOMPARE(refusalOf({ir::NdArray(float32, {7, 4, 1})}), code + isA + "float32 (7, 4, 1)");
        QCOMPARE(refusalOf({ir::NdArray(int32, {7, 4})}), code + isA + "int32 (7, 4)");
        QCOMPARE(refusalOf({}), code + "no array is given for the buffer 'A'");
        const ir::NdArray a(float32, {7, 4});
        QCOMPARE(refusalOf({a}, {}), code + "no value is given for the parameter 's'");
        QCOMPARE(refusalOf({a}, {1}), code + "no value is given for the parameter 'k'");
        QCOMPARE(refusalOf({a}, {1, 2, 3}),
                 code + "'f' takes 1 arrays and 2 scalars, but 1 and 3 were given");
        QCOMPARE(refusalOf({a, a}), code + "'f' takes 1 arrays and 2 scalars, but 2 and 2 were given");
    }

    void functionsAreCalledByTheirNames_data()
    {
        QTest::addColumn<QString>("target");
        for (const char *target : {"llvm", "c"}) {
            if (isBuilt(target::parseTarget(target)->kind))
                QTest::newRow(target) << target;
        }
    }
    void functionsAreCalledByTheirNames()
    {
        QFETCH(QString, target);
        const ir::Module two = tests::parsed(R"(
@I.ir_module
class Module:
    @T.prim_func
    def first(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = T.float32(1)

    @T.prim_func
    def second(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = A[i] * T.float32(2)
)");
        const auto artifact = compile(two, *target::parseTarget(target.toStdString()));
        QVERIFY2(artifact, artifact ? "" : artifact.error().render().c_str());
        QCOMPARE(artifact->find("second")->name, std::string("second"));
        QVERIFY(!artifact->find("third"));
        const auto kernel = load(*artifact);
        QVERIFY2(kernel, kernel ? "" : kernel.error().render().c_str());
        QVERIFY((*kernel)->find("first") && (*kernel)->find("second"));
        QVERIFY((*kernel)->find("first") != (*kernel)->find("second"));
        QVERIFY(!(*kernel)->find("third"));
        ir::NdArray a(float32, {4}), b(float32, {4});
        a.set(3, 32);
        const std::array arrays{&a, &b};
        QVERIFY(call(**kernel, "second", arrays));
        QCOMPARE(b.at(3), 64.0);
        const auto none = call(**kernel, "third", arrays);
        QVERIFY(!none);
        QCOMPARE(none.error().message, std::string("the compiled module has no function 'third'"));
        auto packed = PackedArguments::make(*artifact->find("second"), arrays);
        QVERIFY(packed && (*kernel)->bind("second", *packed) && !(*kernel)->bind("third", *packed));
    }

    void bytesThatAreNoCodeAreRefused()
    {
        for (const Format format : {Format::Object, Format::SharedObject, Format::EmulatedDevice}) {
            Artifact artifact;
            artifact.format = format;
            artifact.bytes = "no code";
            artifact.entries = {entry()};
            const auto kernel = load(artifact);
            QVERIFY(!kernel);
            QCOMPARE(kernel.error().code, std::string("backend.load"));
        }
    }

    void functionsThatTheCodeLacksAreNamed()
    {
        if (!isBuilt(target::TargetKind::Llvm))
            QSKIP("this build has no LLVM");
        auto artifact = compile(tests::program("row_sum"), *target::parseTarget("llvm"));
        QVERIFY2(artifact, artifact ? "" : artifact.error().render().c_str());
        artifact->entries[0].symbol = "other";
        const auto kernel = load(*artifact);
        QVERIFY(!kernel);
        QCOMPARE(kernel.error().code, std::string("backend.load"));
        QVERIFY2(kernel.error().message.starts_with("the kernel cannot be linked: ")
                     && kernel.error().message.contains("other__packed"),
                 kernel.error().message.c_str());
    }

    void codesOfKernelsInWords()
    {
        QCOMPARE(describeKernelCode(0), std::string("the kernel finished"));
        QVERIFY(describeKernelCode(1).contains("by zero"));
        QVERIFY(describeKernelCode(2).contains("memory"));
        QVERIFY(describeKernelCode(3).contains("assertion"));
        QVERIFY(describeKernelCode(4).contains("null"));
        QCOMPARE(describeKernelCode(9), std::string("the kernel returned the code 9"));
    }
};

QTEST_GUILESS_MAIN(LoadedKernelTest)
#include "loaded_kernel_test.moc"
