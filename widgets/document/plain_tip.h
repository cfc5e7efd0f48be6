// SPDX-License-Identifier: GPL-3.0-or-later
/// Tool tips and titles made of names from files, which Qt would take for HTML where they look like it.
#pragma once

#include "core/support/text/visible.h"

#include <QString>
#include <QTextDocument>

namespace nestwright::document {

/// The text with control characters and marks of writing direction written out.
inline QString shownText(const QString &text)
{
    return QString::fromStdString(support::visible(text.toStdString()));
}

/// The text as a tool tip, where it stands as it is.
inline QString plainTip(const QString &text)
{
    const QString shown = shownText(text);
    return Qt::mightBeRichText(shown) ? Qt::convertFromPlainText(shown) : shown;
}

} // namespace nestwright::document
