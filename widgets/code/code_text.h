// SPDX-License-Identifier: GPL-3.0-or-later
/// A text cut into lines without copying them.
#pragma once

#include <QString>

#include <vector>

namespace nestwright::code {

/// A place in a text: line and column (UTF-16) from 0.
struct Position {
    int line = 0;
    int column = 0;
    auto operator<=>(const Position &) const = default;
};

/// Whether it belongs to a name or a number.
inline bool isWordCharacter(QChar c) { return c.isLetterOrNumber() || c == u'_'; }

/// Immutable once made; there is always at least one line, and a last line that is empty is none.
class CodeText {
public:
    CodeText() : CodeText(QString()) {}
    explicit CodeText(QString text);

    bool isEmpty() const { return m_text.isEmpty(); }
    const QString &text() const { return m_text; }
    int lineCount() const { return static_cast<int>(m_starts.size()) - 1; }
    QStringView line(int index) const;
    int longestLine() const { return m_longest; } ///< in characters, a tab as eight

    /// The place of a character of the whole text and the other way round; places outside are moved in.
    Position positionOf(qsizetype offset) const;
    qsizetype offsetOf(Position position) const;
    Position clamped(Position position) const;

private:
    QString m_text;
    std::vector<qsizetype> m_starts; // of each line, and one past the end
    int m_longest = 0;
};

} // namespace nestwright::code
