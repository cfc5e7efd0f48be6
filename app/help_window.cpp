// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help_window.h"

#include "app/help_pages.h"
#include "widgets/document/text.h"
#include "widgets/look/fonts.h"
#include "widgets/look/tokens.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QTextBlock>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace nestwright::app {

using document::toQt;

namespace {
constexpr int nameRole = Qt::UserRole;

/// Code stands on a ground of its own, headings keep their distance: what Markdown leaves to the reader.
void dress(QTextDocument &document, const look::Tokens &t)
{
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        QTextBlockFormat format = block.blockFormat();
        const bool code = format.hasProperty(QTextFormat::BlockCodeFence);
        if (code) {
            format.setBackground(t.ground);
            format.setTopMargin(0);
            format.setBottomMargin(0);
            format.setLeftMargin(0);
        } else if (format.headingLevel() > 0) {
            format.setTopMargin(format.headingLevel() > 2 ? 14 : 0);
            format.setBottomMargin(6);
        }
        format.setLineHeight(125, QTextBlockFormat::ProportionalHeight);
        cursor.setBlockFormat(format);
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            QTextCharFormat text = part.fragment().charFormat();
            if (!code && !text.fontFixedPitch())
                continue;
            const QFont font = look::codeFont(12);
            text.setFontFamilies({font.family()});
            text.setFontPointSize(font.pointSizeF());
            cursor.setPosition(part.fragment().position());
            cursor.setPosition(part.fragment().position() + part.fragment().length(),
                               QTextCursor::KeepAnchor);
            cursor.setCharFormat(text);
        }
    }
}
} // namespace

HelpWindow::HelpWindow(QWidget *parent)
    : QDialog(parent)
    , m_field(new QLineEdit(this))
    , m_list(new QListWidget(this))
    , m_page(new QTextBrowser(this))
{
    setWindowTitle(tr("Primitives"));
    setAccessibleName(tr("Help on the primitives"));
    resize(920, 620);
    m_field->setPlaceholderText(tr("Search primitives…"));
    m_field->setAccessibleName(tr("Search primitives"));
    m_field->setClearButtonEnabled(true);
    m_field->installEventFilter(this);
    m_list->setAccessibleName(tr("Primitives"));
    m_list->setFixedWidth(248);
    m_page->setAccessibleName(tr("Page"));
    m_page->setOpenExternalLinks(false);
    m_page->document()->setDocumentMargin(16);
    m_page->setFont(look::interfaceFont(13));
    auto *left = new QVBoxLayout;
    left->setSpacing(8);
    left->addWidget(m_field);
    left->addWidget(m_list, 1);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(12);
    layout->addLayout(left);
    layout->addWidget(m_page, 1);
    connect(m_field, &QLineEdit::textChanged, this, &HelpWindow::fill);
    connect(m_list, &QListWidget::currentItemChanged, this, &HelpWindow::showPage);
    fill();
}

void HelpWindow::open(std::string_view primitive)
{
    m_field->clear();
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->data(nameRole).toString() == toQt(primitive))
            m_list->setCurrentRow(row);
    }
    show();
    raise();
    activateWindow();
    m_field->setFocus();
}

/// Primitives by group; of what is typed every word must occur in the name, title or summary.
void HelpWindow::fill()
{
    const QString before =
        m_list->currentItem() ? m_list->currentItem()->data(nameRole).toString() : QString();
    const QStringList words = m_field->text().split(u' ', Qt::SkipEmptyParts);
    m_list->clear();
    QListWidgetItem *chosen = nullptr;
    std::optional<schedule::Group> group;
    for (const schedule::Primitive *primitive : schedule::primitives()) {
        const QString text =
            toQt(primitive->name) + u' ' + toQt(primitive->title) + u' ' + toQt(primitive->summary);
        if (!std::ranges::all_of(words,
                                 [&](const QString &w) { return text.contains(w, Qt::CaseInsensitive); }))
            continue;
        if (group != primitive->group) {
            group = primitive->group;
            auto *heading = new QListWidgetItem(toQt(schedule::title(*group)), m_list);
            heading->setFlags(Qt::NoItemFlags);
            heading->setFont(look::interfaceFont(11.5, QFont::DemiBold));
        }
        auto *item = new QListWidgetItem(toQt(primitive->name), m_list);
        item->setFont(look::codeFont(12.5));
        item->setData(nameRole, toQt(primitive->name));
        item->setToolTip(toQt(primitive->summary));
        if (!chosen || item->data(nameRole).toString() == before)
            chosen = item;
    }
    if (chosen)
        m_list->setCurrentItem(chosen);
    else
        m_page->setMarkdown(tr("No primitive is named so. Clear the search to see all."));
}

void HelpWindow::showPage()
{
    const QListWidgetItem *item = m_list->currentItem();
    const std::string name = item ? item->data(nameRole).toString().toStdString() : std::string();
    const schedule::Primitive *primitive = schedule::findPrimitive(name);
    if (!primitive)
        return;
    m_page->setMarkdown(helpPage(*primitive));
    dress(*m_page->document(), look::tokens(this));
    m_page->moveCursor(QTextCursor::Start);
}

bool HelpWindow::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown) {
            QCoreApplication::sendEvent(m_list, event);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void HelpWindow::changeEvent(QEvent *event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showPage(); // code has its ground from the theme
}

} // namespace nestwright::app
