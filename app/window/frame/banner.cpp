// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/banner.h"

#include "widgets/document/text.h"
#include "widgets/look/button.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/tokens.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace nestwright::app {

Banner::Banner(QWidget *window)
    : QFrame(window)
    , m_title(new QLabel(this))
    , m_text(new QLabel(this))
    , m_buttons(new QHBoxLayout)
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(16, 10, 10, 10);
    row->setSpacing(12);
    auto *texts = new QVBoxLayout;
    texts->setSpacing(2);
    m_title->setFont(look::interfaceFont(12.5, QFont::DemiBold));
    m_text->setFont(look::interfaceFont(12));
    for (QLabel *label : {m_title, m_text}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        texts->addWidget(label);
    }
    row->addLayout(texts, 1);
    row->addLayout(m_buttons);
    auto *close = new look::Button(QString(), this, look::Button::Kind::Quiet);
    close->setIcon(look::icon(QStringLiteral("close")));
    close->setAccessibleName(tr("Close"));
    row->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    hide();
}

QString Banner::text() const { return m_title->text() + u'\n' + m_text->text(); }

void Banner::showError(const support::Diagnostic &diagnostic) { showProblem(diagnostic, {}); }

void Banner::showProblem(const support::Diagnostic &diagnostic, const std::vector<Button> &buttons)
{
    QString place;
    for (const support::Location &location : diagnostic.locations) {
        if (location.file.empty())
            continue;
        place = QString::fromStdString(location.file);
        if (location.line > 0)
            place += QStringLiteral(":%1:%2").arg(location.line).arg(location.column);
        break;
    }
    QString text = document::sentence(diagnostic.hint);
    if (!place.isEmpty())
        text = text.isEmpty() ? place : place + u'\n' + text;
    fill(document::sentence(diagnostic.message), text, buttons, true);
}

void Banner::showInfo(const QString &title, const QString &text, const std::vector<Button> &buttons)
{
    fill(title, text, buttons, false);
}

void Banner::fill(const QString &title, const QString &text, const std::vector<Button> &buttons, bool bad)
{
    m_bad = bad;
    m_title->setText(title);
    m_title->setProperty("role", bad ? "bad" : "title");
    m_title->setStyleSheet(bad ? QStringLiteral("color: %1").arg(look::tokens(this).bad.name()) : QString());
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    while (QLayoutItem *item = m_buttons->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const Button &each : buttons) {
        auto *button = new look::Button(each.text, this);
        m_buttons->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, run = each.run] {
            hide();
            run();
        });
    }
    place();
    show();
    raise();
}

void Banner::place()
{
    const int width = std::min(720, parentWidget()->width() - 48);
    layout()->activate();
    setFixedSize(width, std::max(44, layout()->heightForWidth(width)));
    move((parentWidget()->width() - width) / 2, 64);
}

void Banner::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const look::Tokens &t = look::tokens(this);
    painter.setPen(QPen(m_bad ? t.badBorder : t.hairline, 1));
    painter.setBrush(m_bad ? t.badFill : t.pane);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

} // namespace nestwright::app
