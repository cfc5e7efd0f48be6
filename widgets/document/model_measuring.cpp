// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/model_measuring.h"

#include "core/support/errors.h"
#include "core/support/temporary_folder.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>

namespace nestwright::document {

ModelMeasuring::ModelMeasuring(Document &document, Model &model, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_model(model)
{
    connect(&m_process, &NestcProcess::line, this, &ModelMeasuring::read);
    connect(&m_process, &NestcProcess::ended, this, [this](const std::optional<support::Diagnostic> &error) {
        setPhase({});
        if (error)
            Q_EMIT failed(*error);
    });
    connect(&m_model, &Model::opened, this, [this] {
        cancel();
        m_last.reset();
        m_before.reset();
        Q_EMIT measured();
        Q_EMIT changed();
    });
}

ModelMeasuring::~ModelMeasuring() = default;

void ModelMeasuring::measure()
{
    if (!m_model.isOpen())
        return;
    cancel();
    try {
        m_folder = std::make_unique<support::TemporaryFolder>();
    } catch (const support::ScheduleError &error) {
        Q_EMIT failed(error.diagnostic());
        return;
    }
    QStringList arguments{QStringLiteral("bench-model"), QStringLiteral("--json"), QStringLiteral("-")};
    arguments += modelArguments(m_model.model());
    m_schedules = m_model.schedules();
    for (const auto &[kernel, script] : m_schedules) {
        const QString file = QString::fromStdString((m_folder->path() / (kernel + ".py")).string());
        QFile written(file);
        if (!written.open(QIODevice::WriteOnly) || written.write(script.c_str()) < 0) {
            Q_EMIT failed(
                support::diagnostic("file.write", "the schedules cannot be written to a temporary folder"));
            return;
        }
        arguments << QStringLiteral("--schedule") << QString::fromStdString(kernel) + u'=' + file;
    }
    m_first = false;
    m_process.start(arguments);
    setPhase(tr("compiling"));
}

void ModelMeasuring::measureIfChanged()
{
    if (m_last && !isRunning() && m_model.schedules() != m_schedules)
        measure();
}

void ModelMeasuring::cancel()
{
    if (!isRunning())
        return;
    m_process.stop();
    setPhase({});
}

void ModelMeasuring::read(const QJsonObject &line)
{
    if (line.contains(u"compiled")) {
        const int done = line[u"compiled"].toInt(), all = line[u"of"].toInt();
        setPhase(done < all ? tr("compiling %1 of %2").arg(done).arg(all) : tr("running"));
        return;
    }
    ModelTime time;
    time.seconds = line[u"seconds"].toDouble();
    if (time.seconds <= 0)
        return; // that is no line of ours
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

void ModelMeasuring::setPhase(const QString &phase)
{
    m_phase = phase;
    Q_EMIT changed();
}

} // namespace nestwright::document
