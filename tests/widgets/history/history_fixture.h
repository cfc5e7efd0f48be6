// SPDX-License-Identifier: GPL-3.0-or-later
/// The history of a small product of matrices, on the screen.
#pragma once

#include "tests/widgets/document/document_fixture.h"
#include "widgets/document/work/measuring.h"
#include "widgets/history/history_view.h"
#include "widgets/models/variants_model.h"

#include <memory>

namespace nestwright::tests {

class HistoryFixture : protected DocumentFixture {
protected:
    std::unique_ptr<document::Measuring> m_measuring;
    std::unique_ptr<models::VariantsModel> m_model;
    std::unique_ptr<history::HistoryView> m_view;

    void apply(std::string_view primitive, support::StmtId loop) const
    {
        const int before = m_document->tree().size();
        m_document->apply(schedule::makeStep(primitive, {{"loop", loop}}).value());
        QTRY_COMPARE_WITH_TIMEOUT(m_document->tree().size(), before + 1, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
    }
    QString cell(int row, int column) const { return m_model->index(row, column).data().toString(); }

    /// No measurement or peak of the machine is known there.
    void useCacheOfItsOwn() const
    {
        qputenv("XDG_CACHE_HOME", m_folder.filePath(QStringLiteral("cache")).toUtf8());
    }
    void beginHistory()
    {
        begin();
        m_measuring = std::make_unique<document::Measuring>(*m_document);
        m_model = std::make_unique<models::VariantsModel>(*m_document, *m_measuring);
        m_view = std::make_unique<history::HistoryView>(*m_document, *m_model);
        m_view->resize(700, 300);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        openMatmul();
    }
    void endHistory()
    {
        m_jobs->cancelAll();
        m_view.reset();
        m_model.reset();
        m_measuring.reset();
        end();
    }
};

} // namespace nestwright::tests
