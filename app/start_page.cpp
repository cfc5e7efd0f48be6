// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start_page.h"

#include "app/examples.h"
#include "widgets/document/plain_tip.h"
#include "widgets/document/text.h"
#include "widgets/look/button.h"
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

/// A card with the name of an example and what it is; that of a model says so. Enter and Space press it.
class ExampleCard : public QAbstractButton {
public:
    ExampleCard(const Example &example, QWidget *parent)
        : QAbstractButton(parent)
        , m_description(example.description)
        , m_badge(example.isModel ? StartPage::tr("ONNX model") : QString())
    {
        setText(example.name);
        setAccessibleName(example.name);
        setAccessibleDescription(m_badge.isEmpty() ? m_description
                                                   : m_badge + QStringLiteral(". ") + m_description);
        setFixedSize(300, 92);
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
        painter.setFont(look::codeFont(13, QFont::DemiBold));
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
    QString m_description, m_badge;
};
} // namespace

StartPage::StartPage(QWidget *parent) : QWidget(parent), m_recent(new QVBoxLayout)
{
    setAccessibleName(tr("Start"));
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(32, 24, 32, 24);
    auto *inner = new QVBoxLayout;
    inner->setSpacing(8);
    inner->addWidget(makeLabel(tr("Open a model or a kernel, or start from an example"),
                               look::interfaceFont(20, QFont::DemiBold), "title", this));
    inner->addWidget(makeLabel(tr("ONNX models (.onnx), TE scripts and TVMScript (.py), schedule scripts "
                                  "(.py), sessions (.nest). Files can be dropped "
                                  "anywhere on the window."),
                               look::interfaceFont(12.5), "secondary", this));
    auto *buttons = new QHBoxLayout;
    auto *open = new look::Button(tr("Open…"), this, look::Button::Kind::Primary);
    open->setKey(QStringLiteral("Ctrl O"));
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    buttons->addWidget(open);
    auto *course = new look::Button(tr("Learn: a course of ten lessons"), this);
    course->setObjectName(QStringLiteral("start.course"));
    course->setKey(QStringLiteral("Ctrl Shift L"));
    course->setToolTip(tr("From three plain loops to fused, vectorized and parallel ones, step by step"));
    connect(course, &QPushButton::clicked, this, &StartPage::courseRequested);
    buttons->addSpacing(8);
    buttons->addWidget(course);
    buttons->addStretch(1);
    inner->addSpacing(6);
    inner->addLayout(buttons);
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

QWidget *StartPage::makeExamples()
{
    auto *box = new QWidget(this);
    auto *grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(10);
    auto *cards = new look::FocusGroup(box);
    int place = 0;
    for (const Example &example : examples()) {
        auto *card = new ExampleCard(example, box);
        connect(card, &QAbstractButton::clicked, this,
                [this, path = example.path] { Q_EMIT fileChosen(path); });
        cards->add(card);
        grid->addWidget(card, place / 3, place % 3);
        ++place;
    }
    if (place == 0)
        grid->addWidget(makeLabel(tr("The examples were not found beside the program."),
                                  look::interfaceFont(12), "secondary", box));
    return box;
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
