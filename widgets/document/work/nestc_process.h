// SPDX-License-Identifier: GPL-3.0-or-later
/// nestc at work for the window, which never runs generated code itself.
#pragma once

#include "core/support/errors/diagnostic.h"

#include <QObject>
#include <QProcess>
#include <QStringList>

#include <optional>

class QJsonObject;

namespace nestwright::session {
struct Model;
}

namespace nestwright::document {

class NestcProcess : public QObject {
    Q_OBJECT
public:
    /// `code`: of the diagnostic when it fails.
    explicit NestcProcess(std::string code, QObject *parent = nullptr);
    ~NestcProcess() override;

    /// Starts nestc with these arguments; the one at work is stopped.
    void start(const QStringList &arguments);
    /// Nothing more is heard of it.
    void stop();
    bool isRunning() const { return m_process != nullptr; }

Q_SIGNALS:
    /// A line of its output, which is JSON.
    void line(const QJsonObject &line);
    /// Emitted at its end, with its standard error if it failed.
    void ended(const std::optional<nestwright::support::Diagnostic> &error);

private:
    void readLines();
    void finished(int code, QProcess::ExitStatus status);

    std::string m_code;
    QProcess *m_process = nullptr;
};

/// The model's file and how it was opened, as commands on models take it.
QStringList modelArguments(const session::Model &model);

} // namespace nestwright::document
