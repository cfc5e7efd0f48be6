// SPDX-License-Identifier: GPL-3.0-or-later
/// Reading pane for code of any length: it lays out and colours only the lines that are seen.
#pragma once

#include "widgets/code/code_text.h"
#include "widgets/code/source.h"

#include <QAbstractScrollArea>
#include <QCache>
#include <QTimer>

#include <memory>
#include <set>

class QMenu;

namespace nestwright::look {
struct Tokens;
}

namespace nestwright::code {

class FindBar;
class Languages;
class LineHighlighter;
struct LineLayout;

/// Line numbers, linked lines with a bar in their axis's colour, coloured variables, marks of a diff, find,
/// copy, zoom.
///
/// Keys: arrows, Page, Home, End (with Shift: select), Enter (like a click on the line), Ctrl+A, Ctrl+C,
/// Ctrl+F and F3, Ctrl+G (go to line), Ctrl with +, -, 0 or the wheel (zoom). Other keys are left to the
/// window.
class CodeView : public QAbstractScrollArea {
    Q_OBJECT
public:
    /// `name` is for screen readers. Panes of one window share one Languages.
    explicit CodeView(const QString &name, std::shared_ptr<const Languages> languages = nullptr,
                      QWidget *parent = nullptr);
    ~CodeView() override;

    /// Shows another text. The scroll position stays where it was as far as the text reaches.
    void setSource(Source source);
    const Source &source() const { return m_source; }
    const CodeText &text() const { return m_text; }

    /// Sets the text shown while there is no code: how to proceed.
    void setEmptyText(const QString &title, const QString &hint = {});

    /// The loops and blocks whose lines are filled, as the selection is.
    void setHighlighted(const std::vector<StmtId> &ids);
    /// The one pointed at elsewhere: a fainter fill.
    void setHovered(StmtId id);

    /// Brings lines into view, and moves nothing when the first one is in view already.
    void scrollToLine(int line, int lastLine = -1);
    void scrollTo(StmtId id);
    /// Puts the cursor there and brings it into view.
    void goTo(Position position);
    void goToLine(int line) { goTo({line, 0}); }

    Position cursor() const { return m_cursor; }
    /// The first and the last place of what is selected.
    std::pair<Position, Position> selection() const;
    /// Selects the text between two places and brings it into view.
    void select(Position from, Position to);
    QString selectedText() const;
    int firstVisibleLine() const;
    int lastVisibleLine() const;
    /// The innermost loop or block that a place belongs to; none where there is none.
    StmtId stmtAt(Position position) const;
    /// Rectangle of a place in the viewport.
    QRectF rectOf(Position position, int length = 1);
    /// The place under a point of the viewport; column and line are clamped.
    Position positionAt(const QPointF &point);

    /// 1 is the size of the design; 0.5 … 3.
    void setZoom(double zoom);
    double zoom() const { return m_zoom; }

    FindBar *findBar() const { return m_findBar; }

public Q_SLOTS:
    void copy();
    void selectAll();
    void openFind();
    void openGoToLine();

Q_SIGNALS:
    void lineClicked(int line, nestwright::support::StmtId id);
    /// -1 and no id when the pointer leaves the text.
    void lineHovered(int line, nestwright::support::StmtId id);
    void zoomChanged(double zoom);
    /// The menu is about to open; who listens may add to it.
    void menuOpening(QMenu *menu);
    void cursorMoved();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool event(QEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    struct Lines {
        int first, last, axis;
    };

    void indexSpans();
    LineMark markOf(int line) const;
    /// The line's number in the gutter.
    QString numberOf(int line) const;
    void updateMetrics();
    void updateScrollBars();
    void invalidateLayouts();
    void placeFindBar();
    void continueHighlighting();
    LineLayout *layoutOf(int line);
    double lineTop(int line) const;
    int lineAt(double y) const;
    double textLeft() const;
    std::vector<Lines> linesOf(StmtId id) const;

    void paintLineGround(QPainter &painter, int line, const look::Tokens &tokens) const;
    void paintGutter(QPainter &painter, int line, const look::Tokens &tokens) const;
    void paintSpots(QPainter &painter, int line, const look::Tokens &tokens);
    void paintCaret(QPainter &painter, const look::Tokens &tokens);

    void moveCursor(Position to, bool select, bool keepGoal = false);
    bool moveByKey(QKeyEvent *event);
    void selectWordAt(Position position);
    void ensureCursorVisible();
    void scrollWhileSelecting();
    void setHoverLine(int line, StmtId id);
    void showFind(qsizetype offset, int length);

    std::shared_ptr<const Languages> m_languages;
    std::unique_ptr<LineHighlighter> m_highlighter;
    Source m_source;
    CodeText m_text;
    std::vector<int> m_innermost; // per line the index of its innermost span, or -1
    QString m_emptyTitle, m_emptyHint;

    std::vector<StmtId> m_highlighted;
    std::vector<Lines> m_linked;
    std::vector<Lines> m_hoveredLines;
    std::vector<char> m_isLinked; // per line

    Position m_cursor, m_anchor;
    int m_goalColumn = 0;
    bool m_selecting = false;
    bool m_dragged = false;
    bool m_showFocus = false; ///< a ring, where the focus came by key
    int m_hoverLine = -1;
    StmtId m_hoverId;

    double m_zoom = 1;
    double m_lineHeight = 21;
    double m_charWidth = 7;
    double m_gutterWidth = 38;
    int m_wheelRest = 0;

    QCache<int, LineLayout> m_layouts;
    QTimer m_fillTimer;
    QTimer m_autoScroll;
    FindBar *m_findBar;
    std::set<int> m_inexact; // lines painted before their colours were known for certain
};

} // namespace nestwright::code
