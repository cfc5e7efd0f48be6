// SPDX-License-Identifier: GPL-3.0-or-later
/// Puts a theme onto the application: style, palette, fonts, style sheet; light, dark or as the system is.
#pragma once

#include <QObject>
#include <QPointer>
#include <QStyle>

class QApplication;
class QPalette;
class QWidget;

namespace nestwright::look {

struct Tokens;

enum class Mode { Light, Dark, System };

/// Owned by main(). Widgets need not know it: they ask `tokens(this)` and `motionMs(this)` when they paint or
/// move.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(QApplication &application, Mode mode = Mode::System);

    Mode mode() const { return m_mode; }
    void setMode(Mode mode);
    bool isDark() const { return m_dark; }

    /// All text so many times as large, that of open windows too.
    void setTextScale(double scale);

    /// No motion at all where set.
    void setReducedMotion(bool reduced);

Q_SIGNALS:
    /// Emitted after the palette changed.
    void changed(bool dark);

private:
    void apply();

    QApplication &m_application;
    QPointer<QStyle> m_style; ///< below the style sheet's own
    Mode m_mode;
    bool m_dark = false;
    bool m_applied = false;
};

/// The palette of a theme, for a widget that is to have one of its own (a picture for a file).
QPalette paletteOf(const Tokens &tokens);

/// How long a movement may take for this widget: 140 ms, or 0 with reduced motion.
int motionMs(const QWidget *widget);

} // namespace nestwright::look
