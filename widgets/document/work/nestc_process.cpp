// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/work/nestc_process.h"

#include "core/measure/run/worker_client.h"
#include "core/process/nestc_program.h"
#include "core/session/model/model.h"
#include "widgets/jobs/process_group.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <csignal>
#include <utility>

namespace nestwright::document {

NestcProcess::NestcProcess(std::string code, QObject *parent) : QObject(parent), m_code(std::move(code)) {}

NestcProcess::~NestcProcess() { stop(); }

void NestcProcess::start(const QStringList &arguments)
{
    stop();
    m_process = new QProcess(this);
    connect(m_process, &QProcess::readyReadStandardOutput, this, &NestcProcess::readLines);
    connect(m_process, &QProcess::finished, this, &NestcProcess::finished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return;
        const support::Diagnostic why =
            measure::doesNotStart(m_process->program().toStdString(), m_process->errorString().toStdString());
        m_process->deleteLater();
        m_process = nullptr;
        Q_EMIT ended(why);
    });
    jobs::startInOwnGroup(*m_process);
    m_process->start(QString::fromStdString(process::findNestc()), arguments);
}

void NestcProcess::stop()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    if (const auto group = static_cast<pid_t>(m_process->processId()); group > 0)
        ::kill(-group, SIGKILL);
    m_process->kill();
    m_process->waitForFinished(200); // it is dead; only its end is still to be heard of
    m_process->deleteLater();
    m_process = nullptr;
}

void NestcProcess::readLines()
{
    constexpr qint64 longestLine = qint64{64} << 20;
    while (m_process && m_process->canReadLine()) // whoever hears a line may stop it
        Q_EMIT line(QJsonDocument::fromJson(m_process->readLine()).object());
    if (!m_process || m_process->bytesAvailable() <= longestLine)
        return;
    stop();
    Q_EMIT ended(support::diagnostic(m_code, "the process that runs models says a line without end"));
}

void NestcProcess::finished(int code, QProcess::ExitStatus status)
{
    readLines();
    if (!m_process)
        return;
    const QString errors = QString::fromUtf8(m_process->readAllStandardError()).trimmed();
    m_process->deleteLater();
    m_process = nullptr;
    if (code == 0 && status == QProcess::NormalExit) {
        Q_EMIT ended(std::nullopt);
        return;
    }
    Q_EMIT ended(support::diagnostic(m_code, errors.isEmpty()
                                                 ? "the process that runs models was stopped from outside"
                                                 : errors.toStdString()));
}

QStringList modelArguments(const session::Model &model)
{
    QStringList arguments{QString::fromStdString(model.path)};
    const frontend::ModelSettings &settings = model.settings;
    arguments << QStringLiteral("-O") << QString::number(settings.level);
    for (const std::string &pass : settings.required)
        arguments << QStringLiteral("--require") << QString::fromStdString(pass);
    for (const std::string &pass : settings.disabled)
        arguments << QStringLiteral("--disable") << QString::fromStdString(pass);
    for (const auto &[name, size] : settings.sizes)
        arguments << QStringLiteral("--size")
                  << QStringLiteral("%1=%2").arg(QString::fromStdString(name)).arg(size);
    return arguments;
}

} // namespace nestwright::document
