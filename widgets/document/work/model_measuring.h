// SPDX-License-Identifier: GPL-3.0-or-later
/// Times the open model and its kernels, in a process of its own: nestc bench-model.
#pragma once

#include "core/measure/machine/machine_peak.h"
#include "core/measure/measurement.h"
#include "widgets/document/work/nestc_process.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace nestwright::support {
class TemporaryFolder;
}

namespace nestwright::document {

class Document;
class Model;

/// The measurement of one kernel: all its calls in one run of the model.
struct KernelTime {
    double seconds = 0;
    measure::Throughput work; ///< its bytes are those that must be moved
    /// Over the schedules that were measured before, run in turns with them.
    std::optional<measure::Speedup> speedup;
};

struct ModelTime {
    measure::Interval seconds;               ///< of one run
    std::optional<measure::Speedup> speedup; ///< as of a kernel
    double otherLoad = 0;                    ///< as in measure::Measurement
    bool disturbed = false;
    measure::Throughput machine; ///< in a second, of memory the bytes; 0 where it is not known
    std::string storedOn{};      ///< its date, where it was read from the session and not measured since
    std::map<std::string, KernelTime> kernels;
};

class ModelMeasuring : public QObject {
    Q_OBJECT
public:
    ModelMeasuring(Document &document, Model &model, QObject *parent = nullptr);
    ~ModelMeasuring() override;

    /// Measures the model with the schedules that its kernels have now, in turns with those that were
    /// measured last; the one at work is stopped.
    void measure();
    /// Measures the model again, once it was measured, if a kernel has another schedule since.
    void measureIfChanged();
    void cancel();

    bool isRunning() const { return m_process.isRunning(); }
    /// "compiling 12 of 34", "run 3 of 10".
    const QString &phase() const { return m_phase; }
    /// The finished part of all of it, 0 … 1.
    double fraction() const { return m_fraction; }
    /// The last result; none until something was measured of this model.
    const std::optional<ModelTime> &last() const { return m_last; }

Q_SIGNALS:
    /// Whether it runs, and its phase.
    void changed();
    /// Another last result, or none: of each model that opens too.
    void measured();
    void failed(const nestwright::support::Diagnostic &diagnostic);

private:
    /// Measurements of a model that is open, perhaps in another tab.
    struct Known {
        std::weak_ptr<const session::Model> model;
        ModelTime time;
        std::map<std::string, std::string> schedules;
    };

    void read(const QJsonObject &line);
    void keep();
    void adoptKnown();
    void setPhase(const QString &phase, double fraction = 0);

    Document &m_document;
    Model &m_model;
    std::unique_ptr<support::TemporaryFolder> m_folder; ///< of the schedules
    NestcProcess m_process{"model.measure"};
    QString m_phase;
    double m_fraction = 0;
    std::map<std::string, std::string> m_schedules; ///< of the kernels being measured, or measured last
    std::optional<ModelTime> m_last;
    std::vector<Known> m_known;
};

} // namespace nestwright::document
