// SPDX-License-Identifier: GPL-3.0-or-later
/// A document without a window, with a small product of matrices to open.
#pragma once

#include "core/schedule/primitive.h"
#include "tests/support/programs.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/jobs/job_runner.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

namespace nestwright::tests {

class DocumentFixture {
protected:
    using Document = document::Document;
    static constexpr int patience = 20000;

    QTemporaryDir m_folder;
    std::unique_ptr<jobs::JobRunner> m_jobs;
    std::unique_ptr<Document> m_document;

    QString write(const char *name, std::string_view text) const
    {
        const QString path = m_folder.filePath(QString::fromLatin1(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        file.write(text.data(), qint64(text.size()));
        return path;
    }
    void openMatmul() const
    {
        m_document->open(write("matmul.py", programText("matmul")));
        QTRY_VERIFY_WITH_TIMEOUT(m_document->isOpen() && !m_document->isBusy(), patience);
    }
    support::StmtId row(const char *name) const
    {
        for (const document::NestRow &each : m_document->nest()->rows) {
            if (each.name == QLatin1String(name))
                return each.id;
        }
        return {};
    }
    void apply(std::string_view primitive,
               const std::vector<std::pair<std::string_view, schedule::ArgValue>> &args) const
    {
        m_document->apply(schedule::makeStep(primitive, args).value());
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
    }
    void split(const char *name) const
    {
        apply("split", {{"loop", row(name)}, {"factors", schedule::ArgList{{}, 32}}});
    }

    void begin()
    {
        m_jobs = std::make_unique<jobs::JobRunner>(2);
        m_document = std::make_unique<Document>(*m_jobs);
    }
    void end()
    {
        if (m_jobs)
            m_jobs->cancelAll();
        m_document.reset();
        m_jobs.reset();
    }
};

} // namespace nestwright::tests
