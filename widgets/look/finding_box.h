// SPDX-License-Identifier: GPL-3.0-or-later
/// A tinted box that tells a finding, or why something is not possible, and offers the action that helps.
#pragma once

#include <QFrame>

class QLabel;

namespace nestwright::look {

class LinkButton;

class FindingBox : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Bad, Warn, Good, Info };

    explicit FindingBox(Kind kind, QWidget *parent = nullptr);

    /// The title (600), a sentence below it and the action below that; empty ones take no room.
    void setContent(const QString &title, const QString &text, const QString &action = {});
    void setKind(Kind kind);
    QString title() const;

Q_SIGNALS:
    void actionTriggered();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void recolor();

    Kind m_kind;
    QLabel *m_title;
    QLabel *m_text;
    LinkButton *m_action;
};

} // namespace nestwright::look
