// SPDX-License-Identifier: GPL-3.0-or-later
/// The panel below the canvas: all there is to say of the selected node of a model.
#pragma once

#include "app/present/node_page.h"

#include <QWidget>

#include <optional>

class QTextBrowser;
class QUrl;

namespace nestwright::document {
class Model;
class ModelResults;
} // namespace nestwright::document
namespace nestwright::jobs {
class JobRunner;
}

namespace nestwright::app {

class NodePanel : public QWidget {
    Q_OBJECT
public:
    NodePanel(jobs::JobRunner &jobs, document::Model &model, document::ModelResults &results,
              QWidget *parent = nullptr);

    QSize sizeHint() const override { return {240, 230}; }

    /// Shows the node with that id; -1: none.
    void setNode(int node);
    void setTime(const std::optional<document::ModelTime> &time);
    QString text() const;
    QTextBrowser *page() const { return m_page; }

Q_SIGNALS:
    void nodeWanted(int node);
    void kernelWanted(int kernel);
    /// The node's result is to be written to a file.
    void saveWanted(const QString &name);
    void closed();

protected:
    void changeEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void fill();
    void follow(const QUrl &link);
    void findStatistics();

    jobs::JobRunner &m_jobs;
    document::Model &m_model;
    document::ModelResults &m_results;
    QTextBrowser *m_page;
    int m_node = -1;
    ModelFacts m_facts; ///< of the open model
};

} // namespace nestwright::app
