// SPDX-License-Identifier: GPL-3.0-or-later
/// A matrix product that is open, with the strip of actions shown beside it.
#pragma once

#include "tests/support/programs.h"
#include "widgets/document/action_list.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/forms/action_strip.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/jobs/job_runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>

namespace nestwright::tests {

class StripFixture : public QObject {
protected:
    static constexpr int patience = 20'000;

    /// Opens the product and shows the strip on `stage`, which lives as long as the test, or alone.
    void show(QWidget *stage = nullptr)
    {
        m_jobs = std::make_unique<jobs::JobRunner>(2);
        m_document = std::make_unique<document::Document>(*m_jobs);
        m_actions = std::make_unique<document::ActionList>(*m_document);
        m_strip = std::make_unique<forms::ActionStrip>(*m_document, *m_actions, stage);
        m_strip->resize(420, 340);
        m_strip->show();
        m_strip->activateWindow();
        QVERIFY(QTest::qWaitForWindowExposed(stage ? stage : m_strip.get()));
        const QString path = m_folder.filePath(QStringLiteral("matmul.py"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        const std::string_view text = programText("matmul");
        file.write(text.data(), qint64(text.size()));
        file.close();
        m_document->open(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_document->isOpen() && !m_document->isBusy() && m_actions->isCurrent(),
                                 patience);
    }
    void close()
    {
        if (m_jobs)
            m_jobs->cancelAll();
        m_strip.reset();
        m_actions.reset();
        m_document.reset();
        m_jobs.reset();
    }

    support::StmtId row(const char *name) const
    {
        for (const document::NestRow &each : m_document->nest()->rows) {
            if (each.name == QLatin1String(name))
                return each.id;
        }
        return {};
    }
    void select(const char *name) const
    {
        m_document->selection().select(row(name));
        QTRY_VERIFY_WITH_TIMEOUT(m_actions->isCurrent(), patience);
    }
    void openForm(const char *primitive) const
    {
        m_strip->trigger(primitive);
        QVERIFY(m_strip->form());
        QTRY_VERIFY_WITH_TIMEOUT(m_actions->currentPreview() != nullptr, patience);
    }

    QTemporaryDir m_folder;
    std::unique_ptr<jobs::JobRunner> m_jobs;
    std::unique_ptr<document::Document> m_document;
    std::unique_ptr<document::ActionList> m_actions;
    std::unique_ptr<forms::ActionStrip> m_strip;
};

} // namespace nestwright::tests
