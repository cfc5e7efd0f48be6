// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/compare_window.h"

#include "app/window/tools/comparison_table.h"
#include "app/window/tools/tool_window.h"
#include "widgets/code/code_view.h"
#include "widgets/code/difference_view.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/peer_measuring.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/finding_box.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace nestwright::app {

using session::VariantId;

namespace {

const QString compareJob = QStringLiteral("compare"), sourcesJob = QStringLiteral("compare sources");

/// A text to show side by side; no kind: the program itself.
struct SourceTab {
    const char *title = "";
    std::optional<backend::SourceKind> kind;
};
constexpr std::array sourceTabs{SourceTab{"asm", backend::SourceKind::Asm},
                                SourceTab{"LLVM IR", backend::SourceKind::LlvmIr},
                                SourceTab{"C", backend::SourceKind::C}, SourceTab{"TVMScript", {}}};

VariantId chosen(const QComboBox *side) { return {side->currentData().toInt()}; }

bool isBuiltHere(const SourceTab &tab)
{
    return !tab.kind || backend::isBuilt(backend::sourceFormat(*tab.kind));
}

} // namespace

CompareWindow::CompareWindow(document::Document &document, const document::Measuring &measuring,
                             std::shared_ptr<const code::Languages> languages, QWidget *parent)
    : QDialog(parent)
    , m_document(document)
    , m_measuring(measuring)
    , m_first(new QComboBox(this))
    , m_second(new QComboBox(this))
    , m_swap(new look::Button(tr("Swap"), this))
    , m_file(new look::Button(tr("File…"), this))
    , m_sentence(new look::FindingBox(look::FindingBox::Kind::Info, this))
    , m_halves(new QSplitter(Qt::Vertical, this))
    , m_table(new QTreeWidget(this))
    , m_tableCard(new look::Card(tr("Loops"), this))
    , m_sourceCard(new look::Card(tr("Sources"), this))
    , m_sources(new code::DifferenceView(tr("Source of the second variant"), std::move(languages)))
{
    setWindowTitle(tr("Compare two variants"));
    setAccessibleName(windowTitle());
    resize(1240, 700);
    makeTable();
    makeSources();
    m_halves->setHandleWidth(8);
    m_halves->setChildrenCollapsible(false);
    m_halves->addWidget(m_tableCard);
    m_halves->addWidget(m_sourceCard);
    m_halves->setSizes({300, 380});
    m_halves->setStretchFactor(1, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->setSpacing(8);
    layout->addWidget(makeSides());
    layout->addWidget(m_sentence);
    layout->addWidget(m_halves, 1);
    connect(&m_document, &document::Document::opened, this, &QWidget::close);
    connect(&m_document, &document::Document::variantsChanged, this, &CompareWindow::fillSides);
    connect(&m_document, &document::Document::marksChanged, this, &CompareWindow::fillSides);
    connect(&m_document, &document::Document::targetChanged, this, &CompareWindow::compare);
    fillSides();
}

CompareWindow *CompareWindow::open(document::Document &document, const document::Measuring &measuring,
                                   std::shared_ptr<const code::Languages> languages, QWidget *parent)
{
    return inFront<CompareWindow>(parent, document, measuring, std::move(languages));
}

QWidget *CompareWindow::makeSides()
{
    auto *sides = new QWidget(this);
    auto *row = new QHBoxLayout(sides);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    const auto add = [&](const QString &text, QComboBox *side) {
        auto *label = new QLabel(text, sides);
        label->setBuddy(side);
        side->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        row->addWidget(label);
        row->addWidget(side, 1);
        connect(side, &QComboBox::currentIndexChanged, this, [this] {
            if (!m_filling)
                compare();
        });
    };
    add(tr("&First"), m_first);
    m_first->setAccessibleName(tr("First variant"));
    row->addWidget(m_swap);
    add(tr("S&econd"), m_second);
    m_second->setAccessibleName(tr("Second variant"));
    row->addWidget(m_file);
    m_file->setToolTip(
        tr("Compare with the code in a file: C, LLVM IR, assembly, an object file or a library"));
    m_file->setAccessibleName(tr("Compare with the code in a file"));
    connect(m_file, &QPushButton::clicked, this,
            [this] { chooseFile(m_first->currentIndex() < 0 ? m_document.currentId() : chosen(m_first)); });
    connect(m_swap, &QPushButton::clicked, this, [this] { setSides(chosen(m_second), chosen(m_first)); });
    return sides;
}

void CompareWindow::makeTable()
{
    setUpComparisonTable(*m_table);
    m_tableCard->setContent(m_table);
    connect(m_table, &QTreeWidget::currentItemChanged, this, &CompareWindow::showLoop);
}

void CompareWindow::makeSources()
{
    m_sources->setSideBySide(true);
    m_sources->view()->setEmptyText(tr("No sources yet"));
    m_sourceCard->setContent(m_sources);
    QStringList titles;
    for (const SourceTab &tab : sourceTabs)
        titles << QString::fromLatin1(tab.title);
    m_sourceCard->header()->setTabs(titles);
    offerSources();
    connect(m_sourceCard->header(), &look::CardHeader::tabChosen, this, [this](int tab) {
        m_tab = tab;
        alignSources();
    });
}

void CompareWindow::chooseSide(QComboBox *side, const QVariant &data)
{
    m_filling = true;
    side->setCurrentIndex(side->findData(data));
    m_filling = false;
}

void CompareWindow::setSides(VariantId first, VariantId second)
{
    chooseSide(m_first, first.value);
    chooseSide(m_second, second.value);
    compare();
}

void CompareWindow::setSides(VariantId first, const PeerChoice &second)
{
    if (const auto *file = std::get_if<measure::PeerFile>(&second)) {
        m_peerFile = *file;
        fillSides();
    }
    chooseSide(m_first, first.value);
    chooseSide(m_second, peerData(second));
    compare();
}

void CompareWindow::chooseFile(VariantId first)
{
    choosePeerFile(
        m_document, this,
        [this, first](const measure::PeerFile &file) {
            m_peer.reset(); // it may have changed
            setSides(first, file);
        },
        [this](const support::Diagnostic &error) {
            tell(tr("The file cannot be compared with"), document::explanation(error), true);
        });
}

/// The variants that are legal; those chosen stay.
void CompareWindow::fillSides()
{
    if (!m_document.isOpen())
        return;
    m_filling = true;
    for (QComboBox *side : {m_first, m_second}) {
        const QVariant before = side->currentData();
        side->clear();
        for (const session::Variant &variant : m_document.tree().all()) {
            if (variant.ok())
                side->addItem(titleOf(variant), variant.id.value);
        }
        if (side == m_second)
            addPeers(*side, m_document, m_peerFile);
        if (before.isValid())
            side->setCurrentIndex(side->findData(before));
    }
    m_filling = false;
}

void CompareWindow::compare()
{
    m_page.reset();
    m_document.jobs().cancel(sourcesJob);
    const auto peer = peerOf(m_second->currentData());
    m_swap->setEnabled(!peer);
    m_swap->setToolTip(peer ? tr("The code of others is the second") : tr("The first becomes the second"));
    if (m_first->currentIndex() < 0 || m_second->currentIndex() < 0 || !m_document.isOpen()) {
        tell(tr("Choose two variants"), {}, false);
        m_table->clear();
        m_sources->showSource({});
        return;
    }
    if (peer)
        return compareWith(*peer);
    const session::VariantTree &tree = m_document.tree();
    m_tableCard->header()->setSecondary(tr("comparing…"));
    m_document.jobs().run(
        compareJob, this,
        [first = sideOf(tree, chosen(m_first)), second = sideOf(tree, chosen(m_second)),
         seconds = std::pair(secondsOf(tree, chosen(m_first)), secondsOf(tree, chosen(m_second))),
         target = m_document.session().target()](const jobs::Job &job) {
            auto page = compareVariants(first, second, target, job.stopToken());
            if (page)
                page->comparison.seconds = seconds;
            return page;
        },
        [this](const ComparisonPtr &page) { take(page); });
}

/// The peer's code is read once for each target.
void CompareWindow::compareWith(const PeerChoice &peer)
{
    const session::VariantTree &tree = m_document.tree();
    const target::Target &target = m_document.session().target();
    const QVariant key = peerData(peer).toStringList() << document::toQt(target.str());
    if (m_peerKey != key)
        m_peer.reset();
    m_peerKey = key;
    m_tableCard->header()->setSecondary(m_peer ? tr("comparing…") : tr("reading the code of others…"));
    m_document.jobs().run(
        compareJob, this,
        [first = sideOf(tree, chosen(m_first)), seconds = secondsOf(tree, chosen(m_first)), peer,
         known = m_peer, kernel = document::libraryKernelOf(m_document), isTimed = !m_measuring.isRunning(),
         target](const jobs::Job &job) -> support::Result<ComparisonPage> {
            const PeerResult code =
                known ? PeerResult(known) : readPeer(peer, kernel, target, isTimed, job.stopToken());
            if (!code)
                return std::unexpected(code.error());
            auto page = compareWithPeer(first, *code, target, job.stopToken());
            if (page)
                page->comparison.seconds.first = seconds;
            return page;
        },
        [this](const ComparisonPtr &page) { take(page); });
}

/// Offers the kinds of source that can be had; for a peer only assembly.
void CompareWindow::offerSources()
{
    const bool isPeers = m_page && *m_page && (*m_page)->peer;
    for (int i = 0; i < static_cast<int>(sourceTabs.size()); ++i) {
        const SourceTab &tab = sourceTabs[static_cast<std::size_t>(i)];
        const bool isAsm = tab.kind == backend::SourceKind::Asm;
        const QString reason = !isBuiltHere(tab)   ? tr("This program was built without it.")
                               : isPeers && !isAsm ? tr("The code of others is known as assembly alone.")
                                                   : QString();
        m_sourceCard->header()->setTabUnavailable(i, reason);
        if (isPeers && isAsm) {
            m_sourceCard->header()->setCurrentTab(i);
            m_tab = i;
        }
    }
}

void CompareWindow::tell(const QString &title, const QString &text, bool isBad)
{
    m_sentence->setKind(isBad ? look::FindingBox::Kind::Bad : look::FindingBox::Kind::Info);
    m_sentence->setContent(title, text);
    m_sentence->setAccessibleName(title + u' ' + text);
}

void CompareWindow::take(const ComparisonPtr &page)
{
    m_page = page;
    m_tableCard->header()->setSecondary({});
    if (!*page) {
        tell(tr("The variants cannot be compared"), document::explanation(page->error()), true);
        m_table->clear();
        m_sources->showSource({});
        return;
    }
    const explore::Comparison &comparison = (*page)->comparison;
    m_peer = (*page)->peer ? (*page)->peer : m_peer;
    const QString reason = document::sentence(comparison.reason);
    tell(document::sentence(comparison.sentence), reason.isEmpty() ? estimateText(comparison) : reason,
         false);
    offerSources();
    fillTable();
    giveRowsRoom();
    m_table->setCurrentItem(m_table->topLevelItem(hottestRow(comparison)));
    alignSources();
}

void CompareWindow::fillTable()
{
    if (!m_page || !*m_page)
        return;
    const QSignalBlocker blocker(m_table);
    fillComparisonTable(*m_table, **m_page);
}

/// Gives the table the height of its rows, but at most half of the window.
void CompareWindow::giveRowsRoom()
{
    const int rows = m_table->topLevelItemCount(), height = m_halves->height();
    const int wanted = m_tableCard->height() - m_table->viewport()->height()
                       + (rows + 1) * m_table->visualItemRect(m_table->topLevelItem(0)).height();
    const int table = std::min(wanted, height / 2);
    m_halves->setSizes({table, height - table});
}

void CompareWindow::alignSources()
{
    if (!m_page || !*m_page)
        return;
    const SourceTab &tab = sourceTabs[static_cast<std::size_t>(m_tab)];
    m_sourceCard->header()->setSecondary(tr("comparing…"));
    m_document.jobs().run(
        sourcesJob, this,
        [page = m_page, kind = tab.kind, target = m_document.session().target()](const jobs::Job &job) {
            return alignedSources(**page, kind, target, job.stopToken());
        },
        [this](const std::shared_ptr<const support::Result<code::Difference>> &difference) {
            m_sourceCard->header()->setSecondary({});
            if (!*difference) {
                m_sources->view()->setEmptyText(tr("There is no such source"),
                                                document::explanation(difference->error()));
                m_sources->showSource({});
                return;
            }
            const explore::Comparison &comparison = (*m_page)->comparison;
            m_sources->showDifference(**difference, tr("%1 at the left, %2 at the right")
                                                        .arg(document::toQt(comparison.first.name),
                                                             document::toQt(comparison.second.name)));
            showLoop();
        });
}

/// The lines of the row's loops.
void CompareWindow::showLoop()
{
    const QTreeWidgetItem *item = m_table->currentItem();
    const explore::LoopPair loops = item ? loopsOf(*item) : explore::LoopPair();
    const auto select = [](code::CodeView *view, support::StmtId loop) {
        view->setHighlighted(loop ? std::vector{loop} : std::vector<support::StmtId>());
    };
    select(m_sources->olderView(), loops.first);
    select(m_sources->view(), loops.second);
    if (loops.second)
        m_sources->view()->scrollTo(loops.second);
    else if (loops.first)
        m_sources->olderView()->scrollTo(loops.first);
}

bool CompareWindow::isSettled() const
{
    return !m_document.jobs().isRunning(compareJob) && !m_document.jobs().isRunning(sourcesJob);
}

void CompareWindow::changeEvent(QEvent *event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        const int row = m_table->indexOfTopLevelItem(m_table->currentItem());
        fillTable(); // its colours are the theme's
        m_table->setCurrentItem(m_table->topLevelItem(row));
    }
}

} // namespace nestwright::app
