// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/even_lines.h"

#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <cmath>

namespace nestwright::code {

void EvenLines::setLineHeight(double pixels)
{
    m_lineHeight = pixels;
    requestUpdate();
}

QRectF EvenLines::blockBoundingRect(const QTextBlock &block) const
{
    QRectF rect = QPlainTextDocumentLayout::blockBoundingRect(block);
    if (rect.isNull() || m_lineHeight <= 0 || block.layout()->lineCount() != 1)
        return rect;
    QTextLine line = block.layout()->lineAt(0);
    line.setPosition({line.x(), std::floor((m_lineHeight - line.height()) / 2)});
    rect.setHeight(m_lineHeight + (block.next().isValid() ? 0 : document()->documentMargin()));
    return rect;
}

} // namespace nestwright::code
