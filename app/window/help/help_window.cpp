// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help/help_window.h"

#include "app/window/help/help_pages.h"
#include "app/window/help/page_view.h"
#include "widgets/look/fonts.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalBlocker>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::app {

namespace {
constexpr int addressRole = Qt::UserRole;

/// Pages by their address; visited pages are Qt's history.
class HelpBrowser : public PageView {
public:
    using PageView::PageView;

protected:
    QVariant loadResource(int type, const QUrl &url) override
    {
        const HelpPage *page = findHelpPage(url.toString());
        return page ? page->markdown : QTextBrowser::loadResource(type, url);
    }
};

/// The rank of a page for the typed text: 0 is its name, 3 that the words occur somewhere.
int rank(const HelpPage &page, const QString &typed)
{
    if (page.name.compare(typed, Qt::CaseInsensitive) == 0)
        return 0;
    return page.name.startsWith(typed, Qt::CaseInsensitive) ? 1
           : page.name.contains(typed, Qt::CaseInsensitive) ? 2
                                                            : 3;
}
} // namespace

HelpWindow::HelpWindow(QWidget *parent)
    : QDialog(parent)
    , m_field(new QLineEdit(this))
    , m_list(new QListWidget(this))
    , m_page(new HelpBrowser(this))
{
    setWindowTitle(tr("Help"));
    setAccessibleName(tr("Help on primitives and terms"));
    resize(920, 620);
    m_field->setPlaceholderText(tr("Search primitives and terms…"));
    m_field->setAccessibleName(tr("Search primitives and terms"));
    m_field->setClearButtonEnabled(true);
    m_field->installEventFilter(this);
    m_list->setAccessibleName(tr("Primitives and terms"));
    m_list->setFixedWidth(248);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_page->setAccessibleName(tr("Page"));
    m_page->setOpenLinks(false);
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
    connect(m_list, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem *item) {
        if (item)
            showPage(item->data(addressRole).toString());
    });
    connect(m_page, &QTextBrowser::anchorClicked, this,
            [this](const QUrl &url) { showPage(url.toString()); });
    connect(m_page, &QTextBrowser::sourceChanged, this, &HelpWindow::follow);
    fill();
}

QTextBrowser *HelpWindow::page() const { return m_page; }

void HelpWindow::open(const QString &address)
{
    m_field->clear();
    showPage(findHelpPage(address) ? address : helpPages().front().address);
    show();
    raise();
    activateWindow();
    m_list->scrollToItem(m_list->currentItem(), QAbstractItemView::PositionAtCenter);
    m_field->setFocus();
}

/// Every typed word must occur in the name, in other names or in the summary; a page of exactly that name is
/// shown.
void HelpWindow::fill()
{
    const QString typed = m_field->text().simplified();
    const QStringList words = typed.split(u' ', Qt::SkipEmptyParts);
    const QSignalBlocker blocker(m_list);
    m_list->clear();
    const HelpPage *best = typed.isEmpty() ? findHelpPage(m_page->source().toString()) : nullptr;
    QString group;
    for (const HelpPage &page : helpPages()) {
        const QString text = page.name + u' ' + page.searched + u' ' + page.summary;
        if (!std::ranges::all_of(words,
                                 [&](const QString &w) { return text.contains(w, Qt::CaseInsensitive); }))
            continue;
        if (group != page.group) {
            group = page.group;
            auto *heading = new QListWidgetItem(group, m_list);
            heading->setFlags(Qt::NoItemFlags);
            heading->setFont(look::interfaceFont(11.5, QFont::DemiBold));
        }
        auto *item = new QListWidgetItem(page.name, m_list);
        item->setFont(page.isPrimitive ? look::codeFont(12.5) : look::interfaceFont(12.5));
        item->setData(addressRole, page.address);
        item->setToolTip(page.summary);
        if (!best || (!typed.isEmpty() && rank(page, typed) < rank(*best, typed)))
            best = &page;
    }
    if (!best)
        return m_page->setMarkdown(tr("Nothing is named so. Clear the search to see all."));
    showPage(best->address);
}

void HelpWindow::showPage(const QString &address)
{
    if (m_page->source() == QUrl(address)) // its text may be that of an empty search
        m_page->reload();
    else
        m_page->setSource(QUrl(address), QTextDocument::MarkdownResource);
}

void HelpWindow::follow(const QUrl &url)
{
    m_page->dress();
    m_page->moveCursor(QTextCursor::Start);
    const QString address = url.toString();
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->data(addressRole).toString() == address) {
            const QSignalBlocker blocker(m_list);
            m_list->setCurrentRow(row);
            if (isVisible()) // before, rows have no size
                m_list->scrollToItem(m_list->item(row));
        }
    }
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
        m_page->reload(); // code has its ground from the theme
}

} // namespace nestwright::app
