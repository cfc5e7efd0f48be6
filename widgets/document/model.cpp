// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document/model.h"

#include "widgets/document/document.h"
#include "widgets/jobs/job_runner.h"

#include <algorithm>

namespace nestwright::document {

Model::Model(Document &document, QObject *parent) : QObject(parent), m_document(document)
{
    connect(&m_document, &Document::opened, this, &Model::documentOpened);
    connect(&m_document, &Document::openFailed, this, [this] { m_opening.reset(); });
}

int Model::kernelOf(std::uint32_t nodeId) const
{
    const graph::Program &program = m_model->program;
    for (const graph::ProgramStep &step : program.steps) {
        if (program.function.at(step.node).id.value == nodeId)
            return step.kernel;
    }
    return -1;
}

void Model::open(const QString &path, const session::Sizes &sizes)
{
    using Opened = support::Result<std::shared_ptr<const session::Model>>;
    m_document.openFrom<Opened>(
        [path = path.toStdString(), sizes]() -> support::Result<Opened> {
            auto model = session::openModel(path, sizes);
            if (model)
                return Opened(std::make_shared<const session::Model>(std::move(*model)));
            if (model.error().code == "model.open-sizes")
                return Opened(support::fail(model.error()));
            return support::fail(model.error());
        },
        [this, path](const Opened &opened) {
            if (opened) {
                adopt(*opened);
                return;
            }
            QStringList names;
            for (const support::Location &location : opened.error().locations)
                names << QString::fromStdString(location.label);
            Q_EMIT sizesNeeded(path, names);
        });
}

void Model::adopt(std::shared_ptr<const session::Model> model)
{
    m_model = std::move(model);
    m_sessions.clear();
    m_kernel = -1;
    const std::vector<graph::Kernel> &kernels = m_model->program.kernels;
    std::size_t dearest = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const auto whole = [&](std::size_t k) {
            return m_model->flops[k] * static_cast<double>(kernels[k].nodes.size());
        };
        if (whole(i) > whole(dearest))
            dearest = i;
    }
    Q_EMIT opened();
    if (!kernels.empty())
        openKernel(static_cast<int>(dearest));
}

void Model::openKernel(int kernel)
{
    if (kernel == m_kernel || kernel < 0)
        return;
    if (m_kernel >= 0 && m_document.isOpen())
        m_sessions.insert_or_assign(m_kernel, *m_document.copy());
    m_opening = kernel;
    std::shared_ptr<const session::Session> known;
    if (const auto before = m_sessions.find(kernel); before != m_sessions.end())
        known = std::make_shared<const session::Session>(before->second);
    m_document.openSession([model = m_model, kernel, known]() -> support::Result<session::Session> {
        if (known)
            return *known;
        return session::beginKernel(*model, kernel);
    });
}

void Model::eachSession(const std::function<void(const std::string &, const session::Session &)> &visit) const
{
    const auto nameOf = [&](int kernel) {
        return m_model->program.kernels[static_cast<std::size_t>(kernel)].name;
    };
    for (const auto &[kernel, session] : m_sessions) {
        if (kernel != m_kernel)
            visit(nameOf(kernel), session);
    }
    if (m_kernel >= 0 && m_document.isOpen())
        visit(nameOf(m_kernel), m_document.session());
}

std::map<std::string, std::string> Model::schedules() const
{
    std::map<std::string, std::string> scripts;
    eachSession([&](const std::string &kernel, const session::Session &session) {
        if (auto script = session.exportSchedule(session.tree().current().id))
            scripts[kernel] = std::move(*script);
    });
    return scripts;
}

graph::Schedules Model::states() const
{
    graph::Schedules states;
    eachSession([&](const std::string &kernel, const session::Session &session) {
        states.insert_or_assign(kernel, *session.tree().current().state);
    });
    return states;
}

void Model::documentOpened()
{
    if (!m_opening) { // something else was opened in the model's place
        if (m_model) {
            m_model.reset();
            m_sessions.clear();
            m_kernel = -1;
            Q_EMIT opened();
        }
        return;
    }
    m_kernel = *m_opening;
    m_opening.reset();
    Q_EMIT kernelChanged();
}

} // namespace nestwright::document
