// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/commands/command_palette.h"

#include "widgets/document/command_registry.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QGraphicsDropShadowEffect>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::app {

using document::Command;

namespace {
enum Role { IdRole = Qt::UserRole, KeyRole, GroupRole, ReasonRole };
constexpr int commandHeight = 34;

/// Title, group and reason at the left, the key at the right.
class Delegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override
    {
        return {100, commandHeight};
    }
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const look::Tokens &t = look::tokens(option.palette);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QRectF rect = QRectF(option.rect).adjusted(6, 1, -6, -1);
        if (option.state & QStyle::State_Selected) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(t.selectionFill);
            painter->drawRoundedRect(rect, 5, 5);
        }
        const QString reason = index.data(ReasonRole).toString();
        const QRectF text = rect.adjusted(10, 0, -10, 0);
        painter->setFont(look::interfaceFont(12.5, QFont::Medium));
        painter->setPen(reason.isEmpty() ? t.text : t.faint);
        const QString title = index.data(Qt::DisplayRole).toString();
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, title);
        const double used = painter->fontMetrics().horizontalAdvance(title) + 12;
        const QString key = index.data(KeyRole).toString();
        painter->setFont(look::interfaceFont(11.5));
        const double keyWidth = key.isEmpty() ? 0 : painter->fontMetrics().horizontalAdvance(key) + 12;
        painter->setPen(t.secondary);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignRight, key);
        const QString more = reason.isEmpty() ? index.data(GroupRole).toString() : reason;
        const QRectF rest = text.adjusted(used, 0, -keyWidth, 0);
        painter->setPen(reason.isEmpty() ? t.secondary : t.faint);
        painter->drawText(
            rest, Qt::AlignVCenter | Qt::AlignLeft,
            painter->fontMetrics().elidedText(more, Qt::ElideRight, static_cast<int>(rest.width())));
        painter->restore();
    }
};
} // namespace

CommandPalette::CommandPalette(document::CommandRegistry &commands, QWidget *window)
    : QFrame(window)
    , m_commands(commands)
    , m_field(new QLineEdit(this))
    , m_list(new QListWidget(this))
{
    setAccessibleName(tr("Commands"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(m_field);
    layout->addWidget(m_list);
    m_field->setPlaceholderText(tr("Search commands…"));
    m_field->setAccessibleName(tr("Search commands"));
    m_field->setMinimumHeight(30);
    m_list->setItemDelegate(new Delegate(m_list));
    m_list->setAccessibleName(tr("Commands found"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_field->installEventFilter(this);
    auto *shadow = new QGraphicsDropShadowEffect(this);
    shadow->setBlurRadius(32);
    shadow->setOffset(0, 8);
    shadow->setColor(QColor(0, 0, 0, 60));
    setGraphicsEffect(shadow);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(m_list, &QListWidget::currentItemChanged, this, &CommandPalette::tellChosen);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::run);
    hide();
}

int CommandPalette::match(const QString &text, const QString &typed)
{
    int score = 0;
    qsizetype at = 0;
    bool wordStart = true;
    for (const QChar letter : typed) {
        if (letter.isSpace())
            continue;
        qsizetype found = -1;
        for (qsizetype i = at; i < text.size(); ++i) {
            if (text[i].toLower() == letter.toLower()) {
                found = i;
                break;
            }
        }
        if (found < 0)
            return -1;
        wordStart = found == 0 || text[found - 1].isSpace();
        score += static_cast<int>(found - at) + (wordStart ? 0 : 1);
        at = found + 1;
    }
    return score;
}

void CommandPalette::open()
{
    const int width = std::min(560, parentWidget()->width() - 40);
    setFixedWidth(width);
    move((parentWidget()->width() - width) / 2, 60);
    m_field->clear();
    fill();
    show();
    raise();
    m_field->setFocus(Qt::ShortcutFocusReason);
}

void CommandPalette::fill()
{
    struct Found {
        const Command *command;
        int score;
    };
    std::vector<Found> found;
    const QString typed = m_field->text().trimmed();
    for (const Command &command : m_commands.all()) {
        if (command.id == u"view.palette")
            continue;
        const int score = match(command.title, typed);
        const int other = match(command.group + u' ' + command.title, typed);
        if (score >= 0 || other >= 0)
            found.push_back({&command, score >= 0 ? score : other + 50});
    }
    std::ranges::stable_sort(found, {}, &Found::score);
    m_list->clear();
    for (const Found &each : found) {
        auto *item = new QListWidgetItem(each.command->title, m_list);
        item->setData(IdRole, each.command->id);
        item->setData(GroupRole, each.command->group);
        item->setData(ReasonRole, m_commands.reason(each.command->id));
        if (!each.command->keys.isEmpty())
            item->setData(KeyRole, each.command->keys.front().toString(QKeySequence::NativeText));
        QStringList spoken{each.command->title, each.command->group};
        for (const int role : {KeyRole, ReasonRole})
            spoken << item->data(role).toString();
        spoken.removeAll(QString());
        item->setData(Qt::AccessibleTextRole, spoken.join(QStringLiteral(", ")));
    }
    m_list->setCurrentRow(0);
    const int tallest = std::min(460, parentWidget()->height() - 120);
    setFixedHeight(std::min(tallest, 30 + 3 * 8 + std::max(1, m_list->count()) * commandHeight + 4));
}

/// The focus stays in the field, so that is where the chosen command is read.
void CommandPalette::tellChosen()
{
    const QListWidgetItem *item = m_list->currentItem();
    m_field->setAccessibleDescription(item ? item->data(Qt::AccessibleTextRole).toString()
                                           : tr("No command is called so."));
}

void CommandPalette::run()
{
    const QListWidgetItem *item = m_list->currentItem();
    if (!item)
        return;
    const QString id = item->data(IdRole).toString();
    hide();
    m_commands.trigger(id);
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Escape) {
            hide();
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            run();
            return true;
        }
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            const int row = m_list->currentRow() + (key == Qt::Key_Down ? 1 : -1);
            m_list->setCurrentRow(std::clamp(row, 0, std::max(0, m_list->count() - 1)));
            return true;
        }
    } else if (watched == m_field && event->type() == QEvent::FocusOut) {
        hide();
    }
    return QFrame::eventFilter(watched, event);
}

void CommandPalette::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const look::Tokens &t = look::tokens(this);
    painter.setPen(QPen(t.hairline, 1));
    painter.setBrush(t.pane);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

} // namespace nestwright::app
