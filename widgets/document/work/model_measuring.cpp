// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/work/model_measuring.h"

#include "core/measure/statistics.h"
#include "core/support/errors/errors.h"
#include "core/support/files/temporary_folder.h"
#include "core/support/text/json.h"
#include "core/support/text/json_text.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <filesystem>

namespace nestwright::document {

namespace {
constexpr double compilingShare = 0.5; // of the whole, as it is shown
}

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
        adoptKnown();
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
    } catch (const support::UserError &error) {
        Q_EMIT failed(error.diagnostic());
        return;
    }
    QStringList arguments{QStringLiteral("bench-model"), QStringLiteral("--json"), QStringLiteral("-")};
    arguments += modelArguments(m_model.model());
    const auto add = [&](const QString &option, const std::string &folder,
                         const std::map<std::string, std::string> &schedules) {
        const std::filesystem::path place = m_folder->path() / folder;
        std::error_code ignored; // then no file can be written
        std::filesystem::create_directory(place, ignored);
        for (const auto &[kernel, script] : schedules) {
            const QString file = QString::fromStdString((place / (kernel + ".py")).string());
            QFile written(file);
            if (!written.open(QIODevice::WriteOnly) || written.write(script.c_str()) < 0)
                return false;
            arguments << option << QString::fromStdString(kernel) + u'=' + file;
        }
        return true;
    };
    bool isWritten = true;
    if (m_last) {
        arguments << QStringLiteral("--compare");
        isWritten = add(QStringLiteral("--against"), "before", m_schedules);
    }
    m_schedules = m_model.schedules();
    if (!isWritten || !add(QStringLiteral("--schedule"), "now", m_schedules)) {
        Q_EMIT failed(
            support::diagnostic("file.write", "the schedules cannot be written to a temporary folder"));
        return;
    }
    m_process.start(arguments);
    setPhase(tr("compiling"));
}

void ModelMeasuring::measureIfChanged()
{
    if (m_last && m_last->storedOn.empty() && !isRunning() && m_model.schedules() != m_schedules)
        measure();
}

void ModelMeasuring::cancel()
{
    if (!isRunning())
        return;
    m_process.stop();
    setPhase({});
}

namespace {

ModelTime timeOf(const session::ModelTimes &times)
{
    ModelTime time;
    time.seconds = times.seconds;
    time.otherLoad = times.otherLoad;
    time.disturbed = times.disturbed;
    time.machine = times.peak;
    for (const session::ModelTimes::Kernel &kernel : times.kernels)
        time.kernels[kernel.name] = {kernel.seconds, kernel.work, {}};
    return time;
}

std::optional<measure::Speedup> speedupFrom(const QJsonObject &entry)
{
    if (!entry.contains(u"speedup"))
        return {};
    const QJsonObject speedup = entry[u"speedup"].toObject();
    return measure::toldSpeedup(
        {speedup[u"low"].toDouble(), speedup[u"median"].toDouble(), speedup[u"high"].toDouble()},
        speedup[u"significant"].toBool());
}

} // namespace

void ModelMeasuring::read(const QJsonObject &line)
{
    const auto share = [all = std::max(1, line[u"of"].toInt())](int done) {
        return std::clamp(static_cast<double>(done) / all, 0.0, 1.0);
    };
    if (line.contains(u"compiled")) {
        const int done = line[u"compiled"].toInt(), all = line[u"of"].toInt();
        setPhase(done < all ? tr("compiling %1 of %2").arg(done).arg(all) : tr("running"),
                 std::max(m_fraction, share(done) * compilingShare));
        return;
    }
    if (line.contains(u"ran")) {
        const int done = line[u"ran"].toInt();
        setPhase(tr("run %1 of %2").arg(done).arg(line[u"of"].toInt()),
                 compilingShare + share(done) * (1 - compilingShare));
        return;
    }
    const auto told =
        support::parseJson<support::Json>(QJsonDocument(line).toJson(QJsonDocument::Compact).toStdString(),
                                          {"the times", "nestc", "session.times", ""});
    auto times = told ? session::modelTimesFromJson(*told) : support::fail(told.error());
    if (!times)
        return; // not a line of ours
    m_last = timeOf(*times);
    m_last->speedup = speedupFrom(line);
    const QJsonArray kernels = line[u"kernels"].toArray();
    for (const auto &each : kernels) {
        const QJsonObject kernel = each.toObject();
        m_last->kernels[kernel[u"name"].toString().toStdString()].speedup = speedupFrom(kernel);
    }
    keep();
    if (line[u"final"].toBool(true))
        m_model.keepTimes(std::move(*times));
    Q_EMIT measured();
}

void ModelMeasuring::keep()
{
    const std::shared_ptr<const session::Model> model = m_model.shared();
    std::erase_if(m_known, [&](const Known &known) {
        const auto open = known.model.lock();
        return !open || open == model;
    });
    m_known.push_back({model, *m_last, m_schedules});
}

void ModelMeasuring::adoptKnown()
{
    m_last.reset();
    m_schedules.clear();
    const std::shared_ptr<const session::Model> model = m_model.shared();
    for (const Known &known : m_known) {
        if (!model || known.model.lock() != model)
            continue;
        m_last = known.time;
        m_schedules = known.schedules;
    }
    if (m_last || !model || m_model.times().empty())
        return;
    m_last = timeOf(m_model.times().back()); // of the session that was opened
    m_last->storedOn = m_model.times().back().date;
    m_schedules = m_model.schedules();
}

void ModelMeasuring::setPhase(const QString &phase, double fraction)
{
    m_phase = phase;
    m_fraction = fraction;
    Q_EMIT changed();
}

} // namespace nestwright::document
