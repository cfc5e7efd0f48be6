// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/measurement_texts.h"

#include "core/backend/codes.h"
#include "core/measure/machine/perf_counters.h"
#include "core/measure/measurement.h"
#include "core/measure/verify/rungs.h"
#include "core/support/text/seconds_text.h"
#include "widgets/document/text.h"

#include <QCoreApplication>

namespace nestwright::models {

using measure::Failure;
using measure::Measurement;
using measure::RungResult;
using measure::Verdict;

QString rungText(const RungResult &result)
{
    const measure::RungFacts &facts = measure::factsOf(result.rung);
    const char *mark = result.outcome == RungResult::Outcome::Holds   ? "✓"
                       : result.outcome == RungResult::Outcome::Fails ? "✗"
                                                                      : "–";
    const QString why = result.reason          ? QString::fromStdString(result.reason->message)
                        : result.found.empty() ? QString::fromUtf8(facts.summary)
                                               : QString::fromStdString(result.found);
    return QStringLiteral("%1 %2: %3").arg(QString::fromUtf8(mark), QString::fromUtf8(facts.title), why);
}

QString figures(double value)
{
    const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    QString text = QString::number(value, 'f', digits);
    const auto point = text.indexOf(u'.');
    for (auto at = (point < 0 ? text.size() : point) - 3; at > 0; at -= 3)
        text.insert(at, QChar(0x202f)); // a narrow space
    return text;
}

QStringList countersText(const measure::Counters &counters)
{
    QStringList told, counts, lines;
    for (const measure::CounterFigure &figure : measure::figuresOf(counters))
        (figure.isDerived ? told : counts) << QString::fromStdString(measure::textOf(figure));
    for (const QStringList &figures : {told, counts}) {
        if (!figures.isEmpty())
            lines << QCoreApplication::translate("VariantsModel", "a call: %1")
                         .arg(figures.join(QStringLiteral(", ")));
    }
    if (!counters.absent.empty())
        lines << document::sentence(counters.absent);
    return lines;
}

QString timeText(double seconds) { return document::toQt(support::secondsText(seconds)); }

bool lacksDevice(const Measurement &measurement)
{
    return measurement.failed == Failure::Worker && measurement.failure
           && measurement.failure->code == backend::codes::noDevice;
}

QString verdictText(const Measurement &measurement)
{
    switch (measurement.failed) {
    case Failure::None: break;
    case Failure::Compile: return QStringLiteral("does not compile");
    case Failure::Crash: return QStringLiteral("crashed");
    case Failure::TimeOut: return QStringLiteral("timed out");
    case Failure::Memory: return QStringLiteral("out of memory");
    case Failure::WrongResult: return QStringLiteral("wrong result");
    case Failure::Cancelled: return QStringLiteral("cancelled");
    case Failure::Worker:
        return lacksDevice(measurement) ? QStringLiteral("not measured: no device")
                                        : QStringLiteral("failed");
    case Failure::Impossible: return QStringLiteral("impossible");
    }
    switch (measurement.verdict) {
    case Verdict::Verified:
        return measurement.stored ? QStringLiteral("was verified") : QStringLiteral("verified");
    case Verdict::Wrong: return QStringLiteral("wrong result");
    case Verdict::NotVerified: return QStringLiteral("not verified");
    }
    return {};
}

} // namespace nestwright::models
