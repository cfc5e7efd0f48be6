// SPDX-License-Identifier: GPL-3.0-or-later
/// The open model as the window sees it. One of its kernels at a time is what the document works on.
#pragma once

#include "core/graph/compile.h"
#include "core/session/model.h"

#include <QObject>
#include <QStringList>

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace nestwright::document {

class Document;

class Model : public QObject {
    Q_OBJECT
public:
    explicit Model(Document &document, QObject *parent = nullptr);

    bool isOpen() const { return m_model != nullptr; }
    /// Only while open.
    const session::Model &model() const { return *m_model; }
    std::shared_ptr<const session::Model> shared() const { return m_model; }
    /// The kernel that the document works on; -1 while it is none of the model's.
    int kernel() const { return m_kernel; }
    /// The kernel that computes a node, by the node's id; -1 for inputs and constants.
    int kernelOf(std::uint32_t nodeId) const;

    /// Reads a model and opens the kernel that computes most. Ends with `opened`, with `sizesNeeded`, or with the document's
    /// `openFailed`.
    void open(const QString &path, const session::Sizes &sizes = {});
    /// Has the document work on another kernel; what was done on the one before is kept.
    void openKernel(int kernel);

    /// The schedules of all kernels that were worked on, by the kernel's name: as scripts, and as what they give.
    std::map<std::string, std::string> schedules() const;
    graph::Schedules states() const;

Q_SIGNALS:
    /// Another model is open, or none any more.
    void opened();
    void kernelChanged();
    /// The model at `path` cannot be opened before these sizes are known.
    void sizesNeeded(const QString &path, const QStringList &names);

private:
    void
    eachSession(const std::function<void(const std::string &kernel, const session::Session &)> &visit) const;
    void adopt(std::shared_ptr<const session::Model> model);
    void documentOpened();

    Document &m_document;
    std::shared_ptr<const session::Model> m_model;
    std::map<int, session::Session> m_sessions; ///< of kernels worked on before
    int m_kernel = -1;
    std::optional<int> m_opening; ///< the kernel that the document opens for this model
};

} // namespace nestwright::document
