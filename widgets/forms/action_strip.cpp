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
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace nestwright::forms {

using document::Action;
using document::toQt;

namespace {
constexpr int columns = 3;
constexpr int hoverDelayMs = 90;
constexpr int footHeight = 52;      ///< kept free for reasons and summaries
constexpr int heightWithFoot = 320; ///< a lower strip needs the room for its buttons
constexpr QMargins margins(12, 12, 12, 10);

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

QScrollArea *makeScrollArea(QWidget *parent)
{
    auto *area = new QScrollArea(parent);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->viewport()->setAutoFillBackground(false);
    area->setFocusPolicy(Qt::NoFocus);
    return area;
}
} // namespace

ActionStrip::ActionStrip(document::Document &document, document::ActionList &actions, QWidget *parent)
    : QWidget(parent)
    , m_document(document)
    , m_actions(actions)
    , m_title(new QLabel(this))
    , m_pages(new QStackedWidget(this))
    , m_formPage(makeScrollArea(this))
    , m_finding(new look::FindingBox(look::FindingBox::Kind::Bad, this))
    , m_summary(new QLabel(this))
    , m_hoverWait(new QTimer(this))
{
    setAccessibleName(tr("Actions for the selection"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(margins);
    layout->setSpacing(10);
    m_title->setTextFormat(Qt::RichText);
    m_title->setFont(look::interfaceFont(12.5));
    m_title->setMinimumHeight(20);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    layout->addWidget(m_title);
    m_pages->addWidget(makeGrid());
    m_pages->addWidget(m_formPage);
    layout->addWidget(m_pages, 1);
    m_summary->setWordWrap(true);
    m_summary->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_summary->setProperty("role", "secondary");
    m_summary->setFont(look::interfaceFont(12));
    m_summary->setFixedHeight(footHeight);
    layout->addWidget(m_summary);
    m_finding->hide();
    connect(m_pages, &QStackedWidget::currentChanged, this, &ActionStrip::showSummary);
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

QWidget *ActionStrip::makeGrid()
{
    QScrollArea *area = makeScrollArea(this);
    auto *inside = new QWidget(area);
    auto *grid = new QGridLayout(inside);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(6);
    int row = -1;
    int column = columns;
    std::optional<schedule::Group> group;
    for (const schedule::Primitive *primitive : schedule::primitives()) {
        if (primitive->isQuery)
            continue;
        if (group != primitive->group) {
            group = primitive->group;
            auto *heading = new QLabel(toQt(schedule::title(*group)), inside);
            heading->setProperty("role", "faint");
            heading->setFont(look::interfaceFont(11, QFont::Medium));
            heading->setContentsMargins(2, row < 0 ? 0 : 4, 0, 0);
            if (!m_blockActions && primitive->fields.front().kind == schedule::FieldKind::Block)
                m_blockActions = heading;
            grid->addWidget(heading, ++row, 0, 1, columns);
            column = columns;
        }
        if (column == columns) {
            ++row;
            column = 0;
        }
        grid->addWidget(makeButton(*primitive, inside), row, column++);
    }
    for (int each = 0; each < columns; ++each)
        grid->setColumnStretch(each, 1);
    grid->setRowStretch(row + 1, 1);
    area->setWidget(inside);
    inside->setAutoFillBackground(false); // setWidget() switches it on
    m_grid = area;
    return area;
}

/// The other kind of selection has its actions elsewhere; within one kind nothing moves.
void ActionStrip::bringGroupIntoView()
{
    const document::NestPtr &nest = m_document.nest();
    const document::NestRow *row = nest ? nest->row(m_document.selection().current()) : nullptr;
    const bool forBlock = row && row->kind == document::RowKind::Block;
    if (!row || forBlock == m_forBlock)
        return;
    m_forBlock = forBlock;
    m_grid->verticalScrollBar()->setValue(forBlock && m_blockActions ? m_blockActions->y() : 0);
}

look::Button *ActionStrip::makeButton(const schedule::Primitive &primitive, QWidget *parent)
{
    auto *button = new look::Button(shortTitle(toQt(primitive.title)), parent);
    button->setKey(shortKey(primitive.key));
    button->setToolTip(
        toQt(primitive.title)
        + (primitive.key.empty() ? QString() : QStringLiteral(" (%1)").arg(toQt(primitive.key)))
        + QStringLiteral(": ") + toQt(primitive.summary));
    button->setObjectName(QStringLiteral("action.") + toQt(primitive.name));
    button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    button->setFocusPolicy(Qt::TabFocus); // a click leaves the focus with the tree
    button->installEventFilter(this);
    connect(button, &QPushButton::clicked, this, [this, name = primitive.name] { trigger(name); });
    connect(button, &look::Button::refused, this, [this, name = primitive.name] {
        if (const Action *action = m_actions.find(name))
            explain(*action);
    });
    m_entries.push_back({&primitive, button});
    return button;
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
        entry.button->setText(shortTitle(action ? action->title : toQt(entry.primitive->title)));
        if (!action)
            entry.button->setUnavailable(tr("Select a loop or block first."));
        else
            entry.button->setUnavailable(action->refused ? document::sentence(action->refused->message)
                                                         : QString());
    }
    explainNothing();
    bringGroupIntoView();
    showTitle();
    showKeys();
    if (!m_wanted.empty() && m_actions.isCurrent())
        trigger(std::exchange(m_wanted, {}));
}

/// A key stands on its button where there is room for it beside the title; the tool tip has it anyway.
void ActionStrip::showKeys()
{
    constexpr int gap = 8;
    const int room = (width() - margins.left() - margins.right() - 10 - 2 * 6) / columns - 2 * 11;
    for (const Entry &entry : m_entries) {
        const QString key = shortKey(entry.primitive->key);
        const QFontMetrics metrics(entry.button->font());
        const int title = metrics.horizontalAdvance(entry.button->text());
        if (!key.isEmpty() && title + gap + metrics.horizontalAdvance(key) <= room)
            entry.button->setKey(key);
        else // a blank one keeps the title at the left, in line with the others
            entry.button->setKey(title + gap + 4 <= room ? QStringLiteral(" ") : QString());
    }
}

void ActionStrip::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    showKeys();
    showSummary();
    placeFinding();
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
        facts << (row->iterations >= 0 ? tr("%L1 iterations").arg(row->iterations)
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
    m_title->setText(QStringLiteral("<span style=\"font-family:'%1';font-weight:600;color:%2\">%3</span> "
                                    "<span style='color:%4'>&nbsp;%5</span>")
                         .arg(look::codeFont().family(), look::axisColor(row->axis, t).name(),
                              row->name.toHtmlEscaped(), secondary,
                              facts.join(QStringLiteral(" · ")).toHtmlEscaped()));
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
    else if (action->direct)
        m_document.apply(action->step());
    else
        openForm(*action);
}

void ActionStrip::explain(const Action &action)
{
    if (!action.refused)
        return;
    m_explained = action.primitive;
    QString text = document::sentence(action.refused->message);
    if (!action.remedy && !action.refused->hint.empty())
        text += u' ' + document::sentence(action.refused->hint);
    m_finding->setContent(tr("%1 is not possible here").arg(toQt(action.primitive->title)), text,
                          action.remedyTitle);
    m_finding->show();
    m_finding->raise();
    placeFinding();
}

void ActionStrip::placeFinding()
{
    if (!m_finding->isVisible())
        return;
    const int room = width() - margins.left() - margins.right();
    const int needed =
        m_finding->hasHeightForWidth() ? m_finding->heightForWidth(room) : m_finding->sizeHint().height();
    const int tall = std::max(needed, footHeight);
    m_finding->setGeometry(margins.left(), height() - margins.bottom() - tall, room, tall);
}

void ActionStrip::showSummary()
{
    m_summary->setText(m_hovered ? toQt(m_hovered->summary) : QString());
    m_summary->setVisible(m_pages->currentIndex() == 0 && height() >= heightWithFoot);
}

void ActionStrip::explainNothing()
{
    m_explained = nullptr;
    m_finding->hide();
}

void ActionStrip::openForm(const Action &action)
{
    closeForm();
    explainNothing();
    m_form = new PrimitiveForm(action, *m_document.nest(), m_document.selection().current());
    m_formPage->setWidget(m_form);
    m_form->setAutoFillBackground(false); // setWidget() switches it on
    m_pages->setCurrentWidget(m_formPage);
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
    m_pages->setCurrentIndex(0);
    m_formPage->takeWidget();
    form->hide();
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
    if (event->type() == QEvent::Enter || event->type() == QEvent::FocusIn) {
        const auto found =
            std::ranges::find(m_entries, watched, [](const Entry &each) -> QObject * { return each.button; });
        if (found != m_entries.end()) {
            m_hovered = found->primitive;
            m_hoverWait->start();
            showSummary();
        }
    } else if (event->type() == QEvent::Leave || event->type() == QEvent::FocusOut) {
        m_hovered = nullptr;
        m_hoverWait->stop();
        showSummary();
        if (!m_form)
            m_actions.endPreview();
    }
    return QWidget::eventFilter(watched, event);
}

void ActionStrip::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(QRectF(0, 0, width(), 1), look::tokens(this).hairline);
}

void ActionStrip::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showTitle();
}

} // namespace nestwright::forms
