// SPDX-License-Identifier: GPL-3.0-or-later
/// Values of the nodes of the open model for given inputs, for debugging; computed in a process of its own:
/// nestc run-model.
#pragma once

#include "core/graph/tensor_statistics.h"
#include "widgets/document/work/nestc_process.h"

#include <QString>

#include <map>

namespace nestwright::document {

class Model;

class ModelResults : public QObject {
    Q_OBJECT
public:
    /// Files (.npy, .pb) by the input's name; inputs that are left out hold seeded random numbers.
    using Inputs = std::map<std::string, QString>;

    explicit ModelResults(Model &model, QObject *parent = nullptr);

    const Inputs &inputs() const { return m_inputs; }
    /// Sets the inputs; values found for others are forgotten.
    void setInputs(const Inputs &inputs);

    /// Runs the model and looks at the results of all its nodes; they are then known.
    void find();
    /// Runs the model and writes the result of a node to a file, .npy or .pb.
    void save(const QString &node, const QString &path);
    void cancel();

    bool isRunning() const { return m_process.isRunning(); }
    /// Statistics by the node's name; empty until they were found.
    const std::map<std::string, graph::TensorStatistics> &known() const { return m_known; }

Q_SIGNALS:
    /// Whether it runs, or the values known, changed.
    void changed();
    void saved(const QString &path);
    void failed(const nestwright::support::Diagnostic &diagnostic);

private:
    void start(const QStringList &wanted);
    void read(const QJsonObject &line);

    Model &m_model;
    NestcProcess m_process{"model.run"};
    Inputs m_inputs;
    QString m_saving; ///< the file that is being written
    std::map<std::string, graph::TensorStatistics> m_known;
};

} // namespace nestwright::document
