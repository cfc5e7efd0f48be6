// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/nest_pane.h"

#include "app/present/code_source.h"
#include "app/window/controllers/exports.h"
#include "app/window/panes/script_line.h"
#include "widgets/code/code_editor.h"
#include "widgets/code/code_view.h"
#include "widgets/code/difference_view.h"
#include "widgets/document/action_list.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/card.h"

#include <QVBoxLayout>

namespace nestwright::app {

using document::Document;
using document::Selection;

namespace {
constexpr qsizetype longestName = 5; // of a variant in its tab: the pane is never narrower than its tabs
} // namespace

NestPane::NestPane(Document &document, document::ActionList &actions, look::CardHeader *header,
                   std::shared_ptr<const code::Languages> languages, QWidget *parent)
    : QWidget(parent)
    , m_document(document)
    , m_actions(actions)
    , m_header(header)
    , m_difference(new code::DifferenceView(tr("Loop nest"), languages, this))
    , m_view(m_difference->view())
    , m_editor(new code::CodeEditor(tr("Schedule script"), std::move(languages), this))
    , m_scriptLine(new ScriptLine(this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_difference, 1);
    layout->addWidget(m_editor, 1);
    layout->addWidget(m_scriptLine);
    m_editor->setKeepsIndentation(true);
    connect(m_view, &code::CodeView::zoomChanged, m_editor, &code::CodeEditor::setZoom);
    showParts();
    m_view->setEmptyText(tr("No kernel is open"), tr("Open a file, or start from an example"));
    choose({});
    connect(header, &look::CardHeader::tabChosen, this, &NestPane::setTab);
    connect(&document, &Document::opened, this, &NestPane::offerComparison);
    connect(&document, &Document::opened, m_view,
            [this] { m_view->goToLine(0); }); // another file's place is none
    connect(&document, &Document::currentChanged, this, &NestPane::show);
    connect(&document.selection(), &Selection::changed, this, &NestPane::showSelection);
    connect(&actions, &document::ActionList::previewChanged, this, &NestPane::showPreview);
    for (code::CodeView *view : {m_view, m_difference->olderView()}) {
        connect(&document.selection(), &Selection::hoveredChanged, view,
                [this, view] { view->setHovered(m_document.selection().hovered()); });
        connect(view, &code::CodeView::lineClicked, this, [this](int, support::StmtId id) {
            if (id && m_document.nest() && m_document.nest()->row(id))
                m_document.selection().select(id);
        });
        connect(view, &code::CodeView::lineHovered, this,
                [this](int, support::StmtId id) { m_document.selection().hover(id); });
    }
}

void NestPane::setTab(int tab)
{
    m_tab = tab;
    if (m_header)
        m_header->setCurrentTab(tab);
    show();
}

void NestPane::show()
{
    m_previewing = false;
    m_hasScript = false;
    showParts();
    if (!m_document.nest())
        return;
    const QString reason =
        m_document.tree().current().isRoot() ? tr("This is the unscheduled program.") : QString();
    for (const Tab tab : {AgainstParent, AgainstFirst}) {
        if (m_header)
            m_header->setTabUnavailable(tab, reason);
    }
    if (m_header)
        m_header->setTabUnavailable(
            File, m_document.session().source().path.empty() ? tr("It comes from no file.") : QString());
    if (m_tab == Script) {
        if (!m_isEditing)
            showScript();
    } else if (m_tab == File) {
        showFile();
    } else {
        showNest();
    }
}

void NestPane::showParts()
{
    const bool isScript = m_tab == Script && m_document.isOpen();
    m_scriptLine->setVisible(isScript);
    m_editor->setVisible(isScript && m_isEditing);
    m_difference->setHidden(isScript && m_isEditing);
}

void NestPane::setEditing(bool on)
{
    m_isEditing = on;
    m_scriptLine->setEditing(on);
    show();
}

void NestPane::setGridsSplit(bool split)
{
    m_splitsGrids = split;
    show();
}

void NestPane::setDialect(script::Dialect dialect)
{
    m_dialect = dialect;
    if (m_tab == Script)
        show();
}

std::optional<session::VariantId> NestPane::base() const
{
    const session::Variant &current = m_document.tree().current();
    switch (m_tab) {
    case AgainstParent: return current.parent;
    case AgainstFirst: return m_document.tree().root().id;
    case AgainstChosen: return m_chosen;
    default: return {};
    }
}

void NestPane::showNest()
{
    m_document.jobs().cancel(QStringLiteral("script"));
    const std::optional<session::VariantId> from = base();
    if (from && *from != m_document.currentId()) {
        showDifference(*from);
        return;
    }
    m_document.jobs().cancel(QStringLiteral("difference"));
    m_difference->showSource(nestSource(*m_document.nest(), m_splitsGrids));
    showSelection();
}

void NestPane::showDifference(session::VariantId base)
{
    const QString title = tr("from %1").arg(QString::fromStdString(m_document.tree().at(base).label));
    m_document.jobs().run(
        QStringLiteral("difference"), this,
        [state = *m_document.tree().at(base).state, nest = m_document.nest(),
         splits = m_splitsGrids](const jobs::Job &) {
            return code::differenceOf(nestSource(*document::makeNest(state), splits),
                                      nestSource(*nest, splits));
        },
        [this, title](const std::shared_ptr<const code::Difference> &difference) {
            if (m_previewing || !isComparing())
                return;
            m_difference->showDifference(*difference, title);
            highlight();
        });
}

void NestPane::choose(std::optional<session::VariantId> base)
{
    const bool isFirst = base && m_document.tree().at(*base).isRoot(); // which has its tab anyway
    m_chosen = base = isFirst ? std::nullopt : base;
    QStringList tabs{tr("TVMScript"), tr("± parent"), tr("± naive"), tr("script"), tr("file")};
    if (base) {
        const session::Variant &variant = m_document.tree().at(*base);
        const QString name = variant.name.empty() ? QStringLiteral("#%1").arg(base->value)
                                                  : QString::fromStdString(variant.name);
        tabs << tr("± %1").arg(name.size() <= longestName ? name : name.left(longestName - 1) + u'…');
    } else if (m_tab == AgainstChosen) {
        m_tab = Nest;
    }
    if (m_header)
        m_header->setTabs(tabs, m_tab);
}

void NestPane::offerComparison()
{
    const std::vector<session::Comparison> &comparisons = m_document.session().comparisons();
    choose(comparisons.empty() ? std::nullopt : std::optional(comparisons.back().before));
}

void NestPane::compareWith(session::VariantId base)
{
    choose(base);
    setTab(m_chosen ? AgainstChosen : AgainstFirst);
}

void NestPane::showScript()
{
    m_document.jobs().cancel(QStringLiteral("difference"));
    m_document.jobs().run(
        QStringLiteral("script"), this,
        [session = *m_document.copy(), dialect = m_dialect](const jobs::Job &) {
            const auto script = scheduleScript(session, session.tree().current().id, dialect);
            return script ? QString::fromStdString(*script)
                          : QStringLiteral("# ") + QString::fromStdString(script.error().message);
        },
        [this](const std::shared_ptr<const QString> &text) {
            if (m_tab != Script)
                return;
            code::Source source;
            source.text = *text;
            source.language = code::Language::Python;
            m_difference->showSource(std::move(source));
            m_hasScript = true;
            Q_EMIT scriptShown();
        });
}

/// Shows the file that the program was read from: a script of tensor expressions tells where a loop comes
/// from.
void NestPane::showFile()
{
    for (const char *job : {"difference", "script"})
        m_document.jobs().cancel(QString::fromLatin1(job));
    code::Source source;
    source.text = QString::fromStdString(m_document.session().source().text);
    source.language = code::Language::Python;
    m_difference->showSource(std::move(source));
}

void NestPane::showPreview()
{
    const document::PreviewPtr &preview = m_actions.currentPreview();
    const auto change = preview && preview->nest && m_document.nest()
                            ? std::optional(code::differenceOf(nestSource(*m_document.nest(), m_splitsGrids),
                                                               nestSource(*preview->nest, m_splitsGrids)))
                            : std::nullopt;
    // The pointer may still rest on the action that made the program: then that has no change to show.
    if (change && !code::changesOf(change->unified).empty()) {
        m_previewing = true;
        m_difference->showPreview(*change);
        m_view->setHighlighted({});
    } else if (m_previewing) {
        show();
    }
}

void NestPane::showSelection()
{
    if (isText() || m_previewing)
        return;
    highlight();
    if (m_document.selection().current())
        m_view->scrollTo(m_document.selection().current());
}

void NestPane::highlight()
{
    for (code::CodeView *view : {m_view, m_difference->olderView()})
        view->setHighlighted(m_document.selection().all());
}

} // namespace nestwright::app
