// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the dialog that asks for inputs.
#include "app/present/input_rows.h"

#include "tests/app/present/small_models.h"
#include "tests/support/programs.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::tests;
using app::InputRow;

namespace {

/// Adds up the elements of each row, which begin at the places in `ptr`.
constexpr const char *sparse = R"(@T.prim_func
def main(data: T.Buffer((40,), "float32"), ptr: T.Buffer((9,), "int32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.block("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = T.float32(0)
            for j in range(ptr[vi + 1] - ptr[vi]):
                B[vi] = B[vi] + data[ptr[vi] + j]
)";

constexpr const char *gathered = R"(@T.prim_func
def main(scale: T.int32, A: T.Buffer((16, 4), "float32"), rows: T.Buffer((8,), "int64"),
         B: T.Buffer((8, 4), "float32")):
    for i, j in T.grid(8, 4):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[rows[vi], vj]
)";

} // namespace

class InputRowsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void argumentsOfAKernel()
    {
        const std::vector<InputRow> rows = app::inputRows(program("mm_relu"), {});
        QCOMPARE(rows.size(), 3U);
        for (const InputRow &row : rows) {
            QCOMPARE(row.type, QStringLiteral("128×128 f32"));
            QCOMPARE(row.buffer.name(), row.name);
            QVERIFY(row.file.isEmpty());
        }
        QCOMPARE(rows[0].name, std::string("A"));
        QCOMPARE(rows[0].otherwise, QStringLiteral("random numbers"));
        QCOMPARE(rows[2].name, std::string("D"));
        QCOMPARE(rows[2].otherwise, QStringLiteral("written by the kernel; random numbers before"));
    }

    /// An array of places says which these are; a number cannot be given, and the arrays behind it keep their
    /// own facts.
    void placesAndNumbers()
    {
        const std::vector<InputRow> rows = app::inputRows(parsed(gathered), {});
        QCOMPARE(rows.size(), 4U);
        QCOMPARE(rows[0].name, std::string("scale"));
        QCOMPARE(rows[0].type, QStringLiteral("int32"));
        QCOMPARE(rows[0].otherwise, QStringLiteral("always 1"));
        QVERIFY(!rows[0].buffer);
        QCOMPARE(rows[1].otherwise, QStringLiteral("random numbers"));
        QCOMPARE(rows[2].name, std::string("rows"));
        QCOMPARE(rows[2].type, QStringLiteral("8 i64"));
        QCOMPARE(rows[2].otherwise, QStringLiteral("random from 0 to 15: places in other arrays"));
        QVERIFY(rows[3].otherwise.startsWith(QStringLiteral("written by the kernel")));
    }

    void placesInOrder()
    {
        QCOMPARE(app::inputRows(parsed(sparse), {})[1].otherwise,
                 QStringLiteral("random from 0 to 40: places in other arrays, in ascending order"));
    }

    void symbolicSizes()
    {
        const std::vector<InputRow> rows = app::inputRows(program("symbolic"), {});
        QVERIFY(!rows.empty());
        QCOMPARE(rows.front().type, QStringLiteral("n×m f32"));
    }

    void filesThatAreGiven()
    {
        const std::vector<InputRow> rows =
            app::inputRows(program("mm_relu"), {{"B", {"folder/b.npy", 7}}, {"none", {"other.npy", 8}}});
        QVERIFY(rows[0].file.isEmpty());
        QCOMPARE(rows[1].file, QStringLiteral("folder/b.npy"));
        QCOMPARE(rows.size(), 3U);
    }

    void noFunction() { QVERIFY(app::inputRows(ir::Module(), {}).empty()); }

    void inputsOfAModel()
    {
        const session::Model model = modelOf(paneNetwork());
        const std::vector<InputRow> rows = app::inputRows(model, {{"x", "cat.npy"}, {"y", "dog.npy"}});
        QCOMPARE(rows.size(), 1U); // weights are none
        QCOMPARE(rows[0].name, std::string("x"));
        QCOMPARE(rows[0].type, QStringLiteral("1×3×8×8 f32"));
        QCOMPARE(rows[0].file, QStringLiteral("cat.npy"));
        QCOMPARE(rows[0].buffer.dtype(), ir::DataType::float32());
        QCOMPARE(rows[0].buffer.shape().size(), 4U);
        QVERIFY(app::inputRows(model, {})[0].file.isEmpty());
    }

    /// The content of a file that was given before is known still; of another file it is not.
    void contentStaysKnown()
    {
        const measure::GivenInputs before{{"A", {"a.npy", 11}}, {"B", {"b.npy", 22}}};
        const measure::GivenInputs now =
            app::givenInputs({{"A", "a.npy"}, {"B", "other.npy"}, {"C", "b.npy"}}, before);
        QVERIFY((now == measure::GivenInputs{{"A", {"a.npy", 11}}, {"B", {"other.npy"}}, {"C", {"b.npy"}}}));
        QVERIFY(app::givenInputs({}, before).empty());
    }

    void textsOfTheDialogs()
    {
        const app::InputTexts model = app::modelInputTexts(), kernel = app::kernelInputTexts();
        QVERIFY(model.title != kernel.title && model.accept != kernel.accept);
        QVERIFY(model.filter.contains(QStringLiteral("*.pb"))
                && model.filter.contains(QStringLiteral("*.npy")));
        QVERIFY(!kernel.filter.contains(QStringLiteral("*.pb"))); // they hold what a model says of an input
        for (const app::InputTexts &texts : {model, kernel})
            QVERIFY(!texts.explanation.isEmpty() && !texts.empty.isEmpty());
    }
};

QTEST_GUILESS_MAIN(InputRowsTest)
#include "input_rows_test.moc"
