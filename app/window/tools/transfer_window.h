// SPDX-License-Identifier: GPL-3.0-or-later
/// The schedule of a variant, or a recipe, measured on other shapes, threads and targets: a table of shapes
/// to edit, and the ratios as a map whose cells open.
#pragma once

#include "core/session/reuse/transfer.h"
#include "widgets/document/work/measuring.h"

#include <QDialog>

#include <memory>
#include <mutex>

class QPushButton;

namespace nestwright::charts {
class RatioMap;
}
namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document
namespace nestwright::look {
class FindingBox;
}

namespace nestwright::app {

class TransferSettings;

class TransferWindow : public QDialog {
    Q_OBJECT
public:
    TransferWindow(document::Document &document, document::Measuring &measuring, QWidget *parent);

    /// The window of `parent`, which is made when it is first asked for, for the current variant.
    static TransferWindow *open(document::Document &document, document::Measuring &measuring,
                                QWidget *parent);

    void setEffort(document::MeasureEffort effort) { m_effort = effort; }
    /// Writes the table as CSV, or the map as PNG or SVG. Shows what fails.
    bool exportTo(const QString &path);

    /// For tests.
    TransferSettings *settings() const { return m_settings; }
    charts::RatioMap *map() const { return m_map; }
    look::FindingBox *note() const { return m_note; }
    const session::TransferTable *table() const { return m_table ? &*m_table : nullptr; }
    bool isSettled() const;

private:
    /// Results so far of the job that measures; its thread writes, the window reads.
    struct Progress {
        std::mutex mutex;
        session::TransferTable table;
    };

    QWidget *makeSettings();
    QWidget *makeResults();
    /// Fills the window in for the current variant.
    void begin();
    void takeSizes(const support::Result<session::KernelSizes> &sizes);
    void measure();
    void show(const session::TransferTable &table);
    void finish(const support::Result<session::TransferTable> &result);
    void openCell(int cell);
    void askWhere();
    void showState();
    session::TransferRequest request() const;
    session::TransferSchedule chosenSchedule() const;

    document::Document &m_document;
    document::Measuring &m_measuring;
    document::MeasureEffort m_effort{5, 0.05};
    std::string m_kernelText, m_kernelName;
    std::string m_script; ///< of the current variant
    QString m_stepsName;
    std::optional<session::TransferRequest> m_request; ///< that the table is of
    std::optional<session::TransferTable> m_table;
    std::shared_ptr<Progress> m_progress;
    TransferSettings *m_settings;
    QPushButton *m_measure, *m_cancel, *m_export;
    look::FindingBox *m_note;
    charts::RatioMap *m_map;
};

/// The command that opens the window.
void addTransferCommand(document::CommandRegistry &commands, document::Document &document,
                        document::Measuring &measuring, QWidget *window);

} // namespace nestwright::app
