// SPDX-License-Identifier: Apache-2.0
#include "core/course/lesson.h"

#include <algorithm>
#include <filesystem>
#include <format>

namespace nestwright::course {

using support::diagnostic;
using support::fail;

namespace {

struct Line {
    std::string_view text;
    int number = 0; ///< from 1
};
using Lines = std::vector<Line>;

Lines linesOf(std::string_view text)
{
    Lines lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back({text.substr(0, end), static_cast<int>(lines.size()) + 1});
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return lines;
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// The lines with an indentation taken off, without empty ones at the ends.
std::string joined(const Lines &lines, std::size_t indentation = 0)
{
    std::string text;
    for (const Line &line : lines) {
        const std::size_t blank = std::min(line.text.find_first_not_of(' '), line.text.size());
        text += std::string(line.text.substr(std::min(blank, indentation))) + '\n';
    }
    const std::size_t begin = text.find_first_not_of('\n');
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of('\n') - begin + 1);
}

constexpr std::string_view fence = "```";

/// Takes the lines of fenced code out of `lines`.
std::string takeCode(Lines &lines)
{
    Lines code, words;
    bool isCode = false;
    std::size_t indentation = 0;
    for (const Line &line : lines) {
        if (trimmed(line.text).starts_with(fence)) {
            isCode = !isCode;
            indentation = line.text.find_first_not_of(' ');
        } else {
            (isCode ? code : words).push_back(line);
        }
    }
    lines = std::move(words);
    return joined(code, indentation);
}

/// Splits a list into its items, without their marks: "- " or "1. ".
std::vector<Lines> itemsOf(const Lines &lines)
{
    std::vector<Lines> items;
    for (const Line &line : lines) {
        const bool isItem =
            line.text.starts_with("- ")
            || (!line.text.empty() && line.text[0] >= '0' && line.text[0] <= '9' && line.text.find(". ") < 3);
        if (isItem)
            items.push_back({{line.text.substr(line.text.find(' ') + 1), line.number}});
        else if (!items.empty())
            items.back().push_back(line);
    }
    return items;
}

class LessonReader {
public:
    LessonReader(std::string_view text, const std::string &file) : m_lines(linesOf(text)), m_file(file) {}

    Result<Lesson> read()
    {
        m_lesson.id = std::filesystem::path(m_file).stem().string();
        std::size_t at = 0;
        for (; at < m_lines.size() && m_lines[at].text != "---"; ++at) {
            if (auto read = readHead(m_lines[at]); !read)
                return fail(read.error());
        }
        Lines section;
        std::string_view name;
        int begun = 0;
        for (++at; at <= m_lines.size(); ++at) {
            const bool isEnd = at == m_lines.size();
            if (!isEnd && !m_lines[at].text.starts_with("## ")) {
                section.push_back(m_lines[at]);
                continue;
            }
            if (auto read = readSection(name, section, begun); !read)
                return fail(read.error());
            section.clear();
            name = isEnd ? std::string_view() : trimmed(m_lines[at].text.substr(3));
            begun = isEnd ? 0 : m_lines[at].number;
        }
        if (m_lesson.title.empty() || m_lesson.kernel.empty() || m_lesson.goals.empty()
            || m_lesson.solution.empty())
            return wrong("a lesson needs title and kernel in its head, and the sections Goal and Solution",
                         1);
        return m_lesson;
    }

private:
    std::unexpected<support::Diagnostic> wrong(std::string message, int line) const
    {
        return fail(diagnostic("course.lesson", std::move(message)).at(m_file, line, 1));
    }

    Result<void> readHead(const Line &line)
    {
        if (trimmed(line.text).empty())
            return {};
        const std::size_t colon = line.text.find(": ");
        const std::string_view key = line.text.substr(0, colon);
        const std::string value(colon == std::string_view::npos ? "" : trimmed(line.text.substr(colon + 2)));
        if (key == "title")
            m_lesson.title = value;
        else if (key == "kernel")
            m_lesson.kernel = (std::filesystem::path(m_file).parent_path() / value).string();
        else if (key == "target")
            m_lesson.target = value;
        else
            return wrong(std::format("the head of a lesson has title, kernel and target, not '{}'", key),
                         line.number);
        return {};
    }

    Result<void> readSection(std::string_view name, Lines lines, int begun)
    {
        if (name.empty())
            m_lesson.text = joined(lines);
        else if (name == "Goal")
            return readGoals(lines);
        else if (name == "Hints")
            readHints(lines);
        else if (name == "Solution")
            m_lesson.solution = takeCode(lines);
        else if (name == "Learned")
            m_lesson.learned = joined(lines);
        else
            return wrong(std::format("a lesson has no section '{}'", name), begun);
        return {};
    }

    Result<void> readGoals(const Lines &lines)
    {
        for (const Lines &item : itemsOf(lines)) {
            std::string text;
            for (const Line &line : item)
                text += (text.empty() ? "" : " ") + std::string(trimmed(line.text));
            text = trimmed(text);
            const std::size_t end = text.rfind('`');
            const std::size_t begin = end == std::string::npos || end == 0 ? end : text.rfind('`', end - 1);
            if (begin == std::string::npos || begin == end)
                return wrong("a goal ends with its form between backquotes", item.front().number);
            auto goal = parseGoal(std::string(trimmed(text.substr(0, begin))),
                                  text.substr(begin + 1, end - begin - 1));
            if (!goal)
                return fail(std::move(goal.error()).at(m_file, item.front().number, 1));
            m_lesson.goals.push_back(std::move(*goal));
        }
        return {};
    }

    void readHints(const Lines &lines)
    {
        for (Lines item : itemsOf(lines)) {
            std::string steps = takeCode(item);
            m_lesson.hints.push_back({joined(item, 3), std::move(steps)});
        }
    }

    Lines m_lines;
    std::string m_file;
    Lesson m_lesson;
};

} // namespace

Result<Lesson> readLesson(std::string_view text, const std::string &file)
{
    return LessonReader(text, file).read();
}

} // namespace nestwright::course
