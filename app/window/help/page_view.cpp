// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help/page_view.h"

#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextFrame>

namespace nestwright::app {

namespace {

constexpr int codePadding = 8, besideBar = 6;

bool isCode(const QTextBlock &block) { return block.blockFormat().hasProperty(QTextFormat::BlockCodeFence); }

/// Each line of code is a block; the first and the last have room to what is around them.
QTextBlockFormat codeFormat(const QTextBlock &block)
{
    QTextBlockFormat format = block.blockFormat();
    format.setLeftMargin(codePadding);
    format.setTopMargin(isCode(block.previous()) ? 0 : codePadding);
    format.setBottomMargin(isCode(block.next()) ? 0 : codePadding + 3);
    format.setLineHeight(115, QTextBlockFormat::ProportionalHeight);
    format.clearBackground();
    return format;
}

QTextBlockFormat wordsFormat(const QTextBlock &block)
{
    QTextBlockFormat format = block.blockFormat();
    if (format.headingLevel() > 0) {
        format.setTopMargin(format.headingLevel() > 2 ? 14 : 0);
        format.setBottomMargin(6);
    }
    format.setLineHeight(125, QTextBlockFormat::ProportionalHeight);
    return format;
}

} // namespace

PageView::PageView(QWidget *parent) : QTextBrowser(parent) {}

void PageView::makePlain()
{
    setStyleSheet(QStringLiteral("QTextBrowser { border: none; background: transparent; padding: 0; }"));
    setOpenLinks(false);
    setFont(look::interfaceFont(12.5));
    document()->setDocumentMargin(0);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void PageView::dress(double codeSize)
{
    const QFont font = look::codeFont(codeSize);
    QTextFrameFormat page = document()->rootFrame()->frameFormat();
    page.setRightMargin(document()->documentMargin() + besideBar);
    document()->rootFrame()->setFrameFormat(page);
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        const bool code = isCode(block);
        cursor.setBlockFormat(code ? codeFormat(block) : wordsFormat(block));
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            QTextCharFormat text = part.fragment().charFormat();
            if (!code && !text.fontFixedPitch())
                continue;
            text.setFontFamilies({font.family()});
            text.setFontPointSize(font.pointSizeF());
            cursor.setPosition(part.fragment().position());
            cursor.setPosition(part.fragment().position() + part.fragment().length(),
                               QTextCursor::KeepAnchor);
            cursor.setCharFormat(text);
        }
    }
}

/// Markdown has no ground for code; that of blocks would leave stripes where lines stand apart.
void PageView::paintEvent(QPaintEvent *event)
{
    {
        QPainter painter(viewport());
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(look::tokens(parentWidget()).ground); // a style sheet of its own keeps its palette
        const QAbstractTextDocumentLayout *pageLayout = document()->documentLayout();
        const double margin = document()->documentMargin();
        const double width = viewport()->width() - 2 * margin - besideBar;
        for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
            if (!isCode(block))
                continue;
            QRectF ground = pageLayout->blockBoundingRect(block);
            for (; isCode(block.next()); block = block.next())
                ground |= pageLayout->blockBoundingRect(block.next());
            const double scrolled = verticalScrollBar()->value();
            painter.drawRoundedRect(QRectF(margin, ground.top() - scrolled - codePadding / 2.0, width,
                                           ground.height() + codePadding),
                                    4, 4);
        }
    }
    QTextBrowser::paintEvent(event);
}

} // namespace nestwright::app
