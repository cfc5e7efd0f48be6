// SPDX-License-Identifier: GPL-3.0-or-later
/// A canvas on the screen, for tests of its behaviour.
#pragma once

#include "widgets/canvas/graph_canvas.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/theme.h"

#include <QMenu>
#include <QtTest>

#include <memory>
#include <utility>

namespace nestwright::canvas {

class CanvasFixture {
protected:
    void makeCanvas(QSize size)
    {
        if (!m_theme)
            m_theme = std::make_unique<look::Theme>(*qApp, look::Mode::Light);
        m_jobs = std::make_unique<jobs::JobRunner>(2);
        m_canvas = std::make_unique<GraphCanvas>(*m_jobs);
        m_canvas->resize(size);
        m_canvas->show();
        m_canvas->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_canvas.get()));
    }
    void removeCanvas()
    {
        m_canvas.reset();
        m_jobs.reset();
    }

    void show(GraphData graph)
    {
        m_canvas->setGraph(std::move(graph));
        QTRY_VERIFY_WITH_TIMEOUT(m_canvas->isLaidOut(), 20'000);
    }
    void click(int index)
    {
        QTest::mouseClick(m_canvas.get(), Qt::LeftButton, {}, m_canvas->nodeRect(index).center().toPoint());
    }
    /// An entry of the menu at that point, by its name.
    void choose(const QPointF &point, const char *name)
    {
        const std::unique_ptr<QMenu> menu(m_canvas->menuAt(point));
        auto *action = menu->findChild<QAction *>(name);
        QVERIFY(action && action->isEnabled());
        action->trigger();
        QTRY_VERIFY(m_canvas->isLaidOut());
    }

    std::unique_ptr<look::Theme> m_theme;
    std::unique_ptr<jobs::JobRunner> m_jobs;
    std::unique_ptr<GraphCanvas> m_canvas;
};

} // namespace nestwright::canvas
