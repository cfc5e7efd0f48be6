// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/work/peer_measuring.h"

#include "core/measure/machine/this_machine.h"
#include "core/measure/measurer.h"
#include "core/script/print/printer.h"
#include "core/support/errors/errors.h"
#include "core/support/files/temporary_folder.h"
#include "core/support/text/json_output.h"
#include "core/target/kinds.h"
#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/document/work/measuring.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace nestwright::document {

std::optional<analysis::LibraryKernel> libraryKernelOf(const Document &document)
{
    const ir::Module::Entry *entry =
        document.isOpen() ? document.tree().root().state->module.mainEntry() : nullptr;
    return entry ? analysis::libraryKernelOf(*entry->function) : std::nullopt;
}

PeerMeasuring::PeerMeasuring(Document &document, const Measuring &measuring, QObject *parent)
    : QObject(parent)
    , m_document(document)
    , m_measuring(measuring)
{
    connect(&measuring, &Measuring::changed, this, &PeerMeasuring::startIfWanted);
    connect(&document, &Document::currentChanged, this, &PeerMeasuring::startIfWanted);
    connect(&document, &Document::targetChanged, this, &PeerMeasuring::startIfWanted);
    connect(&m_process, &NestcProcess::line, this, [this](const QJsonObject &line) {
        const auto time = measure::peerTimeFromJson(
            support::Json::parse(QJsonDocument(line).toJson().toStdString(), nullptr, false));
        if (time)
            m_times[m_running] = *time;
    });
    connect(&m_process, &NestcProcess::ended, this, [this] {
        m_times.try_emplace(m_running, std::nullopt);
        Q_EMIT changed();
    });
}

PeerMeasuring::~PeerMeasuring() = default;

QString PeerMeasuring::key() const
{
    if (!m_document.isOpen() || m_document.session().target().kind == target::TargetKind::OpenCl)
        return {};
    const auto kernel = libraryKernelOf(m_document);
    const target::TargetKind kind = m_document.session().target().kind;
    if (!kernel
        || (kind == target::TargetKind::Cuda && !std::holds_alternative<analysis::MatrixProduct>(*kernel)))
        return {};
    return QStringLiteral("%1 %2 %3")
        .arg(toQt(support::jsonText(measure::toJson(*kernel))))
        .arg(measure::threadsOf(m_document.session().target()))
        .arg(toQt(target::kindName(kind)));
}

std::optional<measure::PeerTime> PeerMeasuring::time() const
{
    const auto found = m_times.find(key());
    return found == m_times.end() ? std::nullopt : found->second;
}

void PeerMeasuring::startIfWanted()
{
    if (m_measuring.isRunning()) { // it would be in the way
        m_process.stop();
        return;
    }
    const QString wanted = key();
    const auto known = m_times.find(wanted);
    const bool isKnown = known != m_times.end() && !(known->second && known->second->disturbed);
    if (wanted.isEmpty() || isKnown || (isRunning() && m_running == wanted)
        || std::ranges::none_of(m_document.tree().all(), [](const session::Variant &variant) {
               return variant.measurement && variant.measurement->ok();
           }))
        return;
    try {
        m_folder = std::make_unique<support::TemporaryFolder>();
    } catch (const support::UserError &) {
        return; // there is no line then
    }
    const QString program = QString::fromStdString((m_folder->path() / "program.py").string());
    QFile file(program);
    const std::string text = script::print(m_document.tree().root().state->module).text;
    if (!file.open(QIODevice::WriteOnly) || file.write(text.c_str()) < 0)
        return;
    file.close();
    m_running = wanted;
    m_process.start({QStringLiteral("peer"), program, QStringLiteral("--json"), QStringLiteral("--target"),
                     QString::fromStdString(m_document.session().target().str())});
}

} // namespace nestwright::document
