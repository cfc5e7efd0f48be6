// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/source_pane.h"

#include "app/code_source.h"
#include "core/measure/measurer.h"
#include "widgets/code/code_view.h"
#include "widgets/document/advice.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/target_source.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"

#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::app {

using backend::SourceKind;
using document::Document;
using document::Selection;

namespace {
/// In the order of the tabs, with short titles.
constexpr std::pair<SourceKind, const char *> tabs[] = {
    {SourceKind::Asm, "asm"},   {SourceKind::LlvmIr, "LLVM IR"}, {SourceKind::C, "C"},
    {SourceKind::Cuda, "CUDA"}, {SourceKind::Ptx, "PTX"},        {SourceKind::OpenCl, "OpenCL"}};
} // namespace

SourcePane::SourcePane(Document &document, document::TargetSource &source, look::CardHeader *header,
                       std::shared_ptr<const code::Languages> languages, QWidget *parent)
    : QWidget(parent)
    , m_document(document)
    , m_source(source)
    , m_header(header)
    , m_view(new code::CodeView(tr("Target source"), std::move(languages), this))
    , m_problem(new look::FindingBox(look::FindingBox::Kind::Bad, this))
    , m_advice(new look::FindingBox(look::FindingBox::Kind::Warn, this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_view, 1);
    auto *below = new QVBoxLayout;
    below->setContentsMargins(12, 0, 12, 10);
    below->addWidget(m_problem);
    below->addWidget(m_advice);
    m_advice->hide();
    connect(m_advice, &look::FindingBox::actionTriggered, this, [this] {
        if (m_advised)
            m_document.apply(*m_advised);
    });
    connect(&document, &Document::currentChanged, this, &SourcePane::findAdvice);
    connect(&document, &Document::targetChanged, this, &SourcePane::findAdvice);
    layout->addLayout(below);
    m_problem->hide();
    m_view->setEmptyText(tr("No target source yet"), tr("It appears when a kernel is open"));
    QStringList titles;
    for (const auto &[kind, title] : tabs) {
        m_kinds.push_back(kind);
        titles << QString::fromLatin1(title);
    }
    header->setTabs(titles, 0);
    for (int i = 0; i < titles.size(); ++i) {
        const backend::SourceFormat &format = backend::sourceFormat(m_kinds[static_cast<std::size_t>(i)]);
        if (!backend::isBuilt(format.target))
            header->setTabUnavailable(
                i, tr("This program was built without the %1 backend.")
                       .arg(QString::fromUtf8(format.title.data(), qsizetype(format.title.size()))));
    }
    connect(header, &look::CardHeader::tabChosen, this,
            [this](int index) { setKind(m_kinds[static_cast<std::size_t>(index)]); });
    connect(&source, &document::TargetSource::changed, this, &SourcePane::show);
    connect(&document.selection(), &Selection::changed, this, &SourcePane::showSelection);
    connect(&document.selection(), &Selection::hoveredChanged, this,
            [this] { m_view->setHovered(m_document.selection().hovered()); });
    connect(m_view, &code::CodeView::lineClicked, this, [this](int, support::StmtId id) {
        if (!id || !m_document.nest() || !m_document.nest()->row(id))
            return;
        m_scrolling = true; // the line that was clicked stays where it is
        m_document.selection().select(id);
        m_scrolling = false;
    });
    connect(m_view, &code::CodeView::lineHovered, this,
            [this](int, support::StmtId id) { m_document.selection().hover(id); });
}

void SourcePane::setKind(SourceKind kind)
{
    const auto found = std::ranges::find(m_kinds, kind);
    if (m_header && found != m_kinds.end())
        m_header->setCurrentTab(static_cast<int>(found - m_kinds.begin()));
    m_source.setKind(kind);
}

void SourcePane::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    m_source.setWatched(true);
}

void SourcePane::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    m_source.setWatched(false);
}

void SourcePane::show()
{
    const document::SourcePtr &source = m_source.current();
    if (!source || m_source.isPending() || !m_document.nest() || m_shown == source.get())
        return; // while a new text is being made the old one stays
    m_shown = source.get();
    if (*source) {
        m_problem->hide();
        m_view->setSource(targetSource(**source, *m_document.nest()));
    } else {
        m_view->setSource({});
        m_problem->setContent(tr("No source for this target"), document::sentence((*source).error().message),
                              QString::fromStdString((*source).error().hint));
        m_problem->show();
    }
    showSelection();
}

void SourcePane::findAdvice()
{
    m_document.jobs().run(
        QStringLiteral("advice"), this,
        [nest = m_document.nest(), target = m_document.session().target()](const jobs::Job &job) {
            return document::adviceFor(*nest, target, measure::threadsOf(target), job.stopToken());
        },
        [this](const std::shared_ptr<const std::optional<document::Advice>> &advice) {
            m_advised.reset();
            m_advice->setVisible(advice->has_value());
            if (!*advice)
                return;
            m_advised = (*advice)->step;
            m_advice->setContent((*advice)->title, {}, (*advice)->action);
        });
}

void SourcePane::showSelection()
{
    // A line is linked to the innermost loop that it belongs to, so that a loop is lit with all that lies within it.
    std::vector<support::StmtId> ids;
    if (const document::NestPtr &nest = m_document.nest()) {
        for (const support::StmtId id : m_document.selection().all()) {
            const auto found = nest->rowOf.find(id);
            if (found == nest->rowOf.end())
                continue;
            const auto first = static_cast<std::size_t>(found->second);
            ids.push_back(id);
            for (std::size_t row = first + 1;
                 row < nest->rows.size() && nest->rows[row].depth > nest->rows[first].depth; ++row)
                ids.push_back(nest->rows[row].id);
        }
    }
    m_view->setHighlighted(ids);
    if (m_document.selection().current() && !m_scrolling)
        m_view->scrollTo(m_document.selection().current());
}

} // namespace nestwright::app
