// SPDX-License-Identifier: GPL-3.0-or-later
// The loops as an item model: consistent after every rewrite, indexes follow their loops.
#include "core/schedule/apply.h"
#include "tests/support/programs.h"
#include "widgets/document/nest.h"
#include "widgets/models/nest_model.h"

#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QtTest>

using namespace nestwright;
using models::NestModel;

namespace {
schedule::State state(std::string_view name) { return schedule::makeState(tests::program(name)).value(); }

schedule::State applied(const schedule::State &state, std::string_view primitive,
                        const std::vector<std::pair<std::string_view, schedule::ArgValue>> &args)
{
    return schedule::apply(state, schedule::makeStep(primitive, args).value()).value().state;
}

support::StmtId idOf(const document::Nest &nest, const char *name)
{
    for (const document::NestRow &row : nest.rows) {
        if (row.name == QLatin1String(name))
            return row.id;
    }
    return {};
}
} // namespace

class NestModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isEmptyAtFirst()
    {
        NestModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.headerData(NestModel::Extent, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("extent"));
    }

    void showsLoopsAndBlocks()
    {
        NestModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setNest(document::makeNest(state("matmul")));
        const QModelIndex i = model.index(0, 0);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(i.data().toString(), QStringLiteral("i"));
        QCOMPARE(model.index(0, NestModel::Extent).data().toString(), QStringLiteral("128"));
        const QModelIndex block = model.index(0, 0, model.index(0, 0, model.index(0, 0, i)));
        QCOMPARE(block.data().toString(), QStringLiteral("block C"));
        QCOMPARE(block.siblingAtColumn(NestModel::Extent).data().toString(), QStringLiteral("S S R"));
        QCOMPARE(model.rowCount(block), 0);
    }

    void rowsKnowAxisAndMemory()
    {
        const document::NestPtr nest = document::makeNest(state("matmul"));
        const document::NestRow &i = nest->rows[0];
        const document::NestRow &k = nest->rows[2];
        QCOMPARE(i.axis, 0);
        QVERIFY(!i.isReduction);
        QCOMPARE(k.axis, 2);
        QVERIFY(k.isReduction);
        QCOMPARE(i.bytes, 3.0 * 128 * 128 * 4);   // all of A, B and C
        QCOMPARE(k.bytes, (128 + 128 + 1) * 4.0); // a row, a column, an element
        QCOMPARE(k.memoryLevel, 1);
    }

    void namesAreThoseOfThePrintedProgram()
    {
        const document::NestPtr nest = document::makeNest(state("mm_relu"));
        for (const document::NestRow &row : nest->rows)
            QVERIFY2(nest->printed.text.find(row.name.toStdString()) != std::string::npos,
                     qPrintable(row.name));
    }

    void indexesFollowTheirLoops()
    {
        NestModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const schedule::State before = state("matmul");
        const document::NestPtr first = document::makeNest(before);
        model.setNest(first);
        const QPersistentModelIndex j = model.indexOf(idOf(*first, "j"));
        const QPersistentModelIndex k = model.indexOf(idOf(*first, "k"));
        QVERIFY(j.isValid() && k.isValid());
        const schedule::State after =
            applied(before, "reorder", {{"loops", schedule::ArgList{idOf(*first, "k"), idOf(*first, "j")}}});
        model.setNest(document::makeNest(after));
        QCOMPARE(model.id(k), idOf(*first, "k"));
        QCOMPARE(j.parent(), QModelIndex(k));
        const schedule::State split =
            applied(after, "split", {{"loop", idOf(*first, "j")}, {"factors", schedule::ArgList{{}, 32}}});
        model.setNest(document::makeNest(split));
        QVERIFY(!j.isValid()); // it is two loops now
        QVERIFY(k.isValid());
        QCOMPARE(model.indexOf(idOf(*first, "j")), QModelIndex());
    }

    void severalFunctionsAndOddPrograms_data()
    {
        QTest::addColumn<QString>("name");
        for (const tests::Program &program : tests::programs())
            QTest::newRow(std::string(program.name).c_str())
                << QString::fromUtf8(program.name.data(), qsizetype(program.name.size()));
    }
    void severalFunctionsAndOddPrograms()
    {
        QFETCH(QString, name);
        const auto made = schedule::makeState(tests::program(name.toStdString()));
        if (!made)
            QSKIP("it is no program to schedule");
        NestModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setNest(document::makeNest(*made));
        QVERIFY(model.rowCount() > 0);
    }

    void writesBytes_data()
    {
        QTest::addColumn<double>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("unknown") << -1.0 << QString();
        QTest::newRow("small") << 272.0 << QStringLiteral("272 B");
        QTest::newRow("kilo") << 8.6 * 1024 << QStringLiteral("8.6 KB");
        QTest::newRow("hundreds") << 136.0 * 1024 << QStringLiteral("136 KB");
        QTest::newRow("nearly the next") << 1023.0 * 1024 << QStringLiteral("1.0 MB");
    }
    void writesBytes()
    {
        QFETCH(double, bytes);
        QFETCH(QString, text);
        QCOMPARE(document::bytesText(bytes), text);
    }

    void cyclesOfMachineCode()
    {
        NestModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const document::NestPtr nest = document::makeNest(state("matmul"));
        model.setNest(nest);
        const QModelIndex k = model.indexOf(idOf(*nest, "k"), NestModel::Cycles);
        QVERIFY(!k.data().isValid());
        backend::LoopCode rest, main;
        rest.loop = main.loop = idOf(*nest, "k");
        rest.time = {2, 2, backend::CycleLimit::Dispatch, ""};
        main.time = {22, 16, backend::CycleLimit::Units, "FP0"};
        main.counts.packed = 16;
        main.counts.reloads = 1;
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setCode(std::make_shared<const std::vector<backend::LoopCode>>(std::vector{rest, main}));
        QVERIFY(!changed.isEmpty());
        QCOMPARE(k.data().toString(), QStringLiteral("22.0"));
        QVERIFY(k.data(NestModel::CostRole).toBool());
        QVERIFY(k.data(Qt::ToolTipRole).toString().contains(QStringLiteral("limited by FP0")));
        QVERIFY(!model.indexOf(idOf(*nest, "j"), NestModel::Cycles).data().isValid());
        model.setNest(document::makeNest(state("mm_relu")));
        QVERIFY(!model.indexOfRow(0, NestModel::Cycles).data(NestModel::CostRole).toBool());
    }
};

QTEST_MAIN(NestModelTest)
#include "nest_model_test.moc"
