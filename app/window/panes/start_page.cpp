// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/start_page.h"

#include "app/window/controllers/examples.h"
#include "widgets/document/plain_tip.h"
#include "widgets/document/text.h"
#include "widgets/look/chip.h"
#include "widgets/look/focus_group.h"
#include "widgets/look/fonts.h"
#include "widgets/look/link_button.h"
#include "widgets/look/tokens.h"

#include <QAbstractButton>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace nestwright::app {

namespace {
QLabel *makeLabel(const QString &text, const QFont &font, const char *role, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setFont(font);
    label->setProperty("role", role);
    label->setWordWrap(true);
    return label;
}

constexpr int leastCardWidth = 290, cardHeight = 92, cardGap = 10;
constexpr int fewestColumns = 2, mostColumns = 4;
constexpr int sideMargin = 32;

/// A card with a name and a few sentences, and a key or a kind in its corner. Enter and Space press it.
class StartCard : public QAbstractButton {
public:
    StartCard(const QString &name, const QFont &font, const QString &description, const QString &badge,
              QWidget *parent)
        : QAbstractButton(parent)
        , m_font(font)
        , m_description(description)
        , m_badge(badge)
    {
        setText(name);
        setAccessibleName(name);
        setAccessibleDescription(m_badge.isEmpty() ? m_description
                                                   : m_badge + QStringLiteral(". ") + m_description);
        setFixedHeight(cardHeight);
        setMinimumWidth(leastCardWidth);
        setCursor(Qt::PointingHandCursor);
        setAttribute(Qt::WA_Hover);
    }

protected:
    void keyPressEvent(QKeyEvent *event) override
    {
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
            click();
        else
            QAbstractButton::keyPressEvent(event);
    }
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const look::Tokens &t = look::tokens(this);
        const bool active = underMouse() || hasFocus();
        painter.setPen(QPen(active ? t.selectionBorder : t.hairline, 1));
        painter.setBrush(underMouse() ? t.hover : t.pane);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
        const QRectF inside = QRectF(rect()).adjusted(14, 11, -14, -10);
        painter.setPen(t.text);
        painter.setFont(m_font);
        painter.drawText(inside, Qt::AlignTop | Qt::AlignLeft, text());
        if (!m_badge.isEmpty())
            look::paintChip(painter, {inside.right() - look::chipSize(m_badge).width(), inside.top() + 9},
                            m_badge, look::ChipKind::Info, t);
        painter.setPen(t.secondary);
        painter.setFont(look::interfaceFont(11.5));
        painter.drawText(inside.adjusted(0, 23, 0, 0),
                         static_cast<int>(Qt::AlignTop | Qt::AlignLeft) | Qt::TextWordWrap, m_description);
    }

private:
    QFont m_font;
    QString m_description, m_badge;
};
} // namespace

StartPage::StartPage(QWidget *parent)
    : QWidget(parent)
    , m_examples(new QGridLayout)
    , m_recent(new QVBoxLayout)
{
    setAccessibleName(tr("Start"));
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(sideMargin, 24, sideMargin, 24);
    auto *inner = new QVBoxLayout;
    inner->setSpacing(8);
    inner->addWidget(makeLabel(tr("Open a model or a kernel, or learn by doing"),
                               look::interfaceFont(20, QFont::DemiBold), "title", this));
    inner->addWidget(
        makeLabel(tr("Files can be dropped anywhere on the window, sessions (.nest) and schedule "
                     "scripts as well."),
                  look::interfaceFont(12.5), "secondary", this));
    inner->addSpacing(6);
    inner->addWidget(makeWays());
    inner->addSpacing(16);
    inner->addWidget(makeLabel(tr("Examples"), look::interfaceFont(12, QFont::DemiBold), "secondary", this));
    inner->addWidget(makeExamples());
    inner->addSpacing(12);
    inner->addLayout(m_recent);
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    row->addLayout(inner);
    row->addStretch(1);
    outer->addStretch(1);
    outer->addLayout(row);
    outer->addStretch(2);
}

/// The three ways in.
QWidget *StartPage::makeWays()
{
    struct Way {
        const char *name;
        QString title, description, key;
        void (StartPage::*wanted)();
    };
    const Way ways[] = {
        {"start.model", tr("A model"),
         tr("An ONNX file: its graph after fusion, its kernels by the time that they take, and each of them "
            "to "
            "schedule."),
         QStringLiteral("Ctrl O"), &StartPage::openRequested},
        {"start.kernel", tr("A kernel"),
         tr("A TE script or TVMScript: its loops to split, move and bind, the code that comes of it, and how "
            "fast that is."),
         QStringLiteral("Ctrl O"), &StartPage::openRequested},
        {"start.course", tr("The course"),
         tr("Ten lessons, from three plain loops to fused, vectorized and parallel ones, step by step."),
         QStringLiteral("Ctrl Shift L"), &StartPage::courseRequested},
    };
    auto *box = new QWidget(this);
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(cardGap);
    auto *cards = new look::FocusGroup(box);
    for (const Way &way : ways) {
        auto *card =
            new StartCard(way.title, look::interfaceFont(14, QFont::DemiBold), way.description, way.key, box);
        card->setObjectName(QString::fromLatin1(way.name));
        connect(card, &QAbstractButton::clicked, this, way.wanted);
        cards->add(card);
        row->addWidget(card, 1);
    }
    return box;
}

QWidget *StartPage::makeExamples()
{
    auto *box = new QWidget(this);
    box->setLayout(m_examples);
    m_examples->setContentsMargins(0, 0, 0, 0);
    m_examples->setSpacing(cardGap);
    auto *cards = new look::FocusGroup(box);
    for (const Example &example : examples()) {
        auto *card = new StartCard(example.name, look::codeFont(13, QFont::DemiBold), example.description,
                                   example.isModel ? tr("ONNX model") : QString(), box);
        connect(card, &QAbstractButton::clicked, this,
                [this, path = example.path] { Q_EMIT fileChosen(path); });
        cards->add(card);
        m_cards << card;
    }
    if (m_cards.isEmpty())
        m_examples->addWidget(makeLabel(tr("The examples were not found beside the program."),
                                        look::interfaceFont(12), "secondary", box));
    arrange(mostColumns);
    return box;
}

void StartPage::arrange(int columns)
{
    if (columns == std::exchange(m_columns, columns))
        return;
    for (QWidget *card : m_cards)
        m_examples->removeWidget(card);
    for (int place = 0; place < m_cards.size(); ++place)
        m_examples->addWidget(m_cards[place], place / columns, place % columns);
}

void StartPage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const int room = width() - 2 * sideMargin;
    arrange(std::clamp((room + cardGap) / (leastCardWidth + cardGap), fewestColumns, mostColumns));
}

void StartPage::setRecent(const QStringList &paths)
{
    while (QLayoutItem *item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (paths.isEmpty())
        return;
    m_recent->addWidget(
        makeLabel(tr("Recent files"), look::interfaceFont(12, QFont::DemiBold), "secondary", this));
    for (const QString &path : paths.mid(0, 5)) {
        auto *link = new look::LinkButton(document::fileInFolder(path), this);
        link->setToolTip(document::plainTip(path));
        connect(link, &QAbstractButton::clicked, this, [this, path] { Q_EMIT fileChosen(path); });
        m_recent->addWidget(link, 0, Qt::AlignLeft);
    }
}

void StartPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    Q_EMIT covers(true);
}

void StartPage::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    if (!event->spontaneous())
        Q_EMIT covers(false);
}

void StartPage::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), look::tokens(this).ground);
}

} // namespace nestwright::app
