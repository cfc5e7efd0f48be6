// SPDX-License-Identifier: GPL-3.0-or-later
// A model in the real window: open, measure, open the kernel that costs most, change its schedule, measure
// again. NESTWRIGHT_SHOTS=DIR leaves pictures there.
#include "app/window/dialogs/inputs_dialog.h"
#include "app/window/frame/banner.h"
#include "app/window/frame/main_window.h"
#include "app/window/panes/node_panel.h"
#include "app/window/tools/passes_window.h"
#include "tests/e2e/model_fixture.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/document/work/model_results.h"
#include "widgets/history/kernels_view.h"
#include "widgets/look/button.h"
#include "widgets/models/kernels_model.h"

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QTableView>
#include <QTreeWidget>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

using namespace nestwright;
using e2e::patience;
using e2e::squeezenet;

class ModelTest : public QObject, e2e::ModelFixture {
    Q_OBJECT

    QTableView *table() const { return m_window->kernelsView()->table(); }
    QString cell(int row, int column) const { return table()->model()->index(row, column).data().toString(); }

    /// The operators of a node of the open model, by its id.
    QStringList operatorsOf(int id) const
    {
        const graph::Function &function = m_window->model().model().program.function;
        const auto node = std::ranges::find(function.nodes, graph::NodeId{static_cast<std::uint32_t>(id)},
                                            &graph::Node::id);
        QStringList names;
        if (node == function.nodes.end())
            return names;
        if (node->op)
            names << QString::fromUtf8(node->op->name);
        if (node->function) {
            for (const graph::Node &inner : node->function->nodes) {
                if (inner.op)
                    names << QString::fromUtf8(inner.op->name);
            }
        }
        return names;
    }

    /// The innermost loop of more than one iteration that nothing was said about yet.
    QString aSerialLoop() const
    {
        const std::vector<document::NestRow> &rows = document().nest()->rows;
        const auto found = std::find_if(rows.rbegin(), rows.rend(), [](const document::NestRow &each) {
            return each.kind == document::RowKind::Loop && each.badge.isEmpty() && each.iterations > 1;
        });
        return found == rows.rend() ? QString() : found->name;
    }

private Q_SLOTS:
    void initTestCase() { showModelWindow(); }
    void cleanupTestCase() { m_window.reset(); }

    void opens()
    {
        openSqueezenet();
        const graph::Function &function = m_window->model().model().program.function;
        const auto nodes = std::ranges::count_if(function.nodes, std::not_fn(&graph::Node::isConstant));
        QCOMPARE(m_window->graphCanvas()->frames().frames.front().count,
                 static_cast<int>(nodes) + static_cast<int>(function.outputs.size()));
        QCOMPARE(table()->model()->rowCount(),
                 static_cast<int>(m_window->model().model().program.kernels.size()));
        QVERIFY(document().tree().size() > 5); // the default schedule's steps are variants
        shoot("model-open");
    }

    void thePassesAndWhatTheyChanged()
    {
        QTest::keyClick(m_window.get(), Qt::Key_G, Qt::ControlModifier);
        auto *passes = m_window->findChild<app::PassesWindow *>();
        QVERIFY(passes);
        QTRY_VERIFY_WITH_TIMEOUT(passes->list()->currentItem() && passes->after()->isLaidOut(), patience);
        // The one that did most is shown first: blocks of channels.
        QCOMPARE(passes->list()->currentItem()->text(0), QStringLiteral("alter-op-layout"));
        const auto marked = [](const canvas::GraphCanvas *canvas, canvas::NodeMark mark) {
            return std::ranges::count(canvas->graph().nodes, mark, &canvas::GraphNode::mark);
        };
        QVERIFY(marked(passes->before(), canvas::NodeMark::Removed) > 0);
        QCOMPARE(marked(passes->before(), canvas::NodeMark::Added), 0);
        QVERIFY(marked(passes->after(), canvas::NodeMark::Added) > 0);
        shoot("passes-layout", passes);
        const QList<QTreeWidgetItem *> fusion =
            passes->list()->findItems(QStringLiteral("fuse-ops"), Qt::MatchExactly);
        QCOMPARE(fusion.size(), 1);
        const QRect row = passes->list()->visualItemRect(fusion.front());
        QTest::mouseClick(passes->list()->viewport(), Qt::LeftButton, {},
                          {row.center().x(), row.center().y()});
        QTRY_VERIFY_WITH_TIMEOUT(marked(passes->after(), canvas::NodeMark::Changed) > 0
                                     && passes->after()->isLaidOut() && passes->before()->isLaidOut(),
                                 patience);
        QVERIFY(passes->before()->graph().nodes.size() > passes->after()->graph().nodes.size());
        shoot("passes-fusion", passes);
        // A node selects its group on the other side.
        const auto member = std::ranges::find(passes->before()->graph().nodes, canvas::NodeMark::Changed,
                                              &canvas::GraphNode::mark);
        const auto index = static_cast<int>(member - passes->before()->graph().nodes.begin());
        passes->before()->reveal(member->id);
        QTest::mouseClick(passes->before(), Qt::LeftButton, {},
                          passes->before()->nodeRect(index).center().toPoint());
        QTRY_VERIFY_WITH_TIMEOUT(passes->after()->selectedIndex() >= 0, patience);
        QCOMPARE(
            passes->after()->graph().nodes[static_cast<std::size_t>(passes->after()->selectedIndex())].mark,
            canvas::NodeMark::Changed);

        // Without fusion the model has more kernels; what was done comes back with it.
        const std::size_t kernels = m_window->model().model().program.steps.size();
        QVERIFY(!passes->applyButton()->isEnabled());
        fusion.front()->setCheckState(0, Qt::Unchecked);
        QTRY_VERIFY_WITH_TIMEOUT(passes->applyButton()->isEnabled(), patience);
        QTest::mouseClick(passes->applyButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().model().program.steps.size() > kernels, patience);
        QVERIFY(settle());
        QCOMPARE(m_window->model().model().settings.disabled.size(), std::size_t{1});
        passes->levels()->setCurrentIndex(2);
        passes->levels()->setCurrentIndex(3);
        QTRY_VERIFY_WITH_TIMEOUT(passes->applyButton()->isEnabled(), patience);
        QTest::mouseClick(passes->applyButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->model().model().program.steps.size(), kernels, patience);
        QVERIFY(settle());
        passes->close();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }

    void measuresAndShowsWhereTheTimeGoes()
    {
        measureModel();
        QVERIFY(settle());
        QVERIFY(cell(0, models::KernelsModel::Time).toDouble() > 0);
        // Sorted by what could be gained.
        QVERIFY(cell(0, models::KernelsModel::Gain).toDouble()
                >= cell(1, models::KernelsModel::Gain).toDouble());
        shoot("model-measured");
    }

    void aClickOnTheTopRowOpensTheKernel()
    {
        // The kernel with most to gain depends on what was measured.
        const QModelIndex top = table()->model()->index(0, 0);
        const int kernel = top.data(models::KernelsModel::KernelRole).toInt();
        m_window->model().openKernel(kernel == 0 ? 1 : 0);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().kernel() != kernel, patience);
        QVERIFY(settle());
        table()->scrollTo(top);
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(top).center());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->model().kernel(), kernel, patience);
        QVERIFY(settle());
        const int selected = m_window->graphCanvas()->selectedId();
        QCOMPARE(m_window->model().kernelOf({static_cast<std::uint32_t>(selected)}), kernel);
    }

    void theSelectedNodeIsDescribed()
    {
        QTest::keyClick(m_window.get(), Qt::Key_I, Qt::ControlModifier);
        const app::NodePanel *panel = m_window->nodePanel();
        QVERIFY(panel->isVisible());
        const session::Model &model = m_window->model().model();
        const graph::Kernel &kernel =
            model.program.kernels[static_cast<std::size_t>(m_window->model().kernel())];
        QVERIFY(panel->text().contains(QString::fromStdString(kernel.name)));
        const int node = m_window->graphCanvas()->selectedId();
        for (const QString &op : operatorsOf(node))
            QVERIFY2(panel->text().contains(op), qPrintable(op));
        if (!app::weightsOf(model, node).empty())
            QTRY_VERIFY_WITH_TIMEOUT(panel->text().contains(QStringLiteral("mean")), patience);
        QVERIFY(panel->text().contains(QStringLiteral("% of the model")));
        shoot("model-node");
        QTest::keyClick(m_window.get(), Qt::Key_I, Qt::ControlModifier);
        QVERIFY(!panel->isVisible());
    }

    void theValuesOfNodesAreShownAndSaved()
    {
        document::ModelResults &results = m_window->modelResults();
        QString problem;
        connect(&results, &document::ModelResults::failed, &results,
                [&](const support::Diagnostic &told) { problem = QString::fromStdString(told.message); });
        QTest::keyClick(m_window.get(), Qt::Key_R, Qt::ControlModifier);
        QVERIFY(results.isRunning());
        QVERIFY(m_window->nodePanel()->text().contains(QStringLiteral("running the model")));
        QTRY_VERIFY_WITH_TIMEOUT(!results.isRunning(), 120'000);
        QVERIFY2(!results.known().empty(), qPrintable(problem));
        QVERIFY(settle());
        shoot("model-values");
        const QString given = m_window->nodePanel()->text().section(QStringLiteral("Gives"), 1);
        QVERIFY2(given.contains(QStringLiteral("mean")), qPrintable(given));
        // The 1000 elements of the softmax have the sum 1.
        const auto softmax = results.known().find("softmaxout_1");
        QVERIFY(softmax != results.known().end());
        QCOMPARE(softmax->second.elements, 1000);
        QVERIFY(std::abs(softmax->second.mean - 1e-3) < 1e-8);
        const QString file = path("values.npy");
        results.save(QStringLiteral("softmaxout_1"), file);
        QTRY_VERIFY_WITH_TIMEOUT(!results.isRunning(), 120'000);
        QVERIFY2(QFile(file).size() >= 4000, qPrintable(problem));
        // Of another input: a file that is not there is told of beside its field, and when the model runs all
        // the same.
        m_window->commands().trigger(QStringLiteral("graph.inputs"));
        const auto *dialog = m_window->findChild<app::InputsDialog *>();
        QTRY_VERIFY(dialog && dialog->isVisible());
        auto *edit = dialog->findChild<QLineEdit *>();
        QVERIFY(edit && edit->text().isEmpty());
        QTest::keyClicks(edit, path("nothing.npy"));
        shoot("model-inputs", edit->window());
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(edit->accessibleDescription().contains(QStringLiteral("nothing.npy")),
                                 patience);
        QVERIFY(dialog->isVisible());
        QTest::keyClick(edit, Qt::Key_Escape);
        QTRY_VERIFY(!m_window->findChild<app::InputsDialog *>());
        m_window->activateWindow(); // no window manager does it
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        results.setInputs({{"data", path("nothing.npy")}});
        results.find();
        QVERIFY(results.isRunning() && results.known().empty());
        QTRY_VERIFY_WITH_TIMEOUT(!results.isRunning(), 120'000);
        QVERIFY2(problem.contains(QStringLiteral("nothing.npy")), qPrintable(problem));
        QVERIFY(m_window->banner()->isVisible());
        results.setInputs({});
        QTest::keyClick(m_window.get(), Qt::Key_I, Qt::ControlModifier);
        QVERIFY(!m_window->nodePanel()->isVisible());
    }

    void aChangedScheduleIsMeasuredWithTheModel()
    {
        const int kernel = m_window->model().kernel();
        // Two further steps: a serial loop is split, and the inner one unrolled.
        const int before = document().tree().size();
        const QByteArray loop = aSerialLoop().toLatin1();
        QVERIFY(!loop.isEmpty());
        document().selection().select(row(loop.constData())); // brings it into view
        QVERIFY(settle());
        click(loop.constData());
        press(Qt::Key_S);
        QTRY_VERIFY_WITH_TIMEOUT(strip()->form() != nullptr, patience);
        QVERIFY(settle());
        press(Qt::Key_Return); // the factors that are proposed
        QTRY_COMPARE_WITH_TIMEOUT(document().tree().size(), before + 1, patience);
        QVERIFY(settle());
        const QByteArray inner = loop + "_1";
        QVERIFY(row(inner.constData()));
        document().selection().select(row(inner.constData()));
        QVERIFY(settle());
        click(inner.constData());
        press(Qt::Key_U);
        QVERIFY(settle());
        QCOMPARE(document().tree().size(), before + 2);
        // Measuring the kernel measures the model again.
        QVERIFY(!m_window->modelMeasuring().last()->speedup);
        press(Qt::Key_M);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->modelMeasuring().last()->speedup, 120'000);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->modelMeasuring().isRunning(), 120'000);
        QVERIFY(document().tree().current().measurement);
        QVERIFY(!table()->isColumnHidden(models::KernelsModel::Change));
        QVERIFY(settle());
        QCOMPARE(m_window->model().kernel(), kernel);
        QCOMPARE(document().tree().size(), before + 2);
        shoot("model-again");
    }

    void anotherKernelAndBackKeepsWhatWasDone()
    {
        const int kernel = m_window->model().kernel();
        const session::VariantId current = document().currentId();
        m_window->model().openKernel(kernel == 0 ? 1 : 0);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().kernel() != kernel, patience);
        QVERIFY(settle());
        m_window->model().openKernel(kernel);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->model().kernel(), kernel, patience);
        QVERIFY(settle());
        QCOMPARE(document().currentId(), current);
    }

    void theSessionBringsEverythingBack()
    {
        const int kernel = m_window->model().kernel();
        const int size = document().tree().size();
        const session::VariantId current = document().currentId();
        QVERIFY(document().isModified());
        const QString file = path("squeezenet.nest");
        const std::size_t measurements = m_window->model().times().size();
        QVERIFY(measurements > 0);
        const double seconds = m_window->model().times().back().seconds.median;
        document().save(file);
        QTRY_COMPARE_WITH_TIMEOUT(document().sessionPath(), file, patience);
        QVERIFY(!document().isModified());
        // Another kernel is looked at: still the same session.
        m_window->model().openKernel(kernel == 0 ? 1 : 0);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().kernel() != kernel, patience);
        QCOMPARE(document().sessionPath(), file);
        m_window->open(QStringLiteral("op:matmul(M=64,N=64,K=64)"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->model().isOpen(), patience);
        m_window->open(file);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->model().kernel(), kernel, patience);
        QVERIFY(settle());
        QCOMPARE(document().tree().size(), size);
        QCOMPARE(document().currentId(), current);
        QCOMPARE(document().sessionPath(), file);
        QVERIFY(!document().isModified());
        QVERIFY(!m_window->banner()->isVisible());
        // The times of the model, too, which say when they were taken.
        QCOMPARE(m_window->model().times().size(), measurements);
        QVERIFY(m_window->modelMeasuring().last());
        QCOMPARE(m_window->modelMeasuring().last()->seconds.median, seconds);
        QVERIFY(m_window->modelMeasuring().last()->storedOn.starts_with("20"));
        QVERIFY(!m_window->modelMeasuring().isRunning());
    }

    void aChangedModelKeepsTheSchedulesOfItsKernels()
    {
        const int kernel = m_window->model().kernel();
        const int size = document().tree().size();
        // The same model by other bytes: an empty field of a number that ONNX does not know.
        const QString model = path("other.onnx");
        QVERIFY(QFile::copy(squeezenet, model));
        QFile changed(model);
        QVERIFY(changed.setPermissions(QFile::ReadOwner | QFile::WriteOwner) && changed.open(QFile::Append));
        changed.write("\xfa\x3e\x00", 3);
        changed.close();
        QFile session(path("squeezenet.nest"));
        QVERIFY(session.open(QFile::ReadOnly));
        const QByteArray text = session.readAll().replace(squeezenet.toUtf8(), model.toUtf8());
        QFile other(path("other.nest"));
        QVERIFY(other.open(QFile::WriteOnly) && other.write(text) > 0);
        other.close();
        m_window->open(path("other.nest"));
        QTRY_VERIFY_WITH_TIMEOUT(
            m_window->model().isOpen() && m_window->model().model().path == model.toStdString(), patience);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->model().kernel(), kernel, patience);
        QVERIFY(settle());
        QCOMPARE(document().tree().size(), size);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->banner()->isVisible(), patience);
        QVERIFY(m_window->banner()->text().contains(QStringLiteral("has changed")));
        shoot("model-changed");
    }
};

QTEST_MAIN(ModelTest)
#include "model_test.moc"
