// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/action_strip.h"

#include "widgets/document/action_list.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/forms/action_button.h"
#include "widgets/forms/action_panel.h"
#include "widgets/forms/floating_card.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/forms/selection_line.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/focus_group.h"
#include "widgets/look/tokens.h"

#include <QEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <span>

namespace nestwright::forms {

using document::toQt;
using suggest::Action;

namespace {
constexpr int fewestColumns = 2, mostColumns = 5;
constexpr int barSpacing = 5;
constexpr int heightForTwoRows = 300; ///< of the stage: below it the tree needs the room more
constexpr int hoverDelayMs = 90;
constexpr int cardMargin = 8;
constexpr QMargins margins(10, 8, 10, 8);

/// Actions of the bar, with titles that fit it.
constexpr std::pair<std::string_view, const char *> common[] = {
    {"split", "Split"},   {"tile", "Tile"},        {"reorder", "Reorder"},
    {"fuse", "Fuse"},     {"vectorize", "Vector"}, {"parallel", "Parallel"},
    {"unroll", "Unroll"}, {"compute_at", "Place"}, {"cache_read", "Cache"},
};

int widthOf(const look::Button &button)
{
    return button.fontMetrics().horizontalAdvance(button.text()) + 2 * actionButtonPadding;
}

} // namespace

ActionStrip::ActionStrip(document::Document &document, document::ActionList &actions, QWidget *stage)
    : QWidget(stage)
    , m_document(document)
    , m_actions(actions)
    , m_stage(stage ? stage : this)
    , m_title(new SelectionLine(document, this))
    , m_panel(new ActionPanel(this))
    , m_card(new FloatingCard(m_stage))
    , m_finding(new look::FindingBox(look::FindingBox::Kind::Bad, m_stage))
    , m_hoverWait(new QTimer(this))
{
    setAccessibleName(tr("Actions for the selection"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(margins);
    layout->setSpacing(6);
    layout->addWidget(m_title);
    layout->addWidget(makeBar());
    layout->addStretch(1);
    m_panel->setAccessibleName(tr("More actions"));
    m_panel->installEventFilter(this);
    for (const schedule::Primitive &primitive : schedule::primitives()) {
        if (!primitive.isQuery && !button(primitive.name))
            makeButton(primitive, {}, m_panel->inside());
    }
    arrange(mostColumns, 2);
    auto *inside = new QVBoxLayout(m_card);
    inside->setContentsMargins(12, 10, 12, 10);
    m_card->hide();
    m_finding->hide();
    m_stage->installEventFilter(this);
    m_hoverWait->setSingleShot(true);
    m_hoverWait->setInterval(hoverDelayMs);
    connect(m_hoverWait, &QTimer::timeout, this, &ActionStrip::startPreview);
    connect(&actions, &document::ActionList::changed, this, &ActionStrip::showActions);
    connect(&actions, &document::ActionList::previewChanged, this, &ActionStrip::showVerdict);
    connect(&document.selection(), &document::Selection::changed, this, &ActionStrip::closeForm);
    connect(&document, &document::Document::currentChanged, this, &ActionStrip::closeForm);
    connect(m_finding, &look::FindingBox::actionTriggered, this, [this] {
        if (m_fix)
            m_document.apply(*std::exchange(m_fix, std::nullopt));
    });
    connect(&actions, &document::ActionList::fixFound, this, [this](const schedule::Fix &fix) {
        if (m_explained != fix.then.primitive)
            return;
        m_fix = fix;
        showReason(*m_actions.find(m_explained->name));
    });
    showActions();
}

QWidget *ActionStrip::makeBar()
{
    auto *bar = new QWidget(this);
    m_bar = new QGridLayout(bar);
    m_bar->setContentsMargins(0, 0, 0, 0);
    m_bar->setSpacing(barSpacing);
    for (const auto &[name, title] : common)
        makeButton(*schedule::findPrimitive(name), tr(title), bar);
    m_more = new look::Button(tr("More"), bar);
    m_more->setKey(QStringLiteral("▾"));
    m_more->setCompact();
    m_more->setFixedHeight(actionButtonHeight);
    m_more->setToolTip(tr("All other actions, by group"));
    m_more->setObjectName(QStringLiteral("action.more"));
    m_more->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_more->setFocusPolicy(Qt::NoFocus);
    m_more->installEventFilter(this);
    connect(m_more, &QPushButton::clicked, this, [this] { showMore(m_panel->isHidden()); });
    return bar;
}

/// Arranges the buttons for the room that there is.
void ActionStrip::arrange()
{
    int widest = 0;
    for (std::size_t i = 0; i < std::size(common); ++i)
        widest = std::max(widest, widthOf(*m_entries[i].button));
    const int room = width() - margins.left() - margins.right();
    const int columns = std::clamp((room + barSpacing) / (widest + barSpacing), fewestColumns, mostColumns);
    const bool isLow = m_stage != this && m_stage->height() < heightForTwoRows;
    if (const int rows = isLow ? 1 : 2; columns != m_columns || rows != m_rows)
        arrange(columns, rows);
}

/// The common actions fill the bar but for its last place, which is that of "More"; all others are behind it.
void ActionStrip::arrange(int columns, int rows)
{
    m_columns = columns;
    m_rows = rows;
    m_panel->clear();
    while (const QLayoutItem *item = m_bar->takeAt(0))
        delete item;
    int place = 0;
    const auto add = [&](look::Button *button) {
        m_bar->addWidget(button, place / columns, place % columns);
        button->setFocusPolicy(place == 0 ? Qt::TabFocus : Qt::NoFocus); // one stop; arrows move inside
        button->show();
        ++place;
    };
    for (std::size_t i = 0; i < std::size(common) && place + 1 < columns * rows; ++i)
        add(m_entries[i].button);
    const std::span<const Entry> others = std::span(m_entries).subspan(static_cast<std::size_t>(place));
    add(m_more);
    for (int column = 0; column < mostColumns; ++column)
        m_bar->setColumnStretch(column, column < columns ? 1 : 0);
    for (const schedule::Primitive &primitive : schedule::primitives()) {
        const auto other = std::ranges::find(others, &primitive, &Entry::primitive);
        if (other == others.end())
            continue;
        m_panel->add(other->button, primitive.group);
        other->button->setFocusPolicy(Qt::NoFocus);
        other->button->show();
    }
    m_panel->fitHeight();
}

void ActionStrip::showMore(bool shown)
{
    if (!shown) {
        m_panel->hide();
        return;
    }
    m_panel->openBelow(m_more);
    const auto first = std::ranges::find_if(
        m_entries, [&](const Entry &each) { return m_panel->isAncestorOf(each.button); });
    if (first != m_entries.end())
        first->button->setFocus(Qt::PopupFocusReason);
}

look::Button *ActionStrip::makeButton(const schedule::Primitive &primitive, const QString &title,
                                      QWidget *parent)
{
    look::Button *button = makeActionButton(primitive, title, parent);
    button->installEventFilter(this);
    const auto triggerIt = [this, name = primitive.name] { trigger(name); };
    connect(button, &QPushButton::clicked, this, triggerIt);
    connect(button, &look::Button::refused, this, triggerIt); // it may still be grey for the selection before
    m_entries.push_back({&primitive, button, title});
    return button;
}

/// To the neighbour in that direction, within the bar or the panel.
void ActionStrip::moveFocus(const QWidget *from, int key)
{
    std::vector<QWidget *> buttons;
    const bool isInPanel = m_panel->isAncestorOf(from);
    for (const Entry &each : m_entries) {
        if (m_panel->isAncestorOf(each.button) == isInPanel)
            buttons.push_back(each.button);
    }
    if (!isInPanel)
        buttons.push_back(m_more);
    QWidget *best = look::neighbourOf(from, buttons, key);
    if (!best)
        return;
    if (!isInPanel) { // where Tab comes back to
        for (QWidget *button : buttons)
            button->setFocusPolicy(button == best ? Qt::TabFocus : Qt::NoFocus);
    }
    best->setFocus(Qt::TabFocusReason);
}

const schedule::Primitive *ActionStrip::topic() const
{
    if (m_form)
        return &m_form->primitive();
    return m_hovered ? m_hovered : m_explained;
}

look::Button *ActionStrip::button(std::string_view primitive) const
{
    const auto found =
        std::ranges::find_if(m_entries, [&](const Entry &each) { return each.primitive->name == primitive; });
    return found == m_entries.end() ? nullptr : found->button;
}

void ActionStrip::showActions()
{
    for (const Entry &entry : m_entries) {
        const Action *action = m_actions.find(entry.primitive->name);
        if (entry.title.isEmpty())
            entry.button->setText(
                shortTitle(toQt(action ? std::string_view(action->title) : entry.primitive->title)));
        if (!action)
            entry.button->setUnavailable(tr("Select a loop or block first."));
        else
            entry.button->setUnavailable(action->refused ? document::sentence(action->refused->message)
                                                         : QString());
    }
    explainNothing();
    m_title->refresh();
    showKeys();
    if (!m_wanted.empty() && m_actions.isCurrent()) {
        trigger(std::exchange(m_wanted, {}));
        Q_EMIT begun();
    }
}

void ActionStrip::showKeys()
{
    for (const Entry &entry : m_entries)
        showKey(*entry.button, entry.primitive->key);
}

void ActionStrip::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
    layout()->activate();
    m_title->refresh();
    showKeys();
    placeCards();
}

void ActionStrip::trigger(std::string_view primitive)
{
    if (!m_actions.isCurrent()) {
        m_wanted = primitive; // the list of the new selection is on its way
        return;
    }
    const Action *action = m_actions.find(primitive);
    if (!action)
        return;
    if (action->refused)
        explain(*action);
    else if (action->direct) {
        showMore(false);
        m_document.apply(action->step(), document::IfRefused::Drop);
    } else
        openForm(*action);
}

void ActionStrip::explain(const Action &action)
{
    if (!action.refused)
        return;
    showMore(false);
    m_hoverWait->stop(); // a look at another action would take the reason away
    m_explained = action.primitive;
    m_fix.reset();
    m_finding->show();
    m_finding->raise();
    showReason(action);
    m_actions.findFix(action);
}

/// With the fix, where there is one, instead of advice in words.
void ActionStrip::showReason(const Action &action)
{
    QString text = document::sentence(action.refused->message);
    if (!m_fix && !action.refused->hint.empty())
        text += u' ' + document::sentence(action.refused->hint);
    m_finding->setContent(tr("%1 is not possible here").arg(toQt(action.primitive->title)), text,
                          m_fix ? tr("Apply: %1").arg(toQt(m_fix->title)) : QString());
    placeCards();
}

/// At the foot of the stage, over what stands there; the bar stays in sight.
void ActionStrip::placeCards()
{
    const int room = m_stage->width() - 2 * cardMargin;
    const int most = m_stage->height() - sizeHint().height() - 2 * cardMargin;
    const auto place = [&](QWidget *card, int wanted) {
        const int tall = std::min(wanted, std::max(80, most));
        card->setGeometry(cardMargin, m_stage->height() - cardMargin - tall, room, tall);
    };
    if (!m_finding->isHidden())
        place(m_finding, m_finding->hasHeightForWidth() ? m_finding->heightForWidth(room)
                                                        : m_finding->sizeHint().height());
    if (!m_card->isHidden())
        place(m_card, m_card->sizeHint().height());
}

void ActionStrip::explainNothing()
{
    m_explained = nullptr;
    m_fix.reset();
    m_finding->hide();
}

void ActionStrip::openForm(const Action &action)
{
    showMore(false);
    closeForm();
    explainNothing();
    m_form = new PrimitiveForm(action, m_document.nest()->loops, m_document.selection().current());
    m_card->layout()->addWidget(m_form);
    m_card->show();
    m_card->raise();
    placeCards();
    connect(m_form, &PrimitiveForm::previewWanted, this,
            [this](const schedule::Step &step) { m_actions.preview(step); });
    connect(m_form, &PrimitiveForm::accepted, this,
            [this](const schedule::Step &step) { m_document.apply(step); });
    connect(m_form, &PrimitiveForm::closed, this, &ActionStrip::closeForm);
    m_form->takeFocus();
}

void ActionStrip::closeForm()
{
    if (!m_form)
        return;
    const bool hadFocus = m_form->isAncestorOf(window()->focusWidget());
    PrimitiveForm *form = m_form;
    m_form = nullptr;
    form->disconnect(this); // its check may be due: it would take the place of another form's
    m_actions.endPreview();
    m_card->layout()->removeWidget(form);
    form->hide();
    m_card->hide();
    form->deleteLater(); // it may be what calls
    if (hadFocus && focusProxy())
        focusProxy()->setFocus();
}

void ActionStrip::showVerdict()
{
    const document::PreviewPtr &preview = m_actions.currentPreview();
    if (!m_form || !preview || preview->step != m_form->step()) // that of a button under the pointer
        return;
    const bool wasEntered = m_form->isEntered();
    m_form->setVerdict(preview->refused ? document::sentence(preview->refused->message) : QString());
    if (wasEntered)
        Q_EMIT begun();
}

bool ActionStrip::isWaiting() const
{
    return (!m_wanted.empty() || (m_form && m_form->isEntered())) && m_document.jobs().runningCount() > 0;
}

void ActionStrip::startPreview()
{
    const Action *action = m_hovered && m_actions.isCurrent() ? m_actions.find(m_hovered->name) : nullptr;
    if (!action || m_form) // whose own verdict a preview of another step would take the place of
        return;
    if (action->refused) {
        explain(*action);
    } else {
        explainNothing();
        m_actions.preview(action->step());
    }
}

bool ActionStrip::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_stage) {
        if (event->type() == QEvent::Resize) {
            arrange();
            placeCards();
        }
        return QWidget::eventFilter(watched, event);
    }
    if (event->type() == QEvent::ToolTip) { // the card says the reason
        const auto *button = qobject_cast<look::Button *>(watched);
        return button && !button->reason().isEmpty();
    }
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        auto *widget = qobject_cast<look::Button *>(watched);
        if (widget && key >= Qt::Key_Left && key <= Qt::Key_Down) {
            moveFocus(widget, key);
            return true;
        }
    }
    if (event->type() == QEvent::Enter || event->type() == QEvent::FocusIn) {
        const auto found =
            std::ranges::find(m_entries, watched, [](const Entry &each) -> QObject * { return each.button; });
        if (found != m_entries.end()) {
            m_hovered = found->primitive;
            m_hoverWait->start();
        }
    } else if (event->type() == QEvent::Leave || event->type() == QEvent::FocusOut) {
        m_hovered = nullptr;
        m_hoverWait->stop();
        if (!m_form)
            m_actions.endPreview();
    }
    return QWidget::eventFilter(watched, event);
}

void ActionStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRectF(0, height() - 1, width(), 1), look::tokens(this).hairline);
}

} // namespace nestwright::forms
