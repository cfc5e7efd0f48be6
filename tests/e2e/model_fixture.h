// SPDX-License-Identifier: GPL-3.0-or-later
/// The window with a model of ONNX's test data.
#pragma once

#include "tests/e2e/window_fixture.h"
#include "widgets/document/model.h"
#include "widgets/document/work/model_measuring.h"

namespace nestwright::e2e {

inline const QString squeezenet =
    QStringLiteral("/usr/share/libonnx-testdata/data/light/light_squeezenet.onnx");

class ModelFixture : protected WindowFixture {
protected:
    /// Skips the test where the data are not installed.
    void showModelWindow()
    {
        if (!QFile::exists(squeezenet))
            QSKIP("ONNX's test data (libonnx-testdata) are not installed");
        showWindow(1600, 1000, {});
    }
    void openSqueezenet()
    {
        m_window->open(squeezenet);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->model().isOpen() && m_window->model().kernel() >= 0, patience);
        QVERIFY(settle());
    }

    void measureModel()
    {
        QString problem;
        const auto watching = QObject::connect(
            &m_window->modelMeasuring(), &document::ModelMeasuring::failed, m_window.get(),
            [&](const support::Diagnostic &told) { problem = QString::fromStdString(told.message); });
        QTest::keyClick(m_window.get(), Qt::Key_F5, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->modelMeasuring().isRunning(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->modelMeasuring().isRunning(), 120'000);
        QObject::disconnect(watching);
        QVERIFY2(m_window->modelMeasuring().last(), qPrintable(problem));
    }
};

} // namespace nestwright::e2e
