// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/code_accessible.h"

#include "widgets/code/code_view.h"

#include <QAccessibleWidget>

#include <algorithm>

namespace nestwright::code {

namespace {

/// Offsets are those of the whole text.
class CodeInterface final : public QAccessibleWidget, public QAccessibleTextInterface {
public:
    explicit CodeInterface(CodeView &view) : QAccessibleWidget(&view, QAccessible::EditableText), m_view(view)
    {
    }

    QAccessible::State state() const override
    {
        QAccessible::State state = QAccessibleWidget::state();
        state.readOnly = state.multiLine = state.selectableText = true;
        return state;
    }
    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Value ? lines().text() : QAccessibleWidget::text(kind);
    }
    void *interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TextInterface ? static_cast<QAccessibleTextInterface *>(this)
                                                  : QAccessibleWidget::interface_cast(type);
    }

    int characterCount() const override { return static_cast<int>(lines().text().size()); }
    QString text(int start, int end) const override { return lines().text().mid(start, end - start); }
    int cursorPosition() const override { return offsetOf(m_view.cursor()); }
    void setCursorPosition(int offset) override { m_view.goTo(lines().positionOf(offset)); }

    int selectionCount() const override { return m_view.selectedText().isEmpty() ? 0 : 1; }
    void selection(int index, int *start, int *end) const override
    {
        *start = *end = 0;
        if (index != 0)
            return;
        const auto [from, to] = m_view.selection();
        *start = offsetOf(from);
        *end = offsetOf(to);
    }
    void addSelection(int start, int end) override
    {
        m_view.select(lines().positionOf(start), lines().positionOf(end));
    }
    void removeSelection(int) override { m_view.goTo(m_view.cursor()); }
    void setSelection(int, int start, int end) override { addSelection(start, end); }

    QString textAtOffset(int offset, QAccessible::TextBoundaryType kind, int *start, int *end) const override
    {
        if (!isLine(kind))
            return QAccessibleTextInterface::textAtOffset(offset, kind, start, end);
        return lineText(lineOf(offset), start, end);
    }
    QString textBeforeOffset(int offset, QAccessible::TextBoundaryType kind, int *start,
                             int *end) const override
    {
        if (!isLine(kind))
            return QAccessibleTextInterface::textBeforeOffset(offset, kind, start, end);
        return lineText(lineOf(offset) - 1, start, end);
    }
    QString textAfterOffset(int offset, QAccessible::TextBoundaryType kind, int *start,
                            int *end) const override
    {
        if (!isLine(kind))
            return QAccessibleTextInterface::textAfterOffset(offset, kind, start, end);
        return lineText(lineOf(offset) + 1, start, end);
    }

    QRect characterRect(int offset) const override
    {
        const QRect rect = m_view.rectOf(lines().positionOf(offset)).toAlignedRect();
        return {m_view.viewport()->mapToGlobal(rect.topLeft()), rect.size()};
    }
    int offsetAtPoint(const QPoint &point) const override
    {
        return offsetOf(m_view.positionAt(m_view.viewport()->mapFromGlobal(point)));
    }
    void scrollToSubstring(int start, int) override { m_view.scrollToLine(lines().positionOf(start).line); }
    QString attributes(int offset, int *start, int *end) const override
    {
        *start = offset;
        *end = offset + 1;
        return {};
    }

private:
    static bool isLine(QAccessible::TextBoundaryType kind)
    {
        return kind == QAccessible::LineBoundary || kind == QAccessible::ParagraphBoundary;
    }
    const CodeText &lines() const { return m_view.text(); }
    int offsetOf(Position position) const { return static_cast<int>(lines().offsetOf(position)); }
    /// Assistive technology gives offsets of -1 for the end and -2 for the cursor.
    int lineOf(int offset) const
    {
        return lines()
            .positionOf(offset == -2 ? cursorPosition()
                        : offset < 0 ? characterCount()
                                     : offset)
            .line;
    }
    /// Text of a line with its line end; empty outside of the text.
    QString lineText(int line, int *start, int *end) const
    {
        *start = *end = -1;
        if (line < 0 || line >= lines().lineCount())
            return {};
        *start = offsetOf({line, 0});
        *end = line + 1 < lines().lineCount() ? offsetOf({line + 1, 0}) : characterCount();
        return text(*start, *end);
    }

    CodeView &m_view;
};

QAccessibleInterface *makeCodeInterface(const QString &, QObject *object)
{
    auto *view = qobject_cast<CodeView *>(object);
    return view ? new CodeInterface(*view) : nullptr;
}

} // namespace

void installCodeAccessibility() { QAccessible::installFactory(makeCodeInterface); }

void tellCursor(CodeView &view)
{
    if (!QAccessible::isActive() || !view.hasFocus())
        return;
    QAccessibleTextCursorEvent event(&view, static_cast<int>(view.text().offsetOf(view.cursor())));
    QAccessible::updateAccessibility(&event);
}

void tellText(CodeView &view)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleEvent event(&view, QAccessible::VisibleDataChanged);
    QAccessible::updateAccessibility(&event);
}

} // namespace nestwright::code
