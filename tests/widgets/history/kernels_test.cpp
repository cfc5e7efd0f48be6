// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a model's kernels: its columns, its order and the order that is remembered.
#include "widgets/history/kernels_view.h"
#include "widgets/models/kernels_model.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

using namespace nestwright;
using models::KernelsModel;

namespace {

models::KernelRow row(int kernel, const char *name, double gain, bool memoryBound)
{
    models::KernelRow made;
    made.kernel = kernel;
    made.name = name;
    made.nodes = kernel + 1;
    made.seconds = 2 * gain;
    made.share = gain;
    made.peakFraction = 0.5;
    made.memoryBound = memoryBound;
    made.gain = gain;
    return made;
}

QString cell(const history::KernelsView &view, int row, int column)
{
    return view.table()->model()->index(row, column).data().toString();
}

} // namespace

class KernelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theLargestGainComesFirst()
    {
        KernelsModel model;
        const QAbstractItemModelTester tester(&model);
        history::KernelsView view(model);
        model.setRows(
            {row(0, "pool", 0.001, true), row(1, "conv", 0.004, false), row(2, "relu", 0.002, true)});
        QCOMPARE(cell(view, 0, KernelsModel::Name), QString("conv"));
        QCOMPARE(cell(view, 0, KernelsModel::Gain), QString("4.000"));
        QCOMPARE(cell(view, 0, KernelsModel::Bound), QString("compute"));
        QCOMPARE(cell(view, 1, KernelsModel::Bound), QString("memory"));
        QSignalSpy chosen(&view, &history::KernelsView::kernelChosen);
        Q_EMIT view.table()->clicked(view.table()->model()->index(2, 0));
        QCOMPARE(chosen.at(0).at(0).toInt(), 0);
    }

    /// Names stay near their numbers in a wide window, and numbers stay whole in a narrow one.
    void namesHaveTheRoomThatIsLeft()
    {
        KernelsModel model;
        history::KernelsView view(model);
        model.setRows({row(0, "pool", 0.001, true)});
        view.resize(2000, 200);
        view.show();
        const QHeaderView *header = view.table()->horizontalHeader();
        QTRY_COMPARE(header->sectionSize(KernelsModel::Name), 480);
        view.resize(700, 200);
        QTRY_COMPARE(header->length(), view.table()->viewport()->width());
        QVERIFY(header->sectionSize(KernelsModel::Name) < 480);
    }

    void unmeasuredKernelsHaveNoNumbers()
    {
        KernelsModel model;
        history::KernelsView view(model);
        models::KernelRow plain;
        plain.name = "conv";
        model.setRows({plain});
        for (const int column : {KernelsModel::Time, KernelsModel::Share, KernelsModel::Gflops,
                                 KernelsModel::Peak, KernelsModel::Bound, KernelsModel::Gain})
            QCOMPARE(cell(view, 0, column), QString("–"));
    }

    /// A difference that could be chance is no figure.
    void changesAreShownWhereTheyAreSome()
    {
        KernelsModel model;
        history::KernelsView view(model);
        models::KernelRow slower = row(0, "conv", 0.004, false), same = row(1, "pool", 0.002, true);
        model.setRows({slower, same});
        QVERIFY(view.table()->isColumnHidden(KernelsModel::Change));
        slower.change = 0.25;
        same.change = -0.39;
        same.isNoise = true;
        model.setRows({slower, same});
        QVERIFY(!view.table()->isColumnHidden(KernelsModel::Change));
        QCOMPARE(cell(view, 0, KernelsModel::Change), QString("+25 %"));
        QCOMPARE(cell(view, 1, KernelsModel::Change), QString("≈"));
        QVERIFY(view.table()
                    ->model()
                    ->index(1, 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains("not significant (−39 %)"));
    }

    void theOrderIsRemembered()
    {
        KernelsModel model;
        model.setRows(
            {row(0, "pool", 0.001, true), row(1, "conv", 0.004, false), row(2, "relu", 0.002, true)});
        QByteArray saved;
        {
            history::KernelsView view(model);
            view.table()->sortByColumn(KernelsModel::Name, Qt::AscendingOrder);
            saved = view.saveOrder();
        }
        history::KernelsView view(model);
        QCOMPARE(cell(view, 2, KernelsModel::Name), QString("pool"));
        for (const QByteArray &state : {QByteArray("-nothing"), QByteArray(), saved})
            view.restoreOrder(state);
        QCOMPARE(cell(view, 2, KernelsModel::Name), QString("relu"));
        QCOMPARE(view.table()->horizontalHeader()->sortIndicatorSection(), int(KernelsModel::Name));
        QCOMPARE(view.saveOrder(), saved);
    }
};

QTEST_MAIN(KernelsTest)
#include "kernels_test.moc"
