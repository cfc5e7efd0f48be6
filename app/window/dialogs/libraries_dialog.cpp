// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/libraries_dialog.h"

#include "app/window/dialogs/file_edit.h"
#include "widgets/look/button.h"

#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace nestwright::app {

LibrariesDialog::LibrariesDialog(const std::vector<std::string> &libraries, const QString &folder,
                                 QWidget *parent)
    : QDialog(parent)
    , m_folder(folder)
    , m_list(new QListWidget(this))
{
    setWindowTitle(tr("Libraries of this kernel"));
    setMinimumWidth(520);
    setAcceptDrops(true);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(12);
    auto *text =
        new QLabel(tr("A kernel calls functions of math.h. If you trust this one, it may call those of the "
                      "shared libraries named here too. They hold until another file is opened, and no "
                      "file keeps them."),
                   this);
    text->setWordWrap(true);
    layout->addWidget(text);
    m_list->setAccessibleName(tr("Libraries"));
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->viewport()->setAcceptDrops(false); // the dialog takes what is dropped anywhere
    auto *none = new QLabel(tr("None yet: add one, or drop it here"), m_list->viewport());
    none->setAlignment(Qt::AlignCenter);
    none->setEnabled(false);
    (new QVBoxLayout(m_list->viewport()))->addWidget(none);
    layout->addWidget(m_list);
    auto *row = new QHBoxLayout;
    auto *add = new look::Button(tr("Add…"), this), *remove = new look::Button(tr("Remove"), this);
    for (look::Button *button : {add, remove}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    row->addStretch();
    layout->addLayout(row);
    remove->setEnabled(false);
    connect(add, &QPushButton::clicked, this, &LibrariesDialog::choose);
    connect(remove, &QPushButton::clicked, this, &LibrariesDialog::removeSelected);
    connect(m_list, &QListWidget::itemSelectionChanged, this,
            [this, remove] { remove->setEnabled(!m_list->selectedItems().isEmpty()); });
    const auto showNone = [this, none] { none->setVisible(m_list->count() == 0); };
    connect(m_list->model(), &QAbstractItemModel::rowsInserted, this, showNone);
    connect(m_list->model(), &QAbstractItemModel::rowsRemoved, this, showNone);
    for (const std::string &library : libraries)
        m_list->addItem(QString::fromStdString(library));
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
}

void LibrariesDialog::choose()
{
    add(QFileDialog::getOpenFileNames(this, tr("Shared libraries"), m_folder,
                                      tr("Shared libraries (*.so *.so.*);;All files (*)")));
}

void LibrariesDialog::add(const QStringList &paths)
{
    for (const QString &path : paths) {
        if (m_list->findItems(path, Qt::MatchExactly).isEmpty())
            m_list->addItem(path);
        m_folder = QFileInfo(path).absolutePath();
    }
}

void LibrariesDialog::removeSelected() { qDeleteAll(m_list->selectedItems()); }

/// Takes the keys that the list leaves to others.
void LibrariesDialog::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Delete))
        removeSelected();
    else
        QDialog::keyPressEvent(event);
}

void LibrariesDialog::dragEnterEvent(QDragEnterEvent *event)
{
    if (!filesOf(*event).isEmpty())
        event->acceptProposedAction();
}

void LibrariesDialog::dropEvent(QDropEvent *event)
{
    add(filesOf(*event));
    event->acceptProposedAction();
}

std::vector<std::string> LibrariesDialog::libraries() const
{
    std::vector<std::string> libraries;
    for (int i = 0; i < m_list->count(); ++i)
        libraries.push_back(m_list->item(i)->text().toStdString());
    return libraries;
}

} // namespace nestwright::app
