// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/node_panel.h"

#include "widgets/document/model.h"
#include "widgets/document/work/model_results.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/button.h"
#include "widgets/look/fonts.h"
#include "widgets/look/icons.h"
#include "widgets/look/tokens.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace nestwright::app {

NodePanel::NodePanel(jobs::JobRunner &jobs, document::Model &model, document::ModelResults &results,
                     QWidget *parent)
    : QWidget(parent)
    , m_jobs(jobs)
    , m_model(model)
    , m_results(results)
    , m_page(new QTextBrowser(this))
{
    setMinimumHeight(120);
    m_page->setStyleSheet(QStringLiteral("QTextBrowser { border: none; }"));
    m_page->setOpenLinks(false);
    m_page->setFont(look::interfaceFont(11.5));
    m_page->document()->setDocumentMargin(12);
    m_page->setAccessibleName(tr("The selected node"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 1, 0, 0);
    layout->addWidget(m_page);
    auto *close = new look::Button(QString(), m_page, look::Button::Kind::Quiet);
    close->setIcon(look::icon(QStringLiteral("close")));
    close->setAccessibleName(tr("Close"));
    close->setToolTip(tr("Close (Ctrl+I)"));
    auto *corner = new QVBoxLayout(m_page);
    corner->setContentsMargins(0, 6, 16, 0);
    corner->addWidget(close, 0, Qt::AlignTop | Qt::AlignRight);
    connect(close, &QPushButton::clicked, this, &NodePanel::closed);
    connect(m_page, &QTextBrowser::anchorClicked, this, &NodePanel::follow);
    connect(&m_model, &document::Model::opened, this, [this] { m_facts.weights.clear(); });
    connect(&m_results, &document::ModelResults::changed, this, [this] {
        m_facts.results = m_results.known();
        m_facts.isRunning = m_results.isRunning();
        fill();
        if (m_facts.isRunning || !m_facts.results.empty())
            m_page->scrollToAnchor(resultAnchor);
    });
}

void NodePanel::follow(const QUrl &link)
{
    const int number = link.path().toInt();
    if (link.scheme() == u"kernel")
        Q_EMIT kernelWanted(number);
    else if (link.scheme() == u"node")
        Q_EMIT nodeWanted(number);
    else if (link.scheme() == u"results")
        m_results.find();
    else
        Q_EMIT saveWanted(nameOf(m_model.model(), m_node));
}

void NodePanel::setNode(int node)
{
    const bool other = node != m_node;
    m_node = node;
    fill();
    if (other)
        m_page->verticalScrollBar()->setValue(0);
    findStatistics();
}

void NodePanel::setTime(const std::optional<document::ModelTime> &time)
{
    m_facts.time = time;
    fill();
}

QString NodePanel::text() const { return m_page->toPlainText(); }

void NodePanel::fill()
{
    QString page;
    if (m_model.isOpen())
        page = nodePage(m_model.model(), m_node, m_facts, look::tokens(this));
    if (page.isEmpty())
        page = tr("Select a node to see its operator, types and weights.");
    const int scrolled = m_page->verticalScrollBar()->value();
    m_page->setHtml(page);
    m_page->verticalScrollBar()->setValue(scrolled);
}

void NodePanel::findStatistics()
{
    if (!isVisible() || !m_model.isOpen())
        return;
    std::vector<std::shared_ptr<const ir::NdArray>> missing;
    for (const Weights &weights : weightsOf(m_model.model(), m_node)) {
        if (!m_facts.weights.contains(weights.data.get()))
            missing.push_back(weights.data);
    }
    if (missing.empty())
        return;
    m_jobs.run(
        QStringLiteral("weights"), this,
        [missing](const jobs::Job &job) {
            WeightStatistics found;
            for (const auto &weights : missing) {
                if (job.stopToken().stop_requested())
                    break;
                found.emplace(weights.get(), graph::statisticsOf(*weights));
            }
            return found;
        },
        [this, model = m_model.shared()](const std::shared_ptr<const WeightStatistics> &found) {
            if (model != m_model.shared())
                return;
            m_facts.weights.insert(found->begin(), found->end());
            fill();
        });
}

void NodePanel::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        fill(); // its colours are those of the theme
}

void NodePanel::paintEvent(QPaintEvent *)
{
    QPainter(this).fillRect(0, 0, width(), 1, look::tokens(this).hairline);
}

void NodePanel::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    findStatistics();
}

void NodePanel::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        Q_EMIT closed();
    else
        QWidget::keyPressEvent(event);
}

} // namespace nestwright::app
