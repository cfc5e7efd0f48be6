// SPDX-License-Identifier: GPL-3.0-or-later
// The step that made a variant wrong is looked for in a job, which can be cancelled.
#include "widgets/document/work/step_searching.h"

#include "tests/widgets/document/document_fixture.h"
#include "widgets/document/work/measuring.h"

#include <QSignalSpy>
#include <QtTest>

using namespace nestwright;
using document::StepInHistory;
using document::StepSearching;
using explore::Complaint;

class StepSearchingTest : public QObject, tests::DocumentFixture {
    Q_OBJECT

    static constexpr int longer = 60000;
    std::unique_ptr<document::Measuring> m_measuring;
    std::unique_ptr<StepSearching> m_searching;

    support::StmtId row(const char *name) const { return DocumentFixture::row(name); }
    session::VariantId current() const { return m_document->currentId(); }

private Q_SLOTS:
    void init()
    {
        begin();
        m_measuring = std::make_unique<document::Measuring>(*m_document);
        m_searching = std::make_unique<StepSearching>(*m_document, *m_measuring);
        openMatmul();
    }
    void cleanup()
    {
        m_searching.reset();
        m_measuring.reset();
        end();
    }

    void theStepAndTheSmallestListAreFound()
    {
        apply("cache_write", {{"block", row("C")}, {"write_buffer_index", 0}, {"storage_scope", "global"}});
        split("i");
        apply("unsafe_set_dtype", {{"block", row("C")}, {"buffer_index", 0}, {"dtype", "float16"}});
        const session::VariantId guilty = current();
        split("j");
        const session::VariantId end = current();
        std::optional<StepInHistory> found;
        connect(m_searching.get(), &StepSearching::found, this,
                [&](const StepInHistory &step) { found = step; });
        m_searching->find(end, Complaint::Wrong);
        QVERIFY(m_searching->isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(!m_searching->isRunning(), longer);
        QVERIFY(found);
        QCOMPARE(found->variant, guilty);
        QVERIFY2(found->found.sentence.starts_with("step 3 of 4, unsafe_set_dtype("),
                 found->found.sentence.c_str());
        QCOMPARE(found->found.smallest.value().places, (std::vector<std::size_t>{0, 2}));

        // It becomes a branch of its own.
        m_document->branch({0}, "smallest", found->found.smallest->path.steps());
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->isBusy(), patience);
        const session::VariantTree &tree = m_document->tree();
        QCOMPARE(tree.path(current()).size(), 3U);
        QCOMPARE(tree.current().name, std::string("smallest"));
        QVERIFY(tree.current().label.starts_with("unsafe_set_dtype"));
        QCOMPARE(tree.at(*tree.current().parent).children.size(), 2U);
    }

    void nothingIsWrong()
    {
        split("i");
        QSignalSpy found(m_searching.get(), &StepSearching::found);
        QSignalSpy nothing(m_searching.get(), &StepSearching::nothingFound);
        m_searching->find(current(), Complaint::Wrong);
        QTRY_COMPARE_WITH_TIMEOUT(nothing.size(), 1, longer);
        QCOMPARE(found.size(), 0);
        QVERIFY(!m_searching->isRunning());
    }

    void itIsCancelled()
    {
        split("i");
        int answers = 0;
        const auto count = [&] { ++answers; };
        connect(m_searching.get(), &StepSearching::found, this, count);
        connect(m_searching.get(), &StepSearching::nothingFound, this, count);
        connect(m_searching.get(), &StepSearching::failed, this, count);
        m_searching->find(current(), Complaint::Slow);
        QTRY_VERIFY_WITH_TIMEOUT(!m_searching->phase().isEmpty(), longer);
        m_searching->cancel();
        QVERIFY(!m_searching->isRunning());
        m_searching->find(current(), Complaint::Slow);
        openMatmul(); // another document ends it
        QTRY_VERIFY_WITH_TIMEOUT(!m_searching->isRunning(), longer);
        QTest::qWait(300);
        QCOMPARE(answers, 0);
    }
};

QTEST_MAIN(StepSearchingTest)
#include "step_searching_test.moc"
