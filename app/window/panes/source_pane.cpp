// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/source_pane.h"

#include "app/present/code_source.h"
#include "core/measure/measurer.h"
#include "widgets/code/code_view.h"
#include "widgets/document/document.h"
#include "widgets/document/finding_list.h"
#include "widgets/document/machine_code.h"
#include "widgets/document/selection.h"
#include "widgets/document/target_source.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/patience.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace nestwright::app {

using backend::SourceKind;
using document::Document;
using document::Selection;
using document::toQt;

namespace {

/// A source, and another form of it that a switch in the header puts in its place.
struct Tab {
    SourceKind kind;
    const char *title;
    SourceKind other = kind;
    const char *switchTitle = "", *switchTip = "";
};

constexpr std::array allTabs{
    Tab{SourceKind::Lowered, "lowered"},
    Tab{SourceKind::Asm, "asm", SourceKind::IntelAsm,
        QT_TRANSLATE_NOOP("nestwright::app::SourcePane", "Intel"),
        QT_TRANSLATE_NOOP("nestwright::app::SourcePane", "Assembly in Intel syntax, not in AT&T's")},
    Tab{SourceKind::LlvmIr, "LLVM IR", SourceKind::UnoptimizedLlvmIr,
        QT_TRANSLATE_NOOP("nestwright::app::SourcePane", "raw"),
        QT_TRANSLATE_NOOP("nestwright::app::SourcePane", "LLVM IR before LLVM's own passes")},
    Tab{SourceKind::C, "C"},
    Tab{SourceKind::Cuda, "CUDA"},
    Tab{SourceKind::Ptx, "PTX"},
    Tab{SourceKind::Sass, "SASS"},
    Tab{SourceKind::OpenCl, "OpenCL"}};

bool isOfGpu(target::TargetKind kind)
{
    target::Target target;
    target.kind = kind;
    return target.isGpu();
}

/// Tabs of the backends that this program has, for processors or for GPUs.
std::vector<Tab> tabsFor(bool gpu)
{
    std::vector<Tab> built(allTabs.begin(), allTabs.end());
    std::erase_if(built, [gpu](const Tab &tab) {
        const backend::SourceFormat &format = backend::sourceFormat(tab.kind);
        return !backend::isBuilt(format) || (format.target && isOfGpu(*format.target) != gpu);
    });
    return built;
}

struct KernelFit {
    backend::KernelResources resources;
    std::optional<backend::Occupancy> occupancy; ///< none where the architecture's limits are not known
};

/// The kernel whose blocks leave most of a multiprocessor idle; nothing where there is none.
std::optional<KernelFit> tightestOf(const std::vector<backend::KernelResources> &kernels)
{
    std::optional<KernelFit> tightest;
    for (const backend::KernelResources &resources : kernels) {
        KernelFit fit{resources, backend::occupancyOf(resources)};
        const auto warps = [](const KernelFit &of) { return of.occupancy ? of.occupancy->warps : 0; };
        if (!tightest || warps(fit) < warps(*tightest))
            tightest = std::move(fit);
    }
    return tightest;
}

/// Whether a text is, or nearly is, what the processor runs.
bool isMachineCode(SourceKind kind)
{
    return kind == SourceKind::Asm || kind == SourceKind::IntelAsm || kind == SourceKind::LlvmIr;
}

QString formName(SourceKind kind) { return toQt(backend::sourceFormat(kind).name); }

} // namespace

SourcePane::SourcePane(Document &document, document::TargetSource &source, document::MachineCode &code,
                       document::FindingList &findings, look::CardHeader *header,
                       std::shared_ptr<const code::Languages> languages, QWidget *parent)
    : QWidget(parent)
    , m_document(document)
    , m_source(source)
    , m_code(code)
    , m_findings(findings)
    , m_header(header)
    , m_view(new code::CodeView(tr("Target source"), std::move(languages), this))
    , m_problem(new look::FindingBox(look::FindingBox::Kind::Bad, this))
    , m_finding(new look::FindingBox(look::FindingBox::Kind::Warn, this))
    , m_resources(new look::FindingBox(look::FindingBox::Kind::Info, this))
    , m_switch(new look::Button({}, this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_view, 1);
    auto *below = new QVBoxLayout;
    below->setContentsMargins(12, 0, 12, 10);
    below->setSpacing(6);
    below->addWidget(m_problem);
    below->addWidget(m_resources);
    below->addWidget(m_finding);
    m_finding->hide();
    m_resources->hide();
    m_resources->setObjectName(QStringLiteral("source.resources"));
    connect(m_finding, &look::FindingBox::actionTriggered, this, [this] { m_findings.tryOut(0); });
    connect(m_problem, &look::FindingBox::actionTriggered, this, [this] {
        QGuiApplication::clipboard()->setText(m_command);
        m_problem->setContent(m_problem->title(), tr("Copied: %1").arg(m_command), tr("Copy the command"));
    });
    connect(&document, &Document::opened, this, [this] {
        m_isOfAnother = true;
        QTimer::singleShot(look::otherDocumentMs, this, &SourcePane::forgetOther);
    });
    connect(&findings, &document::FindingList::changed, this, &SourcePane::showFinding);
    connect(&document, &Document::currentChanged, this, &SourcePane::findResources);
    connect(&document, &Document::targetChanged, this, &SourcePane::findResources);
    connect(&code, &document::MachineCode::changed, this, &SourcePane::showMachineCode);
    connect(&source, &document::TargetSource::changed, this, &SourcePane::showMachineCode);
    connect(&document.selection(), &Selection::changed, this, &SourcePane::showMachineCode);
    connect(&document, &Document::targetChanged, this, &SourcePane::followTarget);
    connect(&document, &Document::opened, this, &SourcePane::followTarget);
    layout->addLayout(below);
    m_problem->hide();
    m_view->setEmptyText(tr("No target source yet"), tr("It appears when a kernel is open"));
    makeHeader();
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

void SourcePane::setEditor(QWidget *editor)
{
    m_editor = editor;
    m_editor->hide();
    static_cast<QVBoxLayout *>(layout())->insertWidget(1, m_editor, 1);
}

void SourcePane::setEditing(bool on)
{
    m_editor->setVisible(on);
    m_view->setVisible(!on);
    if (m_header)
        m_header->setEnabled(!on); // the text stays that which is edited
    for (look::FindingBox *box : {m_problem, m_finding, m_resources})
        box->setMaximumHeight(on ? 0 : QWIDGETSIZE_MAX);
    if (!on)
        m_view->setFocus();
}

void SourcePane::makeHeader()
{
    showTabs();
    m_switch->setObjectName(QStringLiteral("source.form"));
    m_switch->setCheckable(true);
    m_switch->setSmall();
    m_switch->installEventFilter(this);
    keepSwitchWidth();
    m_header->addWidget(m_switch);
    connect(m_header, &look::CardHeader::tabChosen, this, &SourcePane::chooseTab);
    connect(m_switch, &QPushButton::clicked, this, [this](bool on) {
        const Tab tab = tabsFor(m_isOfGpu)[static_cast<std::size_t>(m_header->currentTab())];
        setKind(on ? tab.other : tab.kind);
    });
    setKind(m_source.kind());
}

/// The switch is as wide as the longest of its texts.
void SourcePane::keepSwitchWidth()
{
    const QString shown = m_switch->text();
    int width = 0;
    for (const Tab &tab : allTabs) {
        m_switch->setText(tr(tab.switchTitle));
        width = std::max(width, m_switch->sizeHint().width());
    }
    m_switch->setText(shown);
    m_switch->setFixedWidth(width);
}

bool SourcePane::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_switch && event->type() == QEvent::FontChange)
        keepSwitchWidth();
    return QWidget::eventFilter(watched, event);
}

void SourcePane::chooseTab(int index)
{
    const Tab tab = tabsFor(m_isOfGpu)[static_cast<std::size_t>(index)];
    setKind(m_forms.contains(formName(tab.other)) ? tab.other : tab.kind);
}

void SourcePane::showTabs()
{
    QStringList titles;
    bool hasForms = false;
    for (const Tab &tab : tabsFor(m_isOfGpu)) {
        titles << QString::fromLatin1(tab.title);
        hasForms = hasForms || tab.other != tab.kind;
    }
    m_header->setTabs(titles);
    QSizePolicy policy = m_switch->sizePolicy();
    policy.setRetainSizeWhenHidden(hasForms); // the tabs keep their places
    m_switch->setSizePolicy(policy);
}

/// A target of another kind has other sources: the last one of a processor's, or the target's own.
void SourcePane::followTarget()
{
    if (!m_document.isOpen())
        return;
    const target::Target &target = m_document.session().target();
    const auto shown = backend::sourceFormat(m_source.kind()).target;
    if (!shown) {
        m_isOfGpu = target.isGpu();
        showTabs();
        setKind(m_source.kind());
    } else if (target.isGpu() ? *shown != target.kind : m_isOfGpu) {
        const std::vector<Tab> all = tabsFor(target.isGpu());
        const auto own = std::ranges::find_if(all, [&](const Tab &tab) {
            return target.isGpu() ? backend::sourceFormat(tab.kind).target == target.kind
                                  : tab.kind == m_ofProcessor || tab.other == m_ofProcessor;
        });
        if (own != all.end())
            setKind(target.isGpu() ? own->kind : m_ofProcessor);
    }
}

void SourcePane::setKind(SourceKind kind)
{
    if (const auto target = backend::sourceFormat(kind).target; target && m_header) {
        if (m_isOfGpu != isOfGpu(*target)) {
            m_isOfGpu = isOfGpu(*target);
            showTabs();
        }
        if (!m_isOfGpu)
            m_ofProcessor = kind;
    }
    const std::vector<Tab> all = tabsFor(m_isOfGpu);
    const auto tab = std::ranges::find_if(
        all, [kind](const Tab &each) { return each.kind == kind || each.other == kind; });
    if (tab == all.end() || !m_header)
        return;
    m_header->setCurrentTab(static_cast<int>(tab - all.begin()));
    const bool hasForms = tab->kind != tab->other, isOther = hasForms && kind == tab->other;
    m_switch->setVisible(hasForms);
    m_switch->setText(tr(tab->switchTitle));
    m_switch->setToolTip(tr(tab->switchTip));
    m_switch->setAccessibleName(tr(tab->switchTip));
    m_switch->setChecked(isOther);
    m_source.setKind(kind);
    const QString form = formName(tab->other);
    if (!hasForms || m_forms.contains(form) == isOther)
        return;
    if (isOther)
        m_forms << form;
    else
        m_forms.removeAll(form);
    Q_EMIT formsChanged();
}

void SourcePane::setForms(const QStringList &forms)
{
    m_forms = forms;
    chooseTab(m_header->currentTab());
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
        m_view->setEmptyText({}, {}); // the problem says it
        m_view->setSource({});
        const support::Diagnostic &error = (*source).error();
        m_command = QString::fromStdString(error.hint).section(u'`', 1, 1);
        m_problem->setContent(tr("No source for this target"), document::explanation(error),
                              m_command.isEmpty() ? QString() : tr("Copy the command"));
        m_problem->show();
    }
    if (m_isOfAnother) {
        m_view->goToLine(0);
        // The loop that a kernel opens with was not chosen: code before it is shown too.
        const document::NestPtr &nest = m_document.nest();
        m_isOfAnother = !nest->rows.empty() && m_document.selection().current() == nest->rows.front().id;
    }
    showSelection();
    m_isOfAnother = false;
}

/// Shows nothing rather than the code of what was open before, until there is that of what is open now.
void SourcePane::forgetOther()
{
    if (!m_isOfAnother)
        return;
    m_shown = nullptr;
    m_problem->hide();
    m_finding->hide();
    m_resources->hide();
    m_view->setEmptyText(tr("The target source is being made"));
    m_view->setSource({});
}

/// Shows the first; the one before stays until it is known.
void SourcePane::showFinding()
{
    if (!m_findings.isKnown())
        return;
    const std::vector<explore::Finding> &findings = m_findings.findings();
    m_finding->setVisible(!findings.empty());
    if (!findings.empty())
        m_finding->setContent(toQt(findings.front().title), {}, toQt(findings.front().remedy.title));
}

/// Shows the resources of a GPU's kernels, where its compiler is here: of the kernel that leaves most idle.
void SourcePane::findResources()
{
    const target::Target &target = m_document.session().target();
    if (!backend::tellsResources(target.kind)) {
        m_document.jobs().cancel(QStringLiteral("resources"));
        showMachineCode();
        return;
    }
    using Found = std::optional<KernelFit>;
    m_document.jobs().run(
        QStringLiteral("resources"), this,
        [module = m_document.nest()->loops.state().module, target](const jobs::Job &job) -> Found {
            const auto kernels = backend::kernelResources(module, target, job.stopToken());
            return kernels ? tightestOf(*kernels) : std::nullopt;
        },
        [this](const std::shared_ptr<const Found> &found) {
            m_resources->setVisible(found->has_value());
            if (!*found)
                return;
            const backend::KernelResources &resources = (*found)->resources;
            m_resources->setContent(toQt(resources.architecture + ": " + backend::resourcesText(resources)),
                                    (*found)->occupancy ? document::sentence(backend::occupancySentence(
                                                              resources, *(*found)->occupancy))
                                                        : QString());
        });
}

/// Describes an iteration of the selected loop: of the innermost loop in the code that works for it.
void SourcePane::showMachineCode()
{
    if (!m_document.isOpen() || backend::tellsResources(m_document.session().target().kind))
        return;                                                // the box is of kernels
    if (const auto &edit = m_document.tree().current().edit) { // only its text is known
        m_resources->setVisible(edit->kind != m_source.kind());
        m_resources->setContent(
            tr("This is the generated code"),
            tr("The variant runs its %1 in place of it.").arg(toQt(session::badgeOf(*edit))));
        return;
    }
    const support::StmtId selected = m_document.selection().current();
    const backend::LoopCode *code = isMachineCode(m_source.kind()) ? m_code.doing(selected) : nullptr;
    m_resources->setVisible(code != nullptr);
    if (!code)
        return;
    const QString name = toQt(m_document.nest()->loops.name(code->loop ? code->loop : selected));
    const QString cycles =
        code->time ? tr("%1: %2 cycles an iteration").arg(name, toQt(backend::cyclesText(*code->time)))
                   : tr("%1 in machine code").arg(name);
    const std::string limit = code->time ? backend::limitText(*code->time) : std::string();
    m_resources->setContent(cycles, (limit.empty() ? QString() : tr("Limited by %1. ").arg(toQt(limit)))
                                        + document::sentence(backend::instructionsText(*code)));
}

void SourcePane::showSelection()
{
    // A line is linked to the innermost loop that it belongs to, so that a loop is lit with all that lies
    // within it.
    std::vector<support::StmtId> ids;
    if (const document::NestPtr &nest = m_document.nest()) {
        for (const support::StmtId id : m_document.selection().all()) {
            const std::vector<support::StmtId> within = nest->within(id);
            ids.insert(ids.end(), within.begin(), within.end());
        }
    }
    m_view->setHighlighted(ids);
    if (m_document.selection().current() && !m_scrolling && !m_isOfAnother)
        m_view->scrollTo(m_document.selection().current());
}

} // namespace nestwright::app
