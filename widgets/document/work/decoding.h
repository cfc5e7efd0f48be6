// SPDX-License-Identifier: GPL-3.0-or-later
/// Generates tokens one by one with the open model, in a process of its own: nestc bench-model --decode.
#pragma once

#include "widgets/document/work/nestc_process.h"

#include <QString>

#include <memory>
#include <vector>

namespace nestwright::document {

class Model;

class Decoding : public QObject {
    Q_OBJECT
public:
    explicit Decoding(Model &model, QObject *parent = nullptr);

    /// Begins anew with so many tokens.
    void start(int tokens);
    void cancel();
    bool isRunning() const { return m_process.isRunning(); }
    /// "compiling 12 of 34", "token 3 of 128"; empty at rest.
    const QString &phase() const { return m_phase; }

    int expected() const { return m_expected; }
    const std::vector<double> &seconds() const { return m_seconds; } ///< of each token
    int places() const { return m_places; }                          ///< for former tokens; 0 before the end

Q_SIGNALS:
    void changed();
    void failed(const nestwright::support::Diagnostic &diagnostic);

private:
    void read(const QJsonObject &line);

    Model &m_model;
    NestcProcess m_process{"model.decode"};
    QString m_phase;
    std::vector<double> m_seconds;
    int m_expected = 0, m_places = 0;
};

} // namespace nestwright::document
