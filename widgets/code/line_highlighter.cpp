// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/line_highlighter.h"

#include "widgets/code/code_text.h"
#include "widgets/look/tokens.h"

#include <KSyntaxHighlighting/AbstractHighlighter>
#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Format>
#include <KSyntaxHighlighting/State>
#include <KSyntaxHighlighting/Theme>

#include <QElapsedTimer>

#include <algorithm>

namespace nestwright::code {

namespace {

using KSyntaxHighlighting::State;
using KSyntaxHighlighting::Theme;

constexpr qsizetype longestHighlighted =
    4096; // no one reads further, and a regular expression may be slow there

} // namespace

Ink inkOf(int textStyle)
{
    switch (textStyle) {
    case Theme::Keyword:
    case Theme::ControlFlow:
    case Theme::Import: return Ink::Keyword;
    case Theme::BuiltIn:
    case Theme::Extension:
    case Theme::Attribute: return Ink::Builtin;
    case Theme::Function: return Ink::Function;
    case Theme::DataType: return Ink::Type;
    case Theme::DecVal:
    case Theme::BaseN:
    case Theme::Float:
    case Theme::Constant: return Ink::Number;
    case Theme::Char:
    case Theme::SpecialChar:
    case Theme::String:
    case Theme::VerbatimString:
    case Theme::SpecialString: return Ink::String;
    case Theme::Comment:
    case Theme::Documentation:
    case Theme::Annotation:
    case Theme::CommentVar: return Ink::Comment;
    case Theme::Preprocessor: return Ink::Preprocessor;
    default: return Ink::Text;
    }
}

QColor inkColor(Ink ink, const look::Tokens &t)
{
    switch (ink) {
    case Ink::Text:
    case Ink::Function: return t.text;
    case Ink::Keyword: return t.keyword;
    case Ink::Builtin:
    case Ink::Type: return t.builtin;
    case Ink::Number: return t.number;
    case Ink::String: return t.string;
    case Ink::Comment: return t.comment;
    case Ink::Preprocessor: return t.preprocessor;
    }
    return t.text;
}

struct LineHighlighter::Private {
    class Engine : public KSyntaxHighlighting::AbstractHighlighter {
    public:
        State next(QStringView line, const State &state)
        {
            m_runs.clear();
            return highlightLine(line.left(longestHighlighted), state);
        }
        std::vector<InkRun> takeRuns() { return std::move(m_runs); }

    protected:
        void applyFormat(int offset, int length, const KSyntaxHighlighting::Format &format) override
        {
            const Ink ink = inkOf(format.textStyle());
            if (ink != Ink::Text && length > 0)
                m_runs.push_back({offset, length, ink});
        }

    private:
        std::vector<InkRun> m_runs;
    };

    Engine engine;
    const CodeText *text = nullptr;
    bool colored = false;
    std::vector<State> checkpoints; // [i] is the state before line i * checkpointEvery

    // The line last coloured and the state after it: the next one is usually asked for next.
    int lastLine = -1;
    State afterLast;
    bool lastExact = false;

    int knownUpTo() const { return static_cast<int>(checkpoints.size()) * checkpointEvery; }
};

LineHighlighter::LineHighlighter() : m_state(std::make_unique<Private>()) {}

LineHighlighter::~LineHighlighter() = default;

void LineHighlighter::reset(const CodeText *text, const KSyntaxHighlighting::Definition &definition)
{
    m_state->text = text;
    m_state->colored = definition.isValid();
    m_state->engine.setDefinition(definition);
    m_state->checkpoints = {State()};
    m_state->lastLine = -1;
}

bool LineHighlighter::isExact(int line) const { return !m_state->colored || line < m_state->knownUpTo(); }

std::vector<InkRun> LineHighlighter::runs(int line)
{
    if (!m_state->colored || !m_state->text || line >= m_state->text->lineCount())
        return {};
    const bool exact = isExact(line);
    int from = 0;
    State state;
    if (m_state->lastLine == line - 1 && line > 0 && m_state->lastExact == exact) {
        from = line;
        state = m_state->afterLast;
    } else if (exact) {
        const int checkpoint = line / checkpointEvery;
        from = checkpoint * checkpointEvery;
        state = m_state->checkpoints[static_cast<std::size_t>(checkpoint)];
    } else {
        from = std::max(0, line - checkpointEvery / 2);
    }
    for (; from < line; ++from)
        state = m_state->engine.next(m_state->text->line(from), state);
    m_state->afterLast = m_state->engine.next(m_state->text->line(line), state);
    m_state->lastLine = line;
    m_state->lastExact = exact;
    return m_state->engine.takeRuns();
}

bool LineHighlighter::advance(int line, int milliseconds)
{
    QElapsedTimer timer;
    timer.start();
    while (!isExact(line)) {
        if (timer.elapsed() >= milliseconds)
            return false;
        State state = m_state->checkpoints.back();
        const int from = m_state->knownUpTo() - checkpointEvery;
        const int to = std::min(from + checkpointEvery, m_state->text->lineCount());
        for (int i = from; i < to; ++i)
            state = m_state->engine.next(m_state->text->line(i), state);
        m_state->checkpoints.push_back(state);
    }
    return true;
}

} // namespace nestwright::code
