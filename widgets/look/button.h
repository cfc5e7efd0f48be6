// SPDX-License-Identifier: GPL-3.0-or-later
/// The buttons of the window: a label, and at the right the key that does the same.
#pragma once

#include <QPushButton>

namespace nestwright::look {

/// A plain or primary button. One that is unavailable stays in place, greyed, and can still be pointed at and
/// pressed: it then says why instead of acting. Setting a menu draws the arrow of one.
class Button : public QPushButton {
    Q_OBJECT
public:
    enum class Kind { Plain, Primary, Quiet /* no frame until pointed at */ };

    explicit Button(const QString &text, QWidget *parent = nullptr, Kind kind = Kind::Plain);

    /// The key shown at the right ("S", "Ctrl K"); it does not install a shortcut.
    void setKey(const QString &key);
    QString key() const { return m_key; }

    /// A word before the label in a secondary tone: "Target".
    void setCaption(const QString &caption);

    void setKind(Kind kind);

    /// Smaller, for a bar of many.
    void setCompact();

    /// Compact and 22 px high, for the header of a card.
    void setSmall();

    /// Greys the button out with a reason (one sentence); an empty one makes it available again.
    void setUnavailable(const QString &reason);
    QString reason() const { return m_reason; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// Pressed while unavailable.
    void refused(const QString &reason);

protected:
    void paintEvent(QPaintEvent *event) override;
    void enterEvent(QEnterEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;

private:
    struct Colors;
    Colors colors() const;
    bool available() const { return isEnabled() && m_reason.isEmpty(); }
    int keyWidth() const;
    void paintFrame(class QPainter &painter, const Colors &colors) const;

    Kind m_kind;
    QString m_key;
    QString m_caption;
    QString m_reason;
    QString m_toolTipBefore;
    int m_padding;
    int m_leastHeight;
    bool m_showFocus = false; ///< a ring, where the focus came by key
};

} // namespace nestwright::look
