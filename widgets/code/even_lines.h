// SPDX-License-Identifier: GPL-3.0-or-later
/// Lines of an editor at a height of one's own, their text in the middle.
#pragma once

#include <QPlainTextDocumentLayout>

namespace nestwright::code {

/// For an editor that wraps no lines.
class EvenLines : public QPlainTextDocumentLayout {
    Q_OBJECT
public:
    using QPlainTextDocumentLayout::QPlainTextDocumentLayout;

    void setLineHeight(double pixels);
    QRectF blockBoundingRect(const QTextBlock &block) const override;

private:
    double m_lineHeight = 0; ///< 0: that of the font
};

} // namespace nestwright::code
