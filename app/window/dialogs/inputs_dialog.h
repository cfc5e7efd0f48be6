// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks for the files that hold the inputs of a model or of a kernel; those that do not fit are told of
/// beside their field.
#pragma once

#include "app/present/input_rows.h"

#include <QDialog>

#include <map>
#include <string>
#include <vector>

class QGridLayout;
class QLabel;
class QPushButton;
class QTimer;

namespace nestwright::jobs {
class JobRunner;
}

namespace nestwright::app {

class FileEdit;

class InputsDialog : public QDialog {
    Q_OBJECT
public:
    using Files = InputFiles;

    InputsDialog(jobs::JobRunner &jobs, const InputTexts &texts, const std::vector<InputRow> &rows,
                 const QString &folder, QWidget *parent);

    /// Files that are given, by name.
    Files files() const;

    /// Waits until the files are checked; stays where one does not fit.
    void accept() override;

protected:
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    struct Field {
        InputRow row;
        FileEdit *edit = nullptr;
        QLabel *note = nullptr;
    };

    void addRow(const InputRow &row, QGridLayout *grid);
    void choose(FileEdit *edit);
    void filesChanged();
    void check();
    void show(const std::map<std::string, QString> &problems);
    void dropped(const QString &file);

    jobs::JobRunner &m_jobs;
    QString m_filter, m_folder;
    std::vector<Field> m_fields;
    std::map<std::string, QString> m_problems;
    QPushButton *m_accept, *m_reset;
    QTimer *m_wait; ///< until nothing is typed
    bool m_isChecked = true;
    bool m_acceptsThen = false; ///< once the files are checked
};

} // namespace nestwright::app
