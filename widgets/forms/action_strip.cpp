// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/action_strip.h"

#include "widgets/document/action_list.h"
#include "widgets/document/document.h"
#include "widgets/document/selection.h"
#include "widgets/document/text.h"
#include "widgets/forms/primitive_form.h"
#include "widgets/look/axis.h"
#include "widgets/look/button.h"
#include "widgets/look/finding_box.h"
#include "widgets/look/focus_group.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QEvent>
#include <QFrame>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace nestwright::forms {

using document::toQt;
using suggest::Action;

namespace {
constexpr int barColumns = 5, panelColumns = 3;
constexpr int hoverDelayMs = 90;
constexpr int barButtonHeight = 28, panelWidth = 400, mostPanelHeight = 480;
constexpr int cardMargin = 8;
constexpr QMargins margins(10, 8, 10, 8);

/// Of the bar, with titles that fit it.
constexpr std::pair<std::string_view, const char *> common[] = {
    {"split", "Split"},   {"tile", "Tile"},        {"reorder", "Reorder"},
    {"fuse", "Fuse"},     {"vectorize", "Vector"}, {"parallel", "Parallel"},
    {"unroll", "Unroll"}, {"compute_at", "Place"}, {"cache_read", "Cache"},
};

/// Titles that fit a third of the strip; the tool tip has the whole.
QString shortTitle(const QString &title)
{
    static const std::pair<QString, QString> shorter[] = {
        {QStringLiteral("Bind to threads"), QStringLiteral("Bind thread")},
        {QStringLiteral("Remove annotation"), QStringLiteral("Unannotate")},
        {QStringLiteral("Decompose reduction"), QStringLiteral("Decompose")},
        {QStringLiteral("Reverse compute at"), QStringLiteral("Rev. comp. at")},
        {QStringLiteral("Add loop of one iteration"), QStringLiteral("Unit loop")},
        {QStringLiteral("Reorder iteration variables"), QStringLiteral("Reorder iters")},
        {QStringLiteral("Transform layout"), QStringLiteral("Layout")},
        {QStringLiteral("Transform block"), QStringLiteral("Block layout")},
        {QStringLiteral("Factor reduction"), QStringLiteral("Rfactor")},
        {QStringLiteral("Inline into producer"), QStringLiteral("Rev. inline")},
    };
    for (const auto &[from, to] : shorter) {
        if (title.startsWith(from))
            return to + title.mid(from.size());
    }
    return title;
}

QString shortKey(std::string_view key)
{
    return toQt(key).replace(QStringLiteral("Shift+"), QStringLiteral("⇧"));
}

/// On the ground of a pane, with a frame.
class FloatingCard : public QFrame {
public:
    using QFrame::QFrame;

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        const look::Tokens &t = look::tokens(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(t.selectionBorder, 1));
        painter.setBrush(t.pane);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
};
} // namespace

ActionStrip::ActionStrip(document::Document &document, document::ActionList &actions, QWidget *stage)
    : QWidget(stage)
    , m_document(document)
    , m_actions(actions)
    , m_stage(stage ? stage : this)
    , m_title(new QLabel(this))
    , m_card(new FloatingCard(m_stage))
    , m_finding(new look::FindingBox(look::FindingBox::Kind::Bad, m_stage))
    , m_hoverWait(new QTimer(this))
{
    setAccessibleName(tr("Actions for the selection"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(margins);
    layout->setSpacing(6);
    m_title->setTextFormat(Qt::RichText);
    m_title->setFont(look::interfaceFont(12.5));
    m_title->setMinimumHeight(18);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    layout->addWidget(m_title);
    layout->addWidget(makeBar());
    layout->addStretch(1);
    makePanel();
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
        const Action *action = m_explained ? m_actions.find(m_explained->name) : nullptr;
        if (action && action->remedy)
            m_document.apply(*action->remedy);
    });
    showActions();
}

QWidget *ActionStrip::makeBar()
{
    auto *bar = new QWidget(this);
    auto *grid = new QGridLayout(bar);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(5);
    int place = 0;
    const auto add = [&](look::Button *button) {
        button->setCompact();
        button->setFixedHeight(barButtonHeight);
        grid->addWidget(button, place / barColumns, place % barColumns);
        ++place;
    };
    for (const auto &[name, title] : common)
        add(makeButton(*schedule::findPrimitive(name), tr(title), bar));
    m_more = new look::Button(tr("More"), bar);
    m_more->setKey(QStringLiteral("▾"));
    m_more->setToolTip(tr("All other actions, by group"));
    m_more->setObjectName(QStringLiteral("action.more"));
    m_more->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_more->setFocusPolicy(Qt::NoFocus);
    m_more->installEventFilter(this);
    connect(m_more, &QPushButton::clicked, this, [this] { showMore(m_panel->isHidden()); });
    add(m_more);
    for (int column = 0; column < barColumns; ++column)
        grid->setColumnStretch(column, 1);
    m_entries.front().button->setFocusPolicy(Qt::TabFocus); // one stop; arrows move inside
    return bar;
}

/// Everything that the bar does not have.
void ActionStrip::makePanel()
{
    m_panel = new FloatingCard(this);
    m_panel->setWindowFlags(Qt::Popup | Qt::FramelessWindowHint | Qt::NoDropShadowWindowHint);
    m_panel->setAccessibleName(tr("More actions"));
    m_panel->installEventFilter(this);
    auto *area = new QScrollArea(m_panel);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    auto *inside = new QWidget(area);
    auto *grid = new QGridLayout(inside);
    grid->setContentsMargins(2, 0, 8, 0);
    grid->setSpacing(6);
    int row = -1;
    int column = panelColumns;
    std::optional<schedule::Group> group;
    for (const schedule::Primitive &primitive : schedule::primitives()) {
        if (primitive.isQuery || button(primitive.name))
            continue;
        if (group != primitive.group) {
            group = primitive.group;
            auto *heading = new QLabel(toQt(schedule::title(*group)), inside);
            heading->setProperty("role", "faint");
            heading->setFont(look::interfaceFont(11, QFont::Medium));
            heading->setContentsMargins(2, row < 0 ? 0 : 4, 0, 0);
            grid->addWidget(heading, ++row, 0, 1, panelColumns);
            column = panelColumns;
        }
        if (column == panelColumns) {
            ++row;
            column = 0;
        }
        look::Button *made = makeButton(primitive, {}, inside);
        made->setCompact();
        made->setFixedHeight(barButtonHeight);
        grid->addWidget(made, row, column++);
    }
    for (int each = 0; each < panelColumns; ++each)
        grid->setColumnStretch(each, 1);
    grid->setRowStretch(row + 1, 1);
    area->setWidget(inside);
    area->viewport()->setAutoFillBackground(false);
    inside->setAutoFillBackground(false); // setWidget() switches it on
    auto *layout = new QVBoxLayout(m_panel);
    layout->setContentsMargins(10, 10, 4, 10);
    layout->addWidget(area);
    m_panel->setFixedSize(panelWidth, std::min(mostPanelHeight, inside->sizeHint().height() + 22));
}

void ActionStrip::showMore(bool shown)
{
    if (!shown) {
        m_panel->hide();
        return;
    }
    QPoint at = m_more->mapToGlobal(QPoint(m_more->width() - panelWidth, m_more->height() + 4));
    at.setX(std::max(at.x(), window()->mapToGlobal(QPoint(4, 0)).x()));
    m_panel->move(at);
    m_panel->show();
    const auto first = std::ranges::find_if(
        m_entries, [&](const Entry &each) { return m_panel->isAncestorOf(each.button); });
    if (first != m_entries.end())
        first->button->setFocus(Qt::PopupFocusReason);
}

look::Button *ActionStrip::makeButton(const schedule::Primitive &primitive, const QString &title,
                                      QWidget *parent)
{
    auto *button = new look::Button(title.isEmpty() ? shortTitle(toQt(primitive.title)) : title, parent);
    button->setKey(shortKey(primitive.key));
    button->setToolTip(
        toQt(primitive.title)
        + (primitive.key.empty() ? QString() : QStringLiteral(" (%1)").arg(toQt(primitive.key)))
        + QStringLiteral(": ") + toQt(primitive.summary));
    button->setAccessibleName(toQt(primitive.title));
    button->setObjectName(QStringLiteral("action.") + toQt(primitive.name));
    button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    button->setFocusPolicy(Qt::NoFocus); // a click leaves the focus with the tree
    button->installEventFilter(this);
    connect(button, &QPushButton::clicked, this, [this, name = primitive.name] { trigger(name); });
    connect(button, &look::Button::refused, this, [this, name = primitive.name] {
        if (const Action *action = m_actions.find(name))
            explain(*action);
    });
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
    showTitle();
    showKeys();
    if (!m_wanted.empty() && m_actions.isCurrent())
        trigger(std::exchange(m_wanted, {}));
}

/// A key stands on its button where there is room for it beside the title; the tool tip has it anyway.
void ActionStrip::showKeys()
{
    constexpr int gap = 12, padding = 2 * 7;
    for (const Entry &entry : m_entries) {
        const QString key = shortKey(entry.primitive->key);
        const QFontMetrics metrics(entry.button->font());
        const int room = entry.button->width() - padding;
        const int title = metrics.horizontalAdvance(entry.button->text());
        if (!key.isEmpty() && title + gap + metrics.horizontalAdvance(key) <= room)
            entry.button->setKey(key);
        else
            entry.button->setKey({});
    }
}

void ActionStrip::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    layout()->activate();
    showTitle();
    showKeys();
    placeCards();
}

void ActionStrip::showTitle()
{
    const document::NestPtr &nest = m_document.nest();
    const document::NestRow *row = nest ? nest->row(m_document.selection().current()) : nullptr;
    const look::Tokens &t = look::tokens(this);
    const QString secondary = t.secondary.name();
    if (!row) {
        m_title->setText(QStringLiteral("<span style='color:%1'>%2</span>")
                             .arg(secondary, tr("Select a loop or block to see what can be done with it")));
        return;
    }
    QStringList facts;
    if (row->kind == document::RowKind::Loop) {
        facts << (row->iterations == 1  ? tr("1 iteration")
                  : row->iterations > 1 ? tr("%L1 iterations").arg(row->iterations)
                                        : tr("%1 iterations").arg(row->extent));
        if (!row->role.isEmpty())
            facts << row->role;
    } else {
        facts << tr("block") << row->extent;
    }
    if (!row->origin.isEmpty())
        facts << row->origin;
    const std::size_t count = m_document.selection().all().size();
    if (count > 1)
        facts = {tr("and %1 more selected").arg(count - 1)};
    const auto joined = [&facts] { return facts.join(QStringLiteral(" · ")); };
    const QString whole = row->name + u' ' + joined();
    const int room =
        m_title->width() - QFontMetrics(look::codeFont(12.5, QFont::DemiBold)).horizontalAdvance(row->name);
    while (facts.size() > 1
           && m_title->fontMetrics().horizontalAdvance(QStringLiteral("  ") + joined()) > room)
        facts.removeLast();
    const QString shown = row->name + u' ' + joined();
    m_title->setToolTip(shown == whole ? QString() : whole);
    m_title->setText(QStringLiteral("<span style=\"font-family:'%1';font-weight:600;color:%2\">%3</span> "
                                    "<span style='color:%4'>&nbsp;%5</span>")
                         .arg(look::codeFont().family(), look::axisColor(row->axis, t).name(),
                              row->name.toHtmlEscaped(), secondary, joined().toHtmlEscaped()));
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
        m_document.apply(action->step());
    } else
        openForm(*action);
}

void ActionStrip::explain(const Action &action)
{
    if (!action.refused)
        return;
    showMore(false);
    m_explained = action.primitive;
    QString text = document::sentence(action.refused->message);
    if (!action.remedy && !action.refused->hint.empty())
        text += u' ' + document::sentence(action.refused->hint);
    m_finding->setContent(tr("%1 is not possible here").arg(toQt(action.primitive->title)), text,
                          toQt(action.remedyTitle));
    m_finding->show();
    m_finding->raise();
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
    if (m_form && preview)
        m_form->setVerdict(preview->refused ? document::sentence(preview->refused->message) : QString());
}

void ActionStrip::startPreview()
{
    const Action *action = m_hovered && m_actions.isCurrent() ? m_actions.find(m_hovered->name) : nullptr;
    if (!action)
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
        if (event->type() == QEvent::Resize)
            placeCards();
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

void ActionStrip::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showTitle();
}

} // namespace nestwright::forms
