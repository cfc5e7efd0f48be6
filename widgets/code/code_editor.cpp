// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/code_editor.h"

#include "widgets/code/even_lines.h"
#include "widgets/code/languages.h"
#include "widgets/code/line_highlighter.h"
#include "widgets/code/line_layout.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <KSyntaxHighlighting/AbstractHighlighter>
#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Format>
#include <KSyntaxHighlighting/State>

#include <QEvent>
#include <QHelpEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

namespace nestwright::code {

namespace {

/// The state of the syntax behind a line.
struct StateAfter final : QTextBlockUserData {
    explicit StateAfter(KSyntaxHighlighting::State reached) : state(std::move(reached)) {}
    KSyntaxHighlighting::State state;
};

qsizetype indentationOf(const QString &line)
{
    return std::ranges::find_if_not(line, [](QChar c) { return c.isSpace(); }) - line.begin();
}

} // namespace

class CodeEditor::Gutter : public QWidget {
public:
    explicit Gutter(CodeEditor &editor) : QWidget(&editor), m_editor(editor) {}

protected:
    void paintEvent(QPaintEvent *event) override { m_editor.paintGutter(event->rect()); }

private:
    CodeEditor &m_editor;
};

/// Colours a document line by line; a change goes on below as far as the state of the syntax differs.
class CodeEditor::Colors : public QSyntaxHighlighter, public KSyntaxHighlighting::AbstractHighlighter {
public:
    explicit Colors(CodeEditor &editor) : QSyntaxHighlighter(&editor), m_editor(editor) {}

    void setTo(QTextDocument *document, const KSyntaxHighlighting::Definition &definition)
    {
        setDefinition(definition);
        setDocument(document);
    }

protected:
    void highlightBlock(const QString &text) override
    {
        const auto *before = static_cast<StateAfter *>(currentBlock().previous().userData());
        KSyntaxHighlighting::State after =
            highlightLine(text, before ? before->state : KSyntaxHighlighting::State());
        auto *known = static_cast<StateAfter *>(currentBlockUserData());
        if (known && known->state == after)
            return;
        setCurrentBlockUserData(new StateAfter(std::move(after)));
        setCurrentBlockState(currentBlockState() + 1); // the next line is coloured anew
    }
    void applyFormat(int offset, int length, const KSyntaxHighlighting::Format &format) override
    {
        const Ink ink = inkOf(format.textStyle());
        QTextCharFormat look;
        look.setForeground(inkColor(ink, look::tokens(&m_editor)));
        if (isStrong(ink))
            look.setFontWeight(QFont::Medium);
        setFormat(offset, length, look);
    }

private:
    CodeEditor &m_editor;
};

CodeEditor::CodeEditor(const QString &name, std::shared_ptr<const Languages> languages, QWidget *parent)
    : QPlainTextEdit(parent)
    , m_languages(std::move(languages))
    , m_gutter(new Gutter(*this))
    , m_lines(new EvenLines(document()))
    , m_colors(std::make_unique<Colors>(*this))
{
    setAccessibleName(name);
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    document()->setDocumentLayout(m_lines);
    document()->setDocumentMargin(topPadding);
    setFont(look::codeFont(fontPixels));
    setStyleSheet(QStringLiteral("QPlainTextEdit { border: none; border-radius: 0; padding: 0; }"));
    connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeEditor::layOutGutter);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect &rect, int dy) {
        dy != 0 ? m_gutter->scroll(0, dy) : m_gutter->update(0, rect.y(), m_gutter->width(), rect.height());
    });
    connect(this, &QPlainTextEdit::modificationChanged, this, [this](bool isModified) {
        if (isModified) // colours change the document, too
            markLine(0);
    });
    layOutLines();
}

CodeEditor::~CodeEditor() = default;

void CodeEditor::setCode(const QString &text, Language language)
{
    m_colors->setTo(nullptr, {});
    m_marked = m_fault = 0;
    setPlainText(text);
    if (blockCount() <= mostColoredLines)
        m_colors->setTo(document(), m_languages->definition(language));
    document()->setModified(false);
    showMark();
}

void CodeEditor::markLine(int line)
{
    m_marked = line;
    if (line > 0)
        goToLine(line);
    showMark();
    m_gutter->update();
}

void CodeEditor::goToLine(int line)
{
    QTextCursor cursor(document()->findBlockByNumber(std::clamp(line, 1, blockCount()) - 1));
    setTextCursor(cursor);
    centerCursor();
}

void CodeEditor::showMark()
{
    QList<QTextEdit::ExtraSelection> shown;
    if (m_marked > 0) {
        QTextEdit::ExtraSelection faulty;
        faulty.cursor = QTextCursor(document()->findBlockByNumber(m_marked - 1));
        faulty.format.setBackground(look::tokens(this).badFill);
        faulty.format.setProperty(QTextFormat::FullWidthSelection, true);
        shown << faulty;
    }
    if (m_fault > 0)
        addFault(shown);
    setExtraSelections(shown);
}

void CodeEditor::addFault(QList<QTextEdit::ExtraSelection> &shown) const
{
    const look::Tokens &t = look::tokens(this);
    const QTextBlock block = document()->findBlockByNumber(m_fault - 1);
    if (!block.isValid())
        return;
    const QString text = block.text();
    const qsizetype first = indentationOf(text);
    QTextEdit::ExtraSelection faulty;
    faulty.cursor = QTextCursor(block);
    faulty.cursor.setPosition(block.position() + static_cast<int>(first < text.size() ? first : 0));
    faulty.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    faulty.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    faulty.format.setUnderlineColor(t.bad);
    shown << faulty;
    if (!block.next().isValid())
        return;
    QTextEdit::ExtraSelection below;
    below.cursor = QTextCursor(block.next());
    below.cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
    below.format.setForeground(t.faint);
    shown << below;
}

void CodeEditor::setFault(int line, const QString &why)
{
    m_fault = line;
    m_why = why;
    showMark();
    m_gutter->update();
}

int CodeEditor::firstVisibleLine() const { return firstVisibleBlock().blockNumber(); }

bool CodeEditor::changeEnd(const QString &text)
{
    const QString old = toPlainText();
    const auto same = std::ranges::mismatch(old, text).in1 - old.begin();
    QTextCursor view = textCursor();
    const bool isBehind = !view.block().next().isValid() && view.block().text().trimmed().isEmpty();
    if (!isBehind && std::max(view.position(), view.anchor()) > same)
        return false;
    const QPoint scrolled(horizontalScrollBar()->value(), verticalScrollBar()->value());
    view.setKeepPositionOnInsert(true);
    setTextCursor(view);
    QTextCursor end(document());
    end.setPosition(static_cast<int>(same));
    end.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
    end.insertText(text.mid(same));
    view.setKeepPositionOnInsert(false);
    setTextCursor(view);
    horizontalScrollBar()->setValue(scrolled.x());
    verticalScrollBar()->setValue(scrolled.y());
    return true;
}

void CodeEditor::keyPressEvent(QKeyEvent *event)
{
    const bool isPlain = !(event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
    if (m_keepsIndentation && isPlain && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
        const QTextCursor cursor = textCursor();
        const QString before = cursor.block().text().left(cursor.positionInBlock());
        textCursor().insertText(u'\n' + before.left(indentationOf(before)));
        return ensureCursorVisible();
    }
    if (m_keepsIndentation && event->key() == Qt::Key_Tab && event->modifiers() == Qt::NoModifier)
        return textCursor().insertText(QStringLiteral("  "));
    QPlainTextEdit::keyPressEvent(event);
}

bool CodeEditor::viewportEvent(QEvent *event)
{
    if (event->type() != QEvent::ToolTip || m_fault == 0)
        return QPlainTextEdit::viewportEvent(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const bool isAtFault = cursorForPosition(help->pos()).blockNumber() + 1 == m_fault;
    QToolTip::showText(help->globalPos(), isAtFault ? m_why : QString(), viewport());
    return true;
}

void CodeEditor::setZoom(double zoom)
{
    m_zoom = zoom;
    setFont(look::codeFont(fontPixels * zoom));
    layOutLines();
}

void CodeEditor::layOutLines()
{
    setTabStopDistance(QFontMetricsF(font()).horizontalAdvance(u' ') * 8);
    m_lines->setLineHeight(lineHeight(m_zoom, this));
    layOutGutter();
}

/// Sets the gutter's width, up to the text: the document's own margin is a part of it.
void CodeEditor::layOutGutter()
{
    const int width =
        static_cast<int>(gutterWidth(m_zoom, blockCount(), this) - document()->documentMargin());
    setViewportMargins(width, 0, 0, 0);
    const QRect inside = contentsRect();
    m_gutter->setGeometry(inside.left(), inside.top(), width, inside.height());
}

void CodeEditor::paintGutter(const QRect &rect)
{
    QPainter painter(m_gutter);
    const look::Tokens &t = look::tokens(this);
    painter.fillRect(rect, t.pane);
    painter.setFont(look::codeFont(numberPixels * m_zoom));
    QTextBlock block = firstVisibleBlock();
    QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    for (; block.isValid() && place.top() <= rect.bottom(); block = block.next()) {
        place.setHeight(lineHeight(m_zoom, this)); // the last one has the margin below it
        const bool isMarked = block.blockNumber() + 1 == m_marked || block.blockNumber() + 1 == m_fault;
        painter.setPen(isMarked                                                    ? t.bad
                       : block.blockNumber() == textCursor().block().blockNumber() ? t.text
                                                                                   : t.faint);
        painter.drawText(QRectF(0, place.top(), m_gutter->width(), place.height()),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(block.blockNumber() + 1));
        place.translate(0, place.height());
    }
}

/// Qt fills a selection as high as the font is: here the whole line is filled below it.
void CodeEditor::fillLines(QPainter &painter, const QTextCursor &cursor, const QColor &color) const
{
    const double height = lineHeight(m_zoom, this), space = QFontMetricsF(font()).horizontalAdvance(u' ');
    for (QTextBlock block = document()->findBlock(cursor.selectionStart());
         block.isValid() && block.position() <= cursor.selectionEnd(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > viewport()->height() || block.layout()->lineCount() == 0)
            break;
        const QTextLine line = block.layout()->lineAt(0);
        const int from = std::max(0, cursor.selectionStart() - block.position());
        const int to = std::min(block.length() - 1, cursor.selectionEnd() - block.position());
        const double left = line.cursorToX(from), right = line.cursorToX(to);
        const bool goesOn = cursor.selectionEnd() > block.position() + block.length() - 1;
        painter.fillRect(
            QRectF(place.left() + left, place.top(), right - left + (goesOn ? space : 0), height), color);
    }
}

void CodeEditor::paintEvent(QPaintEvent *event)
{
    {
        QPainter painter(viewport());
        if (m_marked > 0) {
            const QTextBlock block = document()->findBlockByNumber(m_marked - 1);
            const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
            painter.fillRect(QRectF(0, place.top(), viewport()->width(), lineHeight(m_zoom, this)),
                             look::tokens(this).badFill);
        }
        if (textCursor().hasSelection())
            fillLines(painter, textCursor(), palette().color(QPalette::Highlight));
    }
    QPlainTextEdit::paintEvent(event);
}

void CodeEditor::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    layOutGutter();
}

void CodeEditor::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::StyleChange || event->type() == QEvent::PaletteChange) {
        const bool wasModified = document()->isModified();
        if (m_colors)
            m_colors->rehighlight();
        showMark();
        document()->setModified(wasModified);
    }
    if (event->type() == QEvent::FontChange && m_lines)
        layOutLines();
}

} // namespace nestwright::code
