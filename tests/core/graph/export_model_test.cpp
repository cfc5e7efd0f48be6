// SPDX-License-Identifier: Apache-2.0
// Exported models, called by a C program that knows their header only: rightly, and wrongly in each way that
// there is a code for.
#include "core/backend/link/compiler.h"
#include "core/graph/program/export_model.h"
#include "tests/core/graph/run_graph.h"

#include <cstdlib>

using namespace nestwright;
using namespace nestwright::graph;

namespace {

/// y = relu(x + w), of two rows and three columns.
Function network()
{
    Builder b;
    const Value x = b.input("x", {{ir::Expr(2), ir::Expr(3)}, ir::DataType::float32()});
    ir::NdArray weights(ir::DataType::float32(), {2, 3});
    for (int i = 0; i < 6; ++i)
        weights.set(i, i);
    const Value y = b.call("nn.relu", {b.call("add", {x, b.constant(std::move(weights))})});
    return b.finish({y}, {"y"});
}

/// Exits with the number of the first line whose code is another than expected.
constexpr const char *program = R"(
#include HEADER
#include <stddef.h>
#include <stdio.h>
#define EXPECT(code, call) do { int32_t got = (call); if (got != (code)) { \
    fprintf(stderr, "line %d: %d instead of %d\n", __LINE__, got, (code)); return 1; } } while (0)
int main(void)
{
    float data[6] = {1, -10, 1, 1, 1, 1};
    int64_t shape[2] = {2, 3}, other[2] = {3, 2}, compact[2] = {3, 1}, apart[2] = {4, 1}, turned[2] = {1, 2};
#ifdef WEIGHTS
    if (model_create(NULL) || model_create("/nonexistent") || model_create(SHORTER) || model_create(LONGER))
        return 2;
    model_model *model = model_create(WEIGHTS);
#else
    model_model *model = model_create();
#endif
    if (!model)
        return 3;
    DLTensor good = {data, {1, 0}, 2, {2, 32, 1}, shape, NULL, 0};
    DLTensor tensor = good;
    EXPECT(1, model_input_count());
    EXPECT(-4, model_set_input(NULL, 0, &good));
    EXPECT(-4, model_set_input(model, 0, NULL));
    EXPECT(-1, model_set_input(model, 1, &good));
    EXPECT(-1, model_set_input(model, -1, &good));
    tensor.data = NULL;
    EXPECT(-4, model_set_input(model, 0, &tensor));
    tensor = good, tensor.shape = NULL;
    EXPECT(-4, model_set_input(model, 0, &tensor));
    tensor = good, tensor.byte_offset = (uint64_t)1 << 63;
    EXPECT(-6, model_set_input(model, 0, &tensor));
    tensor.byte_offset = ~(uint64_t)0;
    EXPECT(-6, model_set_input(model, 0, &tensor));
    tensor = good, tensor.device.device_type = 2; /* CUDA */
    EXPECT(-5, model_set_input(model, 0, &tensor));
    tensor.device.device_type = 0;
    EXPECT(-5, model_set_input(model, 0, &tensor));
    tensor = good, tensor.ndim = 1;
    EXPECT(-2, model_set_input(model, 0, &tensor));
    tensor.ndim = 3;
    EXPECT(-2, model_set_input(model, 0, &tensor));
    tensor.ndim = -1;
    EXPECT(-2, model_set_input(model, 0, &tensor));
    tensor = good, tensor.shape = other;
    EXPECT(-2, model_set_input(model, 0, &tensor));
    tensor = good, tensor.dtype.code = 0;
    EXPECT(-2, model_set_input(model, 0, &tensor));
    tensor = good, tensor.dtype.bits = 64;
    EXPECT(-2, model_set_input(model, 0, &tensor));
    tensor = good, tensor.dtype.lanes = 4;
    EXPECT(-2, model_set_input(model, 0, &tensor));
    tensor = good, tensor.strides = apart;
    EXPECT(-3, model_set_input(model, 0, &tensor));
    tensor.strides = turned;
    EXPECT(-3, model_set_input(model, 0, &tensor));
    tensor.strides = compact;
    EXPECT(0, model_set_input(model, 0, &tensor));
    EXPECT(0, model_set_input(model, 0, &good));
    EXPECT(-4, model_run(NULL));
    EXPECT(0, model_run(model));
    EXPECT(0, model_run(model)); /* the input is kept */
    DLTensor out;
    EXPECT(-4, model_get_output(NULL, 0, &out));
    EXPECT(-4, model_get_output(model, 0, NULL));
    EXPECT(-1, model_get_output(model, 1, &out));
    EXPECT(0, model_get_output(model, 0, &out));
    for (int i = 0; i < 6; ++i) {
        const float sum = data[i] + (float)i;
        if (((const float *)out.data)[i] != (sum > 0 ? sum : 0))
            return 4;
    }
    model_destroy(model);
    model_destroy(NULL);
    return 0;
}
)";

} // namespace

class ExportModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wrongCallsGetACode_data()
    {
        QTest::addColumn<QString>("format");
        QTest::newRow("shared") << "shared";
        QTest::newRow("c") << "c";
    }
    void wrongCallsGetACode()
    {
        QFETCH(QString, format);
        auto made = makeProgram(network());
        QVERIFY(made.has_value());
        const auto files = exportModel(std::move(*made), {}, format.toStdString(), "model");
        QVERIFY2(files.has_value(), files ? "" : files.error().render().c_str());
        const backend::TemporaryFolder folder;
        std::vector<std::string> arguments{"-std=c11",
                                           "-O1",
                                           "-Wall",
                                           "-Werror",
                                           "-I" + folder.path().string(),
                                           "-DHEADER=\"model.h\"",
                                           "-o",
                                           (folder.path() / "program").string(),
                                           (folder.path() / "program.c").string()};
        for (const backend::ExportFile &file : *files) {
            backend::writeFile(folder.path() / file.name, file.bytes);
            if (file.name.ends_with(".c") || file.name.ends_with(".so"))
                arguments.push_back((folder.path() / file.name).string());
            if (!file.name.ends_with(".weights"))
                continue;
            // A file of another length is another model's.
            const auto define = [&](const std::string &name, const std::string &bytes) {
                backend::writeFile(folder.path() / name, bytes);
                arguments.push_back("-D" + name + "=\"" + (folder.path() / name).string() + '"');
            };
            define("WEIGHTS", file.bytes);
            define("SHORTER", file.bytes.substr(1));
            define("LONGER", file.bytes + "x");
        }
        backend::writeFile(folder.path() / "program.c", program);
        arguments.insert(arguments.end(), {"-lm", "-pthread"});
        const auto linked = backend::runCompiler(arguments, {});
        QVERIFY2(linked, linked ? "" : linked.error().message.c_str());
        QCOMPARE(std::system((folder.path() / "program").c_str()), 0);
    }
};

QTEST_GUILESS_MAIN(ExportModelTest)
#include "export_model_test.moc"
