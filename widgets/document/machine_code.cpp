// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/machine_code.h"

#include "widgets/document/document.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"

namespace nestwright::document {

namespace {
const QString codeJob = QStringLiteral("machine code");
}

MachineCode::MachineCode(Document &document, QObject *parent) : QObject(parent), m_document(document)
{
    connect(&document, &Document::opened, this, [this] { m_loops.reset(); });
    connect(&document, &Document::currentChanged, this, &MachineCode::refresh);
    connect(&document, &Document::targetChanged, this, &MachineCode::refresh);
}

void MachineCode::refresh()
{
    if (!m_document.isOpen() || !m_document.nest())
        return;
    m_loops.reset();
    Q_EMIT changed();
    const target::Target target = m_document.session().target();
    if (!backend::tellsLoopCode(target.kind)) {
        m_document.jobs().cancel(codeJob);
        return;
    }
    m_document.jobs().run(
        codeJob, this,
        [module = m_document.nest()->loops.state().module, target](const jobs::Job &job) {
            return backend::loopCode(module, target, job.stopToken())
                .value_or(std::vector<backend::LoopCode>());
        },
        [this](const LoopCodes &loops) {
            m_loops = loops;
            Q_EMIT changed();
        });
}

const backend::LoopCode *MachineCode::doing(support::StmtId id) const
{
    const NestPtr &nest = m_document.nest();
    return m_loops && nest ? backend::codeOf(*m_loops, nest->within(id)) : nullptr;
}

const backend::LoopCode *codeOfLoop(const LoopCodes &loops, support::StmtId id)
{
    const backend::LoopCode *best = nullptr;
    for (const backend::LoopCode &each : *loops) {
        if (each.loop == id && (!best || each.counts.packed > best->counts.packed))
            best = &each;
    }
    return best;
}

QString codeTip(const backend::LoopCode &code)
{
    QString tip = QStringLiteral("Machine code of an iteration: ") + toQt(backend::instructionsText(code));
    if (code.time)
        tip += u'\n' + sentence(backend::timeText(code));
    return tip;
}

} // namespace nestwright::document
