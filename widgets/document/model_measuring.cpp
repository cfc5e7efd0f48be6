// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/model_measuring.h"

#include "core/measure/worker_client.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

namespace nestwright::document {

ModelMeasuring::ModelMeasuring(Document &document, Model &model, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_model(model)
{
    connect(&m_model, &Model::opened, this, [this] {
        cancel();
        m_last.reset();
        m_before.reset();
        Q_EMIT measured();
        Q_EMIT changed();
    });
}

ModelMeasuring::~ModelMeasuring() { cancel(); }

void ModelMeasuring::measure()
{
    if (!m_model.isOpen())
        return;
    cancel();
    m_folder = std::make_unique<QTemporaryDir>();
    QStringList arguments{QStringLiteral("bench-model"), QString::fromStdString(m_model.model().path),
                          QStringLiteral("--json"), QStringLiteral("-")};
    const session::ModelSettings &settings = m_model.model().settings;
    arguments << QStringLiteral("-O") << QString::number(settings.level);
    for (const std::string &pass : settings.required)
        arguments << QStringLiteral("--require") << QString::fromStdString(pass);
    for (const std::string &pass : settings.disabled)
        arguments << QStringLiteral("--disable") << QString::fromStdString(pass);
    for (const auto &[name, size] : settings.sizes)
        arguments << QStringLiteral("--size")
                  << QStringLiteral("%1=%2").arg(QString::fromStdString(name)).arg(size);
    m_schedules = m_model.schedules();
    for (const auto &[kernel, script] : m_schedules) {
        const QString file = m_folder->filePath(QString::fromStdString(kernel) + QStringLiteral(".py"));
        QFile written(file);
        if (!written.open(QIODevice::WriteOnly) || written.write(script.c_str()) < 0) {
            Q_EMIT failed(
                support::diagnostic("output.write", "the schedules cannot be written to a temporary folder"));
            return;
        }
        arguments << QStringLiteral("--schedule") << QString::fromStdString(kernel) + u'=' + file;
    }
    m_process = new QProcess(this);
    connect(m_process, &QProcess::readyReadStandardOutput, this, &ModelMeasuring::readLines);
    connect(m_process, &QProcess::finished, this, &ModelMeasuring::finished);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            finished(-1, QProcess::CrashExit);
    });
    m_first = false;
    setPhase(tr("compiling"));
    m_process->start(QString::fromStdString(measure::findWorkerProgram()), arguments);
}

void ModelMeasuring::measureIfChanged()
{
    if (m_last && !isRunning() && m_model.schedules() != m_schedules)
        measure();
}

void ModelMeasuring::cancel()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->kill();
    m_process->waitForFinished(1000);
    m_process->deleteLater();
    m_process = nullptr;
    setPhase({});
}

void ModelMeasuring::readLines()
{
    while (m_process && m_process->canReadLine()) {
        const QJsonObject line = QJsonDocument::fromJson(m_process->readLine()).object();
        if (line.contains(u"compiled")) {
            const int done = line[u"compiled"].toInt(), all = line[u"of"].toInt();
            setPhase(done < all ? tr("compiling %1 of %2").arg(done).arg(all) : tr("running"));
            continue;
        }
        ModelTime time;
        time.seconds = line[u"seconds"].toDouble();
        time.peakFlops = line[u"peak_flops"].toDouble();
        time.memoryBytesPerSecond = line[u"memory_bytes_per_second"].toDouble();
        const QJsonArray kernels = line[u"kernels"].toArray();
        for (const auto &each : kernels) {
            const QJsonObject kernel = each.toObject();
            time.kernels[kernel[u"name"].toString().toStdString()] = {
                kernel[u"seconds"].toDouble(), kernel[u"flops"].toDouble(), kernel[u"bytes"].toDouble()};
        }
        if (!m_first) // else it makes the same measurement more certain
            m_before = std::move(m_last);
        m_first = line.contains(u"final");
        m_last = std::move(time);
        Q_EMIT measured();
    }
}

void ModelMeasuring::finished(int code, QProcess::ExitStatus status)
{
    readLines();
    const QString errors = QString::fromUtf8(m_process->readAllStandardError()).trimmed();
    m_process->deleteLater();
    m_process = nullptr;
    setPhase({});
    if (code != 0 || status != QProcess::NormalExit) {
        Q_EMIT failed(support::diagnostic(
            "model.measure",
            errors.isEmpty()
                ? std::string("the process that measures models could not be started, or was stopped")
                : errors.toStdString()));
    }
}

void ModelMeasuring::setPhase(const QString &phase)
{
    m_phase = phase;
    Q_EMIT changed();
}

} // namespace nestwright::document
