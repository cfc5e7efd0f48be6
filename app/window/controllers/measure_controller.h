// SPDX-License-Identifier: GPL-3.0-or-later
/// Measuring of variants: target, arguments and libraries that they are measured with, and the charts of the
/// results.
#pragma once

#include "core/target/target.h"

#include <QObject>
#include <QTimer>

#include <set>

class QWidget;

namespace nestwright::charts {
class Roofline;
class VariantBars;
} // namespace nestwright::charts
namespace nestwright::document {
class CommandRegistry;
class Document;
class Measuring;
class Model;
class ModelMeasuring;
class ModelResults;
class PeerMeasuring;
} // namespace nestwright::document
namespace nestwright::look {
class CardHeader;
}

namespace nestwright::app {

class Notification;
class TopBar;
class WindowSettings;

class MeasureController : public QObject {
    Q_OBJECT
public:
    struct Charts {
        charts::VariantBars &bars;
        look::CardHeader &barsHeader;
        charts::Roofline &roofline;
        look::CardHeader &rooflineHeader;
    };

    /// `window` owns the dialogs.
    MeasureController(document::Document &document, document::Model &model, document::Measuring &measuring,
                      document::PeerMeasuring &peer, document::ModelMeasuring &modelMeasuring,
                      document::ModelResults &modelResults, document::CommandRegistry &commands,
                      WindowSettings &settings, TopBar &topBar, const Charts &charts, QWidget *window);

    void addCommands();
    void addViewCommands();

    /// Measurements report often; the charts follow at the pace of the eye.
    void showChartsSoon();
    /// Whether the charts are still to follow.
    bool areChartsWaiting() const { return m_chartsWait.isActive(); }

Q_SIGNALS:
    void chartsShown(bool haveData);

private:
    void askForInputs();
    void askForLibraries();
    void measuringChanged();
    void showTarget();
    /// Whether there is one of the target's kind.
    void lookForDevices();
    void showCharts();
    void showChartHeaders();

    document::Document &m_document;
    document::Model &m_model;
    document::Measuring &m_measuring;
    document::PeerMeasuring &m_peer;
    document::ModelMeasuring &m_modelMeasuring;
    document::ModelResults &m_modelResults;
    document::CommandRegistry &m_commands;
    WindowSettings &m_settings;
    TopBar &m_topBar;
    Charts m_charts;
    QWidget *m_window;
    Notification *m_notification;
    QTimer m_chartsWait;
    bool m_wasMeasuring = false;
    std::set<target::TargetKind> m_absent; ///< kinds of targets without a device here
    bool m_measuresModelToo;               ///< once a kernel of it was measured
    bool m_showsWay;                       ///< in the roofline
};

} // namespace nestwright::app
