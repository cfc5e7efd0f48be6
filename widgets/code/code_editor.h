// SPDX-License-Identifier: GPL-3.0-or-later
/// An editor of code with the colours of the code panes, line numbers and a marked line.
#pragma once

#include "widgets/code/source.h"

#include <QPlainTextEdit>

#include <memory>

namespace nestwright::code {

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

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    class Gutter;
    class Colors;

    void layOutGutter();
    void paintGutter(const QRect &rect);
    void showMark();

    std::shared_ptr<const Languages> m_languages;
    Gutter *m_gutter;
    std::unique_ptr<Colors> m_colors;
    int m_marked = 0;
};

} // namespace nestwright::code
