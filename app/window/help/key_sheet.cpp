// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help/key_sheet.h"

#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBrowser>
#include <QTextTable>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::app {

namespace {
constexpr int leastColumnWidth = 256; ///< of a column
constexpr int betweenColumns = 28;
constexpr double headingLines = 1.7; ///< lines taken by a heading and the space above it
constexpr qsizetype fewestRows = 3;  ///< of a group's part in a column

/// Keys that stand beside each other, each with room around it.
QString keysText(const KeyRow &row)
{
    QStringList keys;
    for (QString key : row.keys)
        keys << QChar::Nbsp + key.replace(u' ', QChar::Nbsp) + QChar::Nbsp;
    return keys.join(u' ');
}

/// Whether action and keys have room on one line.
bool fitsLine(const KeyRow &row, int width, const QFontMetrics &metrics)
{
    return metrics.horizontalAdvance(row.what) + metrics.horizontalAdvance(keysText(row)) + 8 <= width;
}

/// Groups in their order, in columns of at most `height` lines. One that has no room is cut, with a few rows
/// at either side, and goes on in the next column.
QList<QList<KeyGroup>> columnsWithin(const QList<KeyGroup> &groups, double height, int width,
                                     const QFontMetrics &metrics)
{
    QList<QList<KeyGroup>> columns{{}};
    double used = 0;
    const auto begin = [&](const QString &title) {
        columns.back() << KeyGroup{title, {}};
        used += headingLines;
    };
    const auto nextColumn = [&] {
        columns.emplace_back();
        used = 0;
    };
    for (const KeyGroup &group : groups) {
        const double least =
            headingLines + std::min<double>(fewestRows, static_cast<double>(group.rows.size()));
        if (used + least > height && used > 0)
            nextColumn();
        begin(group.title);
        for (qsizetype i = 0; i < group.rows.size(); ++i) {
            const double lines = fitsLine(group.rows[i], width, metrics) ? 1 : 2;
            const bool isFull = used + lines > height;
            // The last few rows stay together.
            const bool isBeforeFew = i + fewestRows == group.rows.size() && used + fewestRows > height;
            if ((isFull || isBeforeFew) && !columns.back().back().rows.isEmpty()) {
                nextColumn();
                begin(group.title + QStringLiteral(" …"));
            }
            columns.back().back().rows << group.rows[i];
            used += lines;
        }
    }
    return columns;
}

/// Distributes the groups over at most `count` columns of nearly equal height.
QList<QList<KeyGroup>> columnsOf(const QList<KeyGroup> &groups, int count, int width,
                                 const QFontMetrics &metrics)
{
    double all = 0; // lines
    for (const KeyGroup &group : groups)
        all += headingLines + static_cast<double>(group.rows.size());
    for (double height = all / count;; height += 0.5) {
        auto columns = columnsWithin(groups, height, width, metrics);
        if (columns.size() <= count)
            return columns;
    }
}

/// Writes a column: the action at the left, the keys at the right on the ground of a key.
void write(QTextCursor cursor, const QList<KeyGroup> &groups, int width, const QFontMetrics &metrics,
           const look::Tokens &t)
{
    QTextCharFormat title, plain, key;
    title.setForeground(t.link);
    title.setFontWeight(QFont::DemiBold);
    plain.setForeground(t.text);
    key.setForeground(t.text);
    key.setBackground(t.chip);
    QTextBlockFormat heading, line;
    heading.setBottomMargin(2);
    line.setTabPositions({{static_cast<double>(width), QTextOption::RightTab}});
    line.setLineHeight(0.5, QTextBlockFormat::LineDistanceHeight);
    for (const KeyGroup &group : groups) {
        if (&group != &groups.front())
            cursor.insertBlock();
        cursor.setBlockFormat(heading);
        cursor.insertText(group.title, title);
        heading.setTopMargin(7); // of those below
        for (const KeyRow &row : group.rows) {
            cursor.insertBlock(line);
            cursor.insertText(row.what, plain);
            cursor.insertText(fitsLine(row, width, metrics) ? QStringLiteral("\t")
                                                            : QString(QChar::LineSeparator) + u'\t',
                              plain);
            const QStringList keys = keysText(row).split(u' ');
            for (const QString &each : keys) {
                if (&each != &keys.front())
                    cursor.insertText(QStringLiteral(" "), plain);
                cursor.insertText(each, key);
            }
        }
    }
}
} // namespace

KeySheet::KeySheet(const document::CommandRegistry &commands, QWidget *parent)
    : QDialog(parent)
    , m_groups(keyGroups(commands))
    , m_field(new QLineEdit(this))
    , m_sheet(new QTextBrowser(this))
{
    setWindowTitle(tr("Keys"));
    m_field->setPlaceholderText(tr("Search keys…"));
    m_field->setAccessibleName(tr("Search keys"));
    m_field->setClearButtonEnabled(true);
    m_field->setFixedWidth(248);
    m_sheet->setAccessibleName(tr("Keys by group"));
    m_sheet->setFont(look::interfaceFont(11.2));
    m_sheet->document()->setDocumentMargin(4);
    m_sheet->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_sheet->installEventFilter(this);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton *copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    copy->setToolTip(tr("The keys that are shown, as text"));
    for (QPushButton *button : {copy, buttons->button(QDialogButtonBox::Close)})
        button->setAutoDefault(false); // Enter in the field closes nothing
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(keysAsText(shown())); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_field, &QLineEdit::textChanged, this, &KeySheet::fill);
    auto *top = new QHBoxLayout;
    top->addWidget(m_field);
    top->addStretch(1);
    top->addWidget(buttons);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(6);
    layout->addLayout(top);
    layout->addWidget(m_sheet, 1);
    resize(QSize(1330, 756).boundedTo(parent->window()->size() - QSize(24, 8)));
    fill();
}

void KeySheet::open()
{
    m_field->clear();
    show();
    raise();
    activateWindow();
    m_field->setFocus();
}

QList<KeyGroup> KeySheet::shown() const { return matchingKeys(m_groups, m_field->text()); }

void KeySheet::fill()
{
    const QList<KeyGroup> groups = shown();
    if (groups.isEmpty())
        return m_sheet->setPlainText(tr("No key matches. Clear the search to see all."));
    const QFontMetrics metrics(m_sheet->font());
    const int room =
        m_sheet->maximumViewportSize().width() - 2 * static_cast<int>(m_sheet->document()->documentMargin());
    const int count = std::max(1, room / leastColumnWidth);
    const int columnWidth = room / count;
    const int width = columnWidth - betweenColumns;
    const QList<QList<KeyGroup>> columns = columnsOf(groups, count, width, metrics);
    QTextTableFormat format;
    format.setBorder(0);
    format.setCellSpacing(0);
    format.setCellPadding(0);
    format.setColumnWidthConstraints(
        QList<QTextLength>(count, QTextLength(QTextLength::FixedLength, columnWidth)));
    m_sheet->clear();
    QTextCursor cursor = m_sheet->textCursor();
    cursor.beginEditBlock(); // laid out once
    const QTextTable *table = cursor.insertTable(1, count, format);
    QTextTableCellFormat cell;
    cell.setLeftPadding(betweenColumns / 2.0);
    cell.setRightPadding(betweenColumns / 2.0);
    for (int i = 0; i < columns.size(); ++i) {
        table->cellAt(0, i).setFormat(cell);
        write(table->cellAt(0, i).firstCursorPosition(), columns[i], width, metrics, look::tokens(this));
    }
    cursor.endEditBlock();
    m_sheet->moveCursor(QTextCursor::Start);
}

bool KeySheet::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_sheet && event->type() == QEvent::Resize)
        fill();
    return QDialog::eventFilter(watched, event);
}

void KeySheet::changeEvent(QEvent *event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        fill(); // the keys have their ground from the theme
}

} // namespace nestwright::app
