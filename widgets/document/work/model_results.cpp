// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/work/model_results.h"

#include "widgets/document/model.h"

#include <QJsonArray>
#include <QJsonObject>

#include <utility>

namespace nestwright::document {

ModelResults::ModelResults(Model &model, QObject *parent) : QObject(parent), m_model(model)
{
    connect(&m_process, &NestcProcess::line, this, &ModelResults::read);
    connect(&m_process, &NestcProcess::ended, this, [this](const std::optional<support::Diagnostic> &error) {
        const QString path = std::exchange(m_saving, {});
        Q_EMIT changed();
        if (error)
            Q_EMIT failed(*error);
        else if (!path.isEmpty())
            Q_EMIT saved(path);
    });
    connect(&m_model, &Model::opened, this, [this] {
        cancel();
        setInputs({});
    });
}

void ModelResults::setInputs(const Inputs &inputs)
{
    m_inputs = inputs;
    m_known.clear();
    Q_EMIT changed();
}

void ModelResults::find() { start({QStringLiteral("--json"), QStringLiteral("-")}); }

void ModelResults::save(const QString &node, const QString &path)
{
    start({QStringLiteral("--out"), node + u'=' + path});
    m_saving = path;
}

void ModelResults::cancel()
{
    if (!isRunning())
        return;
    m_process.stop();
    m_saving.clear();
    Q_EMIT changed();
}

void ModelResults::start(const QStringList &wanted)
{
    if (!m_model.isOpen())
        return;
    cancel();
    QStringList arguments{QStringLiteral("run-model"), QStringLiteral("--random")};
    arguments += modelArguments(m_model.model());
    for (const auto &[name, file] : m_inputs)
        arguments << QStringLiteral("--in") << QString::fromStdString(name) + u'=' + file;
    m_process.start(arguments + wanted);
    Q_EMIT changed();
}

void ModelResults::read(const QJsonObject &line)
{
    const QJsonArray nodes = line[u"nodes"].toArray();
    for (const auto &each : nodes) {
        const QJsonObject node = each.toObject();
        graph::TensorStatistics s;
        s.elements = node[u"elements"].toInteger();
        s.zeros = node[u"zeros"].toInteger();
        s.notFinite = node[u"not_finite"].toInteger();
        s.least = node[u"least"].toDouble();
        s.greatest = node[u"greatest"].toDouble();
        s.mean = node[u"mean"].toDouble();
        s.deviation = node[u"deviation"].toDouble();
        const QJsonArray counts = node[u"histogram"].toArray();
        for (std::size_t i = 0; i < s.histogram.size(); ++i)
            s.histogram[i] = counts[static_cast<qsizetype>(i)].toInteger();
        m_known[node[u"name"].toString().toStdString()] = s;
    }
}

} // namespace nestwright::document
