// SPDX-License-Identifier: GPL-3.0-or-later
/// Colours single lines of a long text on demand.
#pragma once

#include <QColor>
#include <QStringView>

#include <memory>
#include <vector>

namespace KSyntaxHighlighting { // NOLINT(readability-identifier-naming): not ours
class Definition;
}

namespace nestwright::look {
struct Tokens;
}

namespace nestwright::code {

class CodeText;

/// The syntactic class of a piece of code, as far as its colour goes.
enum class Ink { Text, Keyword, Builtin, Function, Number, String, Comment, Preprocessor, Type };

/// The ink of a style of KSyntaxHighlighting::Theme.
Ink inkOf(int textStyle);
QColor inkColor(Ink ink, const look::Tokens &tokens);
/// Whether it is written in a stronger face.
constexpr bool isStrong(Ink ink) { return ink == Ink::Keyword || ink == Ink::Function; }

struct InkRun {
    int start = 0;
    int length = 0;
    Ink ink = Ink::Text;
};

/// The state of the syntax at the start of a line is kept every `checkpointEvery` lines. Where it is not
/// known yet, a line is coloured as if a little above it nothing were open, which is right for most text;
/// advance() finds out.
class LineHighlighter {
public:
    static constexpr int checkpointEvery = 256;

    LineHighlighter();
    ~LineHighlighter();

    /// The text must outlive its use here.
    void reset(const CodeText *text, const KSyntaxHighlighting::Definition &definition);

    /// The coloured runs of a line. Costs at most `checkpointEvery` lines of highlighting.
    std::vector<InkRun> runs(int line);

    /// Whether the colours of this line are final.
    bool isExact(int line) const;

    /// Works on the states below the known ones for about `milliseconds` or until `line` is exact; true when
    /// it is.
    bool advance(int line, int milliseconds);

private:
    struct Private;
    std::unique_ptr<Private> m_state;
};

} // namespace nestwright::code
