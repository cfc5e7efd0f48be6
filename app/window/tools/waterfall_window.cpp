// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/waterfall_window.h"

#include "app/present/chart_pages.h"
#include "app/window/tools/tool_window.h"
#include "core/measure/machine/other_load.h"
#include "core/session/history/history_edit.h"
#include "widgets/charts/export.h"
#include "widgets/charts/waterfall.h"
#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/document/work/ablating.h"
#include "widgets/document/work/measuring.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/fonts.h"
#include "widgets/look/label.h"
#include "widgets/look/tokens.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace nestwright::app {

using document::toQt;
using explore::Ablation;
using explore::AblationMode;
using explore::Contribution;
using session::VariantId;

namespace {
constexpr int phaseEveryMs = 200;
}

WaterfallWindow::WaterfallWindow(document::Document &document, const document::Measuring &measuring,
                                 QWidget *parent)
    : QDialog(parent)
    , m_document(document)
    , m_measuring(measuring)
    , m_ablating(new document::Ablating(document, measuring, this))
    , m_card(new look::Card(tr("Waterfall"), this))
    , m_chart(new charts::Waterfall)
    , m_detail(look::plainLabel({}, look::interfaceFont(12), "primary", this))
    , m_state(look::plainLabel({}, look::interfaceFont(12), "secondary", this))
    , m_act(new look::Button(tr("Leave this step out"), this))
    , m_measure(new look::Button(tr("Measure"), this, look::Button::Kind::Primary))
    , m_cancel(new look::Button(tr("Cancel"), this))
    , m_export(new look::Button(tr("Export…"), this))
    , m_clock(new QTimer(this))
{
    resize(1180, 600);
    m_card->header()->setTabs({tr("Added one by one"), tr("Left out one by one")});
    m_card->setContent(m_chart);
    m_chart->setMinimumHeight(240);
    m_detail->setWordWrap(true);
    m_detail->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_detail->setMinimumHeight(2 * m_detail->fontMetrics().lineSpacing());
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->setSpacing(8);
    layout->addWidget(m_card, 1);
    layout->addWidget(m_detail);
    layout->addWidget(makeButtons());
    m_clock->setInterval(phaseEveryMs);
    connect(m_clock, &QTimer::timeout, this, &WaterfallWindow::showState);
    connect(m_card->header(), &look::CardHeader::tabChosen, this, &WaterfallWindow::showAblation);
    connect(m_chart, &charts::Waterfall::focusedBarChanged, this, &WaterfallWindow::showBar);
    connect(m_chart, &charts::ChartPane::selected, this, [this](int bar) {
        m_chart->setFocusedBar(bar);
        if (mode() == AblationMode::Added)
            act();
    });
    connect(m_chart, &charts::Waterfall::activated, this, &WaterfallWindow::act);
    connect(m_ablating, &document::Ablating::changed, this, &WaterfallWindow::showState);
    connect(m_ablating, &document::Ablating::measured, this,
            [this](const std::shared_ptr<const Ablation> &ablation) {
                m_ablations[static_cast<std::size_t>(ablation->mode)] = ablation;
                m_card->header()->setCurrentTab(ablation->mode == AblationMode::Added ? 0 : 1);
                showAblation();
            });
    connect(m_ablating, &document::Ablating::failed, this, [this](const support::Diagnostic &diagnostic) {
        m_failure = document::explanation(diagnostic);
        showAblation();
    });
    connect(&m_document, &document::Document::opened, this, &QWidget::close);
    connect(&m_document, &document::Document::targetChanged, this, &WaterfallWindow::forget);
    connect(&m_document, &document::Document::inputsChanged, this, &WaterfallWindow::forget);
    connect(&m_measuring, &document::Measuring::changed, this, &WaterfallWindow::showState);
}

QWidget *WaterfallWindow::makeButtons()
{
    auto *buttons = new QWidget(this);
    auto *row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    m_measure->setKey(QStringLiteral("F5"));
    m_export->setKey(QStringLiteral("Ctrl E"));
    row->addWidget(m_measure);
    row->addWidget(m_cancel);
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_state, 1);
    row->addWidget(m_act);
    row->addWidget(m_export);
    for (look::Button *button : {m_measure, m_cancel, m_act, m_export})
        button->setAutoDefault(false);
    connect(m_measure, &QPushButton::clicked, this, &WaterfallWindow::measure);
    connect(m_cancel, &QPushButton::clicked, m_ablating, &document::Ablating::cancel);
    connect(m_act, &QPushButton::clicked, this, &WaterfallWindow::act);
    connect(m_export, &QPushButton::clicked, this, &WaterfallWindow::chooseFile);
    connect(new QShortcut(Qt::Key_F5, this), &QShortcut::activated, m_measure, &QPushButton::click);
    connect(new QShortcut(QKeySequence(QStringLiteral("Ctrl+E")), this), &QShortcut::activated, m_export,
            &QPushButton::click);
    return buttons;
}

WaterfallWindow *WaterfallWindow::open(document::Document &document, const document::Measuring &measuring,
                                       VariantId variant, QWidget *parent)
{
    auto *window = inFront<WaterfallWindow>(parent, document, measuring);
    window->setVariant(variant);
    window->m_chart->setFocus();
    return window;
}

void WaterfallWindow::setVariant(VariantId variant)
{
    std::vector<VariantId> way = m_document.tree().path(variant);
    setWindowTitle(tr("What each step brings: %1").arg(toQt(m_document.tree().at(variant).label)));
    setAccessibleName(windowTitle());
    if (way == m_way)
        return;
    m_way = std::move(way);
    m_variant = variant;
    forget();
}

void WaterfallWindow::forget()
{
    m_ablating->cancel();
    m_ablations = {};
    m_failure.clear();
    showAblation();
}

AblationMode WaterfallWindow::mode() const
{
    return m_card->header()->currentTab() == 0 ? AblationMode::Added : AblationMode::Removed;
}

const Ablation *WaterfallWindow::ablation() const
{
    return m_ablations[static_cast<std::size_t>(mode())].get();
}

const Contribution *WaterfallWindow::contributionAt(int bar) const
{
    const Ablation *shown = ablation();
    if (!shown || bar < 0 || std::cmp_greater_equal(bar, m_page.contributions.size()))
        return nullptr;
    const auto &place = m_page.contributions[static_cast<std::size_t>(bar)];
    return place ? &shown->steps[*place] : nullptr;
}

VariantId WaterfallWindow::variantAt(int bar) const
{
    if (const Contribution *step = contributionAt(bar))
        return m_way.at(step->place + 1);
    return bar == 0 && mode() == AblationMode::Added ? m_way.front() : m_way.back();
}

void WaterfallWindow::measure()
{
    m_failure.clear();
    m_ablating->measure(m_variant, mode());
}

void WaterfallWindow::showAblation()
{
    const Ablation *shown = ablation();
    m_page = shown ? waterfallOf(*shown) : WaterfallPage();
    m_chart->setEmptyText(m_failure.isEmpty() ? tr("Nothing is measured yet") : tr("It was not measured"),
                          !m_failure.isEmpty() ? m_failure
                          : mode() == AblationMode::Added
                              ? tr("Press Measure (F5): the steps are added one by one, and each program is "
                                   "timed against the one before it")
                              : tr("Press Measure (F5): each step is left out of the whole schedule, with "
                                   "those that need it"));
    m_chart->setData(m_page.chart);
    showBar();
    showState();
}

/// The text of the bar with the focus, and the action on it.
void WaterfallWindow::showBar()
{
    const int bar = m_chart->focusedBar();
    const Contribution *step = contributionAt(bar);
    const bool isAdded = mode() == AblationMode::Added;
    m_act->setText(isAdded ? tr("Go to this variant") : tr("Leave this step out"));
    if (step)
        m_detail->setText(contributionText(*step, mode()));
    else
        m_detail->setText(bar >= 0                ? m_page.chart.bars[static_cast<std::size_t>(bar)].label
                          : ablation() == nullptr ? QString()
                          : isAdded
                              ? tr("Click a bar to go to its variant; arrow keys move, Enter chooses.")
                              : tr("Choose a bar by a click or the arrow keys; Enter leaves its step out."));
    m_act->setUnavailable(bar < 0 || (!isAdded && !step) ? tr("Choose the bar of a step first.") : QString());
}

/// Progress, or what the figures stand for.
void WaterfallWindow::showState()
{
    const bool isRunning = m_ablating->isRunning();
    if (isRunning != m_clock->isActive())
        isRunning ? m_clock->start() : m_clock->stop();
    m_cancel->setUnavailable(isRunning ? QString() : tr("Nothing is being measured."));
    m_measure->setUnavailable(isRunning                 ? tr("It is being measured.")
                              : m_measuring.isRunning() ? tr("Other measurements would disturb it.")
                              : m_way.size() < 2        ? tr("No step leads to this variant.")
                                                        : QString());
    const Ablation *shown = ablation();
    m_export->setUnavailable(shown ? QString() : tr("Nothing is measured yet."));
    QString text;
    if (isRunning)
        text = tr("measuring · %1").arg(m_ablating->phase());
    else if (shown)
        text = shown->disturbed ? document::sentence(measure::disturbance(shown->otherLoad))
                                : tr("The machine was calm.");
    tell(text);
    m_card->header()->setSecondary(
        m_document.isOpen() ? tr("%1 · median, 95 % interval").arg(targetText(m_document.session().target()))
                            : QString());
}

/// Cut short where there is no room.
void WaterfallWindow::tell(const QString &state)
{
    m_stateText = state;
    m_state->setText(m_state->fontMetrics().elidedText(state, Qt::ElideRight, m_state->width()));
    m_state->setToolTip(state);
}

/// Goes to the variant of the bar, or leaves its step out.
void WaterfallWindow::act()
{
    const int bar = m_chart->focusedBar();
    if (mode() == AblationMode::Added) {
        if (bar >= 0)
            m_document.jumpTo(variantAt(bar));
        return;
    }
    const Contribution *step = contributionAt(bar);
    if (!step)
        return;
    session::HistoryEdit edit = session::dropStep(m_document.tree(), variantAt(bar), m_variant);
    for (const std::size_t other : step->others)
        std::erase(edit.steps, m_way.at(other + 1));
    m_document.edit(edit);
}

void WaterfallWindow::chooseFile()
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export waterfall"), QStringLiteral("waterfall.png"),
                                     tr("Picture (*.png);;Drawing (*.svg);;Numbers (*.csv)"));
    if (!path.isEmpty())
        exportTo(path);
}

void WaterfallWindow::exportTo(const QString &path)
{
    const auto written = charts::writeWaterfall(m_page.chart, path, look::tokens(this).dark);
    tell(written ? tr("Exported %1").arg(QFileInfo(path).fileName())
                 : document::explanation(written.error()));
}

QString WaterfallWindow::detail() const { return m_detail->text(); }

void WaterfallWindow::hideEvent(QHideEvent *event)
{
    QDialog::hideEvent(event);
    if (!event->spontaneous())
        m_ablating->cancel(); // nobody would see the result
}

void WaterfallWindow::resizeEvent(QResizeEvent *event)
{
    QDialog::resizeEvent(event);
    layout()->activate();
    tell(m_stateText);
}

void addWaterfallCommand(document::CommandRegistry &commands, document::Document &document,
                         const std::function<void(VariantId)> &open)
{
    const auto text = [](const char *english) {
        return QCoreApplication::translate("nestwright::app::WaterfallWindow", english);
    };
    commands.add({.id = QStringLiteral("history.waterfall"),
                  .title = text("What each step brings…"),
                  .group = text("History"),
                  .keys = {QKeySequence(QStringLiteral("Ctrl+Alt+W"))},
                  .icon = QStringLiteral("measure"),
                  .run = [&document, open] { open(document.currentId()); },
                  .unavailable =
                      [&document, text] {
                          if (!document.isOpen())
                              return text("Open a kernel first.");
                          return document.tree().current().isRoot() ? text("No step leads to it.")
                                                                    : QString();
                      }});
}

} // namespace nestwright::app
