// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/label.h"

#include <QLabel>

namespace nestwright::look {

QLabel *plainLabel(const QString &text, const QFont &font, const char *role, QWidget *parent)
{
    auto *made = new QLabel(text, parent);
    made->setFont(font);
    made->setTextFormat(Qt::PlainText);
    made->setProperty("role", role);
    return made;
}

} // namespace nestwright::look
