// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help/term_popup.h"

#include "app/window/help/help_pages.h"
#include "app/window/help/page_view.h"
#include "widgets/look/link_button.h"
#include "widgets/look/tokens.h"

#include <QPainter>
#include <QScreen>
#include <QScrollBar>
#include <QTextDocument>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <memory>

namespace nestwright::app {

namespace {
constexpr int popupWidth = 380, mostPageHeight = 320, gapBelow = 6;
} // namespace

TermPopup::TermPopup(QWidget *parent) : QFrame(parent, Qt::Popup), m_page(new PageView(this))
{
    setAccessibleName(tr("Explanation"));
    setFixedWidth(popupWidth);
    m_page->makePlain();
    m_page->setAccessibleName(tr("Page"));
    auto *whole = new look::LinkButton(tr("Open in the help"), this);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 12, 12, 10);
    layout->setSpacing(6);
    layout->addWidget(m_page);
    layout->addWidget(whole, 0, Qt::AlignLeft);
    connect(m_page, &QTextBrowser::anchorClicked, this,
            [this](const QUrl &url) { showPage(url.toString()); });
    connect(whole, &QAbstractButton::clicked, this, [this] {
        close();
        Q_EMIT helpWanted(m_address);
    });
}

void TermPopup::open(const QString &address, const QPoint &at)
{
    showPage(address);
    const QRect room = screen()->availableGeometry();
    const bool fitsBelow = at.y() + gapBelow + height() <= room.bottom();
    const int top = fitsBelow ? at.y() + gapBelow : std::max(room.top(), at.y() - 3 * gapBelow - height());
    move(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - width())), top);
    show();
    m_page->setFocus(Qt::PopupFocusReason);
}

void TermPopup::showPage(const QString &address)
{
    const HelpPage *page = findHelpPage(address);
    if (!page)
        return;
    m_address = address;
    m_page->setMarkdown(page->markdown);
    m_page->dress(11.5);
    // The page lays itself out when it is shown; a copy tells its height before.
    const std::unique_ptr<QTextDocument> copy(m_page->document()->clone());
    const QMargins margins = layout()->contentsMargins();
    copy->setTextWidth(popupWidth - margins.left() - margins.right());
    m_page->setFixedHeight(std::min(mostPageHeight, static_cast<int>(std::ceil(copy->size().height())) + 4));
    m_page->verticalScrollBar()->setValue(0);
    adjustSize();
}

void TermPopup::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const look::Tokens &t = look::tokens(this);
    painter.fillRect(rect(), t.pane);
    painter.setPen(t.nodeBorder);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

} // namespace nestwright::app
