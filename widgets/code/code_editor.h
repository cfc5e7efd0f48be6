// SPDX-License-Identifier: GPL-3.0-or-later
/// An editor of code with the colours of the code panes, line numbers and a marked line.
#pragma once

#include "widgets/code/source.h"

#include <QPlainTextEdit>

#include <memory>

namespace nestwright::code {

class EvenLines;
class Languages;

/// Longer texts are edited without colours: each key would wait for them.
inline constexpr int mostColoredLines = 20'000;

class CodeEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    /// `name` is for screen readers.
    CodeEditor(const QString &name, std::shared_ptr<const Languages> languages, QWidget *parent = nullptr);
    ~CodeEditor() override;

    void setCode(const QString &text, Language language);
    /// Marks a line, from 1, as faulty and brings it into view; 0: none.
    void markLine(int line);
    int markedLine() const { return m_marked; }
    /// Puts the cursor at the beginning of the line, from 1.
    void goToLine(int line);

    /// Underlines the line, from 1, as the first that is at fault, with the reason as its tool tip, and greys
    /// those below; 0: none. Cursor and scroll position stay.
    void setFault(int line, const QString &why = {});
    int faultLine() const { return m_fault; }
    /// Enter keeps the indentation, and Tab makes one of two spaces.
    void setKeepsIndentation(bool on) { m_keepsIndentation = on; }
    /// Makes this the text by a change of its end, which undo takes back at once. Cursor and scroll position
    /// stay; only on an empty last line it goes along. False, and nothing changed, where the cursor's line
    /// would be another one.
    bool changeEnd(const QString &text);
    /// Number of the first line in view.
    int firstVisibleLine() const;
    /// Lines and numbers are those of a CodeView with this zoom.
    void setZoom(double zoom);
    double zoom() const { return m_zoom; }

protected:
    void keyPressEvent(QKeyEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    class Gutter;
    class Colors;

    void layOutGutter();
    void paintGutter(const QRect &rect);
    void layOutLines();
    void fillLines(QPainter &painter, const QTextCursor &cursor, const QColor &color) const;
    void showMark();
    void addFault(QList<QTextEdit::ExtraSelection> &shown) const;

    std::shared_ptr<const Languages> m_languages;
    Gutter *m_gutter;
    EvenLines *m_lines = nullptr; ///< the layout of the document
    std::unique_ptr<Colors> m_colors;
    double m_zoom = 1;
    int m_marked = 0;
    int m_fault = 0;
    QString m_why; ///< the line at fault is
    bool m_keepsIndentation = false;
};

} // namespace nestwright::code
