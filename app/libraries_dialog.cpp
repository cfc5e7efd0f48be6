// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/libraries_dialog.h"

#include "widgets/look/button.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace nestwright::app {

LibrariesDialog::LibrariesDialog(const std::vector<std::string> &libraries, const QString &folder,
                                 QWidget *parent)
    : QDialog(parent)
    , m_folder(folder)
{
    setWindowTitle(tr("Libraries of this kernel"));
    setMinimumWidth(520);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(12);
    auto *text =
        new QLabel(tr("A kernel calls functions of math.h. If you trust this one, it may call those of the "
                      "shared libraries named here too. They hold until another file is opened, and no "
                      "file keeps them."),
                   this);
    text->setWordWrap(true);
    layout->addWidget(text);
    m_list = new QListWidget(this);
    m_list->setAccessibleName(tr("Libraries"));
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    for (const std::string &library : libraries)
        m_list->addItem(QString::fromStdString(library));
    layout->addWidget(m_list);
    auto *row = new QHBoxLayout;
    auto *add = new look::Button(tr("Add…"), this), *remove = new look::Button(tr("Remove"), this);
    for (look::Button *button : {add, remove}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    row->addStretch();
    layout->addLayout(row);
    connect(add, &QPushButton::clicked, this, &LibrariesDialog::add);
    connect(remove, &QPushButton::clicked, this, [this] { qDeleteAll(m_list->selectedItems()); });
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
}

void LibrariesDialog::add()
{
    const QStringList paths = QFileDialog::getOpenFileNames(
        this, tr("Shared libraries"), m_folder, tr("Shared libraries (*.so *.so.*);;All files (*)"));
    for (const QString &path : paths) {
        if (m_list->findItems(path, Qt::MatchExactly).isEmpty())
            m_list->addItem(path);
        m_folder = QFileInfo(path).absolutePath();
    }
}

std::vector<std::string> LibrariesDialog::libraries() const
{
    std::vector<std::string> libraries;
    for (int i = 0; i < m_list->count(); ++i)
        libraries.push_back(m_list->item(i)->text().toStdString());
    return libraries;
}

} // namespace nestwright::app
