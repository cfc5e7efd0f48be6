// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/action_button.h"

#include "widgets/document/text.h"
#include "widgets/look/button.h"

#include <utility>

namespace nestwright::forms {

using document::toQt;

namespace {

QString shortKey(std::string_view key)
{
    return toQt(key).replace(QStringLiteral("Shift+"), QStringLiteral("⇧"));
}

} // namespace

QString shortTitle(const QString &title)
{
    static const std::pair<QString, QString> shorter[] = {
        {QStringLiteral("Bind to threads"), QStringLiteral("Bind thread")},
        {QStringLiteral("Remove annotation"), QStringLiteral("Unannotate")},
        {QStringLiteral("Decompose reduction"), QStringLiteral("Decompose")},
        {QStringLiteral("Reverse compute at"), QStringLiteral("Rev. comp. at")},
        {QStringLiteral("Add loop of one iteration"), QStringLiteral("Unit loop")},
        {QStringLiteral("Reorder iteration variables"), QStringLiteral("Reorder iters")},
        {QStringLiteral("Transform layout"), QStringLiteral("Layout")},
        {QStringLiteral("Transform block"), QStringLiteral("Block layout")},
        {QStringLiteral("Factor reduction"), QStringLiteral("Rfactor")},
        {QStringLiteral("Inline into producer"), QStringLiteral("Rev. inline")},
    };
    for (const auto &[from, to] : shorter) {
        if (title.startsWith(from))
            return to + title.mid(from.size());
    }
    return title;
}

look::Button *makeActionButton(const schedule::Primitive &primitive, const QString &title, QWidget *parent)
{
    auto *button = new look::Button(title.isEmpty() ? shortTitle(toQt(primitive.title)) : title, parent);
    button->setKey(shortKey(primitive.key));
    button->setToolTip(
        toQt(primitive.title)
        + (primitive.key.empty() ? QString() : QStringLiteral(" (%1)").arg(toQt(primitive.key)))
        + QStringLiteral(": ") + toQt(primitive.summary));
    button->setAccessibleName(toQt(primitive.title));
    button->setObjectName(QStringLiteral("action.") + toQt(primitive.name));
    button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    button->setFocusPolicy(Qt::NoFocus);
    button->setCompact();
    button->setFixedHeight(actionButtonHeight);
    return button;
}

void showKey(look::Button &button, std::string_view key)
{
    constexpr int gap = 12;
    const QString shown = shortKey(key);
    const QFontMetrics metrics(button.font());
    const int room = button.width() - 2 * actionButtonPadding;
    const int title = metrics.horizontalAdvance(button.text());
    if (!shown.isEmpty() && title + gap + metrics.horizontalAdvance(shown) <= room)
        button.setKey(shown);
    else
        button.setKey({});
}

} // namespace nestwright::forms
