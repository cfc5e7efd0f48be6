// SPDX-License-Identifier: GPL-3.0-or-later
/// The line of work in the toolbar: the phase of long work, with Cancel; and for some seconds the result.
#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QWidget>

#include <functional>
#include <optional>

class QLabel;
class QTimer;

namespace nestwright::document {
class CommandRegistry;
class Document;
class Measuring;
class ModelMeasuring;
class ModelResults;
class StepSearching;
} // namespace nestwright::document
namespace nestwright::look {
class LinkButton;
}

namespace nestwright::app {

class WorkLine : public QWidget {
    Q_OBJECT
public:
    WorkLine(document::Document &document, document::Measuring &measuring,
             document::ModelMeasuring &modelMeasuring, document::ModelResults &results,
             document::StepSearching &searching, document::CommandRegistry &commands,
             QWidget *parent = nullptr);

    /// Shows a result: in place of the work, for five seconds or as long as it is pointed at. The link acts
    /// and ends it.
    void tell(const QString &text, const QString &link, std::function<void()> run);

    /// Shows a written file: "Exported mm.py", with a link to its folder.
    void tellWritten(const QString &done, const QString &path);

    /// The whole text, and that of its link; empty where there is none.
    const QString &text() const { return m_whole; }
    look::LinkButton *link() const { return m_link; }

protected:
    void enterEvent(QEnterEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    /// Work that takes long.
    struct Work {
        QString name;        ///< "compiling tile(i, j, 32, 32)"
        double fraction = 0; ///< 0 where it is not known
        QString cancel;      ///< the command
    };

    std::optional<Work> work() const;
    void showWork();
    void write(const QString &text, const QString &link);
    void elide();

    document::Document &m_document;
    document::Measuring &m_measuring;
    document::ModelMeasuring &m_modelMeasuring;
    document::ModelResults &m_results;
    document::StepSearching &m_searching;
    document::CommandRegistry &m_commands;
    QLabel *m_label;
    look::LinkButton *m_link;
    QTimer *m_clock;  ///< ticks while something is at work
    QTimer *m_notice; ///< runs while something is told
    QElapsedTimer m_since;
    QString m_whole;
    std::function<void()> m_run; ///< of the message shown
    double m_fraction = 0;
};

} // namespace nestwright::app
