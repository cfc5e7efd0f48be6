// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/document.h"

#include "core/session/history/counterparts.h"
#include "widgets/document/selection.h"
#include "widgets/jobs/job_runner.h"

namespace nestwright::document {

namespace {
const QString workKey = QStringLiteral("document");

workbench::Document::View viewOf(const schedule::State &state) { return makeNest(state); }
} // namespace

/// Runs the work of the document as a job.
class Document::Jobs : public workbench::Executor {
public:
    explicit Jobs(jobs::JobRunner &jobs) : m_jobs(jobs) {}

    void setContext(QObject *context) { m_context = context; }
    void run(std::function<Then()> work) override
    {
        m_jobs.run(
            workKey, m_context, [work = std::move(work)](const jobs::Job &) { return work(); },
            [](const std::shared_ptr<const Then> &then) { (*then)(); });
    }
    void cancel() override { m_jobs.cancel(workKey); }

private:
    jobs::JobRunner &m_jobs;
    QObject *m_context = nullptr;
};

/// Emits the signals of the document.
class Document::Signals : public workbench::Listener {
public:
    void setDocument(Document *document) { m_document = document; }

    void edited() override { m_document->setModified(true); }
    void currentChanged(VariantId from) override
    {
        m_document->moveSelection(from);
        Q_EMIT m_document->currentChanged();
    }
    void variantsChanged() override { Q_EMIT m_document->variantsChanged(); }
    void measurementChanged(VariantId id) override { Q_EMIT m_document->measurementChanged(id.value); }
    void marksChanged() override { Q_EMIT m_document->marksChanged(); }
    void targetChanged() override { Q_EMIT m_document->targetChanged(); }
    void inputsChanged() override { Q_EMIT m_document->inputsChanged(); }
    void problemsChanged() override { Q_EMIT m_document->problemsChanged(); }
    void busyChanged() override { Q_EMIT m_document->busyChanged(); }
    void stepRefused(const Diagnostic &why) override { Q_EMIT m_document->stepRefused(why); }
    void dropped(const Diagnostic &why) override { Q_EMIT m_document->dropped(why); }
    void editStopped(const Diagnostic &why) override { Q_EMIT m_document->editStopped(why); }
    void editConflicts(VariantId id) override { Q_EMIT m_document->editConflicts(id.value); }
    void failed(const Diagnostic &why) override { Q_EMIT m_document->failed(why); }

private:
    Document *m_document = nullptr;
};

Document::Document(jobs::JobRunner &jobs, QObject *parent)
    : Document(jobs, std::make_unique<Jobs>(jobs), std::make_unique<Signals>(), parent)
{
}

Document::Document(jobs::JobRunner &jobs, std::unique_ptr<Jobs> executor, std::unique_ptr<Signals> listener,
                   QObject *parent)
    : QObject(parent)
    , workbench::Document(*executor, *listener, viewOf)
    , m_jobs(jobs)
    , m_executor(std::move(executor))
    , m_listener(std::move(listener))
    , m_selection(new Selection(this))
{
    m_executor->setContext(this);
    m_listener->setDocument(this);
    connect(&m_jobs, &jobs::JobRunner::failed, this, [this](const QString &key, const QString &message) {
        const Diagnostic why =
            support::diagnostic("window.internal", "internal error: " + message.toStdString())
                .withHint("this is a bug of Nestwright's; the open document is unchanged");
        if (key == workKey) {
            m_opening.clear();
            workFailed(why);
            return;
        }
        addProblem({Problem::Kind::Failed, why, {}});
        Q_EMIT failed(why);
    });
}

Document::~Document() = default;

QString Document::title() const
{
    if (!isOpen())
        return {};
    return QString::fromStdString(session().source().name);
}

QString Document::subtitle() const
{
    if (!isOpen())
        return {};
    const ir::Module::Entry *entry = tree().root().state->module.mainEntry();
    if (!entry)
        return {};
    QString shape;
    for (const analysis::StageGraph::Node &node : session().graph().nodes) {
        if (node.kind == analysis::StageGraph::Kind::Output)
            shape = QString::fromStdString(analysis::shapeText(node.shape, node.dtype));
    }
    const QString name = QString::fromStdString(entry->name);
    return shape.isEmpty() ? name : name + QStringLiteral(" · ") + shape;
}

void Document::beginOpening(const QString &name)
{
    const bool wasBusy = isBusy();
    const bool isOther = std::exchange(m_opening, name) != name;
    hold();
    if (wasBusy && isOther)
        Q_EMIT busyChanged();
}

void Document::endOpening()
{
    m_opening.clear();
    release();
}

void Document::cancelWork()
{
    m_opening.clear();
    if (cancel())
        Q_EMIT workCancelled();
}

void Document::setModified(bool modified)
{
    if (modified) {
        ++m_revision;
        m_left = false;
    }
    if (modified == m_modified)
        return;
    m_modified = modified;
    Q_EMIT modifiedChanged();
}

/// Lets the selection follow from the program of another variant to that of the current one.
void Document::moveSelection(VariantId from)
{
    std::vector<StmtId> selected = session::counterparts(tree(), m_selection->all(), from, currentId());
    m_selection->hover({});
    m_selection->select(std::move(selected));
}

} // namespace nestwright::document
