// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/window_settings.h"

namespace nestwright::app {

WindowSettings::WindowSettings(const QString &file, bool isFresh)
    : m_settings(file.isEmpty() ? std::make_unique<QSettings>()
                                : std::make_unique<QSettings>(file, QSettings::IniFormat))
    , m_isFresh(isFresh)
{
}

QVariant WindowSettings::value(const QString &key, const QVariant &otherwise) const
{
    return m_isFresh ? otherwise : m_settings->value(key, otherwise);
}

void WindowSettings::setValue(const QString &key, const QVariant &value)
{
    if (!m_isFresh)
        m_settings->setValue(key, value);
}

} // namespace nestwright::app
