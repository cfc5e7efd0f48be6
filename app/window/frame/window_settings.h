// SPDX-License-Identifier: GPL-3.0-or-later
/// Settings that a window keeps from one run to the next.
#pragma once

#include <QSettings>

#include <memory>

namespace nestwright::app {

class WindowSettings {
public:
    /// An INI file; empty: the user's own settings. A fresh window begins with defaults and remembers
    /// nothing.
    WindowSettings(const QString &file, bool isFresh);

    bool isFresh() const { return m_isFresh; }
    /// `otherwise` where nothing was remembered, and in a fresh window.
    QVariant value(const QString &key, const QVariant &otherwise = {}) const;
    /// Nothing in a fresh window.
    void setValue(const QString &key, const QVariant &value);

    /// Settings of the program, which hold in a fresh window too.
    QSettings &program() const { return *m_settings; }

private:
    std::unique_ptr<QSettings> m_settings;
    bool m_isFresh;
};

} // namespace nestwright::app
