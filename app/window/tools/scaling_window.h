// SPDX-License-Identifier: GPL-3.0-or-later
/// The current variant measured with one, two, four … threads: a curve below the ideal and the roof, and what
/// limits each.
#pragma once

#include "core/session/reuse/scaling.h"
#include "widgets/document/work/measuring.h"

#include <QDialog>

#include <memory>
#include <mutex>
#include <optional>

class QPushButton;
class QTableWidget;

namespace nestwright::charts {
class ScalingCurve;
}
namespace nestwright::document {
class CommandRegistry;
class Document;
} // namespace nestwright::document
namespace nestwright::look {
class FindingBox;
}

namespace nestwright::app {

class ScalingWindow : public QDialog {
    Q_OBJECT
public:
    ScalingWindow(document::Document &document, document::Measuring &measuring, QWidget *parent);

    /// The window of `parent`, which is made when it is first asked for, for the current variant.
    static ScalingWindow *open(document::Document &document, document::Measuring &measuring, QWidget *parent);

    void setEffort(document::MeasureEffort effort) { m_effort = effort; }
    /// Writes the table as CSV, or the curve as PNG or SVG. Shows what fails.
    bool exportTo(const QString &path);

    /// For tests.
    charts::ScalingCurve *curve() const { return m_curve; }
    QTableWidget *rows() const { return m_rows; }
    look::FindingBox *note() const { return m_note; }
    QPushButton *measureButton() const { return m_measure; }
    QPushButton *exportButton() const { return m_export; }
    const session::ScalingTable *table() const { return m_table ? &*m_table : nullptr; }
    bool isSettled() const;

private:
    /// Results so far of the job that measures; its thread writes, the window reads.
    struct Progress {
        std::mutex mutex;
        session::ScalingTable table;
    };

    /// Fills the window in for the current variant.
    void begin();
    void measure();
    void show(const session::ScalingTable &table);
    void finish(const support::Result<session::ScalingTable> &result);
    void askWhere();
    void showState();

    document::Document &m_document;
    document::Measuring &m_measuring;
    document::MeasureEffort m_effort{5, 0.1};
    std::optional<session::ScalingRequest> m_request; ///< of the variant that the window was opened on
    std::optional<session::ScalingTable> m_table;
    std::shared_ptr<Progress> m_progress;
    QPushButton *m_measure, *m_cancel, *m_export;
    look::FindingBox *m_note;
    charts::ScalingCurve *m_curve;
    QTableWidget *m_rows;
};

/// The command that opens the window.
void addScalingCommand(document::CommandRegistry &commands, document::Document &document,
                       document::Measuring &measuring, QWidget *window);

} // namespace nestwright::app
