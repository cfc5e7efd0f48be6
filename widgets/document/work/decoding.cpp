// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/work/decoding.h"

#include "widgets/document/model.h"

#include <QJsonObject>

namespace nestwright::document {

Decoding::Decoding(Model &model, QObject *parent) : QObject(parent), m_model(model)
{
    connect(&m_process, &NestcProcess::line, this, &Decoding::read);
    connect(&m_process, &NestcProcess::ended, this, [this](const std::optional<support::Diagnostic> &error) {
        m_phase.clear();
        Q_EMIT changed();
        if (error)
            Q_EMIT failed(*error);
    });
    connect(&m_model, &Model::opened, this, [this] {
        cancel();
        m_seconds.clear();
        m_places = m_expected = 0;
        Q_EMIT changed();
    });
}

void Decoding::start(int tokens)
{
    if (!m_model.isOpen())
        return;
    cancel();
    m_seconds.clear();
    m_places = 0;
    m_expected = tokens;
    QStringList arguments{QStringLiteral("bench-model"), QStringLiteral("--json"), QStringLiteral("-"),
                          QStringLiteral("--decode"), QString::number(tokens)};
    // Sizes follow from the places for tokens.
    session::Model model;
    model.path = m_model.model().path;
    model.settings = m_model.model().settings;
    model.settings.sizes.clear();
    m_process.start(arguments + modelArguments(model));
    m_phase = tr("compiling");
    Q_EMIT changed();
}

void Decoding::cancel()
{
    if (!isRunning())
        return;
    m_process.stop();
    m_phase.clear();
    Q_EMIT changed();
}

void Decoding::read(const QJsonObject &line)
{
    if (line.contains(u"compiled")) {
        m_phase = tr("compiling %1 of %2").arg(line[u"compiled"].toInt()).arg(line[u"of"].toInt());
    } else if (line.contains(u"token")) {
        m_seconds.push_back(line[u"seconds"].toDouble());
        m_phase = tr("token %1 of %2").arg(line[u"token"].toInt()).arg(line[u"of"].toInt());
    } else if (line.contains(u"places")) {
        m_places = line[u"places"].toInt();
    } else {
        return;
    }
    Q_EMIT changed();
}

} // namespace nestwright::document
