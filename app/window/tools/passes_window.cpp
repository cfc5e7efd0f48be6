// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/passes_window.h"

#include "app/present/graph_pages.h"
#include "core/graph/passes/change.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/document/document.h"
#include "widgets/document/model.h"
#include "widgets/document/text.h"
#include "widgets/jobs/job_runner.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"
#include "widgets/look/fonts.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::app {

using document::toQt;

namespace {

enum PassColumn { Pass, Change, Time, ColumnCount };
constexpr double readableScale = 0.6;
const QString jobKey = QStringLiteral("passes");

/// "−26 +52 ±26"; "–" where nothing changed.
QString changeText(const graph::GraphChange &change)
{
    QStringList parts;
    const auto add = [&](const char *sign, std::size_t count) {
        if (count > 0)
            parts << QString::fromUtf8(sign) + QString::number(count);
    };
    add("−", change.removed.size());
    add("+", change.added.size());
    add("±", change.changed.size());
    return parts.isEmpty() ? QStringLiteral("–") : parts.join(u' ');
}

QString nodesText(const graph::Function &function)
{
    const auto count = std::ranges::count_if(function.nodes, [](const graph::Node &node) {
        return !node.isConstant() && node.kind != graph::NodeKind::Input;
    });
    return document::counted(static_cast<int>(count), PassesWindow::tr("node"));
}

/// Shows the first change, where a graph is too large to be read as a whole.
void showFirstChange(canvas::GraphCanvas &canvas)
{
    const std::vector<canvas::GraphNode> &nodes = canvas.graph().nodes;
    const auto changed = std::ranges::find_if(
        nodes, [](const canvas::GraphNode &node) { return node.mark != canvas::NodeMark::None; });
    if (changed == nodes.end() || canvas.zoom() >= readableScale)
        return;
    canvas.zoomTo(readableScale);
    canvas.reveal(changed->id);
}

/// The graph between the passes before a row of the table and those behind it.
const graph::Function &graphAt(const std::vector<graph::GraphPassRecord> &records, int row)
{
    const graph::Function *function = &records.front().before;
    for (const graph::GraphPassRecord &record : records) {
        const auto place = std::ranges::find(graph::graphPasses(), record.name, &graph::GraphPass::name);
        if (place - graph::graphPasses().begin() > row)
            break;
        function = &record.after;
    }
    return *function;
}

/// The node of `to` that is the node `id` of `from`, is its group, or is one of its members; -1: none.
int counterpart(const graph::Function &from, const graph::Function &to, int id)
{
    const graph::NodeId wanted{static_cast<std::uint32_t>(id)};
    const auto contains = [](const graph::Node &node, graph::NodeId inner) {
        return node.function && std::ranges::contains(node.function->nodes, inner, &graph::Node::id);
    };
    int found = -1;
    for (const graph::Node &node : to.nodes) {
        if (node.id == wanted)
            return id;
        if (contains(node, wanted))
            found = static_cast<int>(node.id.value);
    }
    const auto group = std::ranges::find(from.nodes, wanted, &graph::Node::id);
    if (found >= 0 || group == from.nodes.end())
        return found;
    for (const graph::Node &node : to.nodes) {
        if (contains(*group, node.id))
            found = static_cast<int>(node.id.value);
    }
    return found;
}

} // namespace

PassesWindow::PassesWindow(jobs::JobRunner &jobs, document::Model &model, QWidget *parent)
    : QDialog(parent)
    , m_jobs(jobs)
    , m_model(model)
    , m_levels(new QComboBox(this))
    , m_list(new QTreeWidget(this))
    , m_note(new QLabel(this))
    , m_apply(new look::Button(tr("Apply to the model"), this, look::Button::Kind::Primary))
    , m_listCard(new look::Card(tr("Passes"), this))
    , m_beforeCard(new look::Card(tr("Before"), this))
    , m_afterCard(new look::Card(tr("After"), this))
    , m_before(new canvas::GraphCanvas(jobs))
    , m_after(new canvas::GraphCanvas(jobs))
{
    setWindowTitle(tr("Passes"));
    setAccessibleName(tr("Passes over the model"));
    resize(1320, 760);
    auto *left = new QWidget(this);
    makeList(left);
    m_note->hide();
    m_beforeCard->setContent(m_before);
    m_afterCard->setContent(m_after);
    auto *graphs = new QSplitter(this);
    graphs->setHandleWidth(8);
    graphs->setChildrenCollapsible(false);
    graphs->addWidget(m_beforeCard);
    graphs->addWidget(m_afterCard);
    graphs->setSizes({1, 1});
    auto *all = new QSplitter(this);
    all->setHandleWidth(8);
    all->setChildrenCollapsible(false);
    all->addWidget(left);
    all->addWidget(graphs);
    all->setStretchFactor(1, 1);
    all->setSizes({400, 900});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->addWidget(all);
    connect(m_before, &canvas::GraphCanvas::nodeClicked, this,
            [this](int id) { m_after->reveal(counterpart(m_shown.before, m_shown.after, id)); });
    connect(m_after, &canvas::GraphCanvas::nodeClicked, this,
            [this](int id) { m_before->reveal(counterpart(m_shown.after, m_shown.before, id)); });
    for (canvas::GraphCanvas *canvas : {m_before, m_after})
        connect(canvas, &canvas::GraphCanvas::laidOut, this, [canvas] { showFirstChange(*canvas); });
    connect(&m_model, &document::Model::opened, this, &PassesWindow::takeModel);
    takeModel();
}

void PassesWindow::makeList(QWidget *parent)
{
    auto *layout = new QVBoxLayout(parent);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto *row = new QHBoxLayout;
    auto *label = new QLabel(tr("Optimisation"), parent);
    label->setBuddy(m_levels);
    for (const QString &text : {tr("0 · none"), tr("1 · fusion"), tr("2 · folding too"), tr("3 · all")})
        m_levels->addItem(text);
    m_levels->setAccessibleName(tr("Level of optimisation"));
    row->addWidget(label);
    row->addWidget(m_levels, 1);
    layout->addLayout(row);
    m_list->setColumnCount(ColumnCount);
    m_list->setHeaderLabels({tr("pass"), tr("nodes"), tr("ms")});
    m_list->headerItem()->setToolTip(Change, tr("Nodes that it removed (−), added (+) and changed (±)"));
    m_list->headerItem()->setTextAlignment(Time, Qt::AlignRight | Qt::AlignVCenter);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAccessibleName(tr("Passes in the order in which they run"));
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(Pass, QHeaderView::Stretch);
    m_listCard->setContent(m_list);
    layout->addWidget(m_listCard, 1);
    m_note->setWordWrap(true);
    m_note->setProperty("role", "secondary");
    layout->addWidget(m_note);
    layout->addWidget(m_apply, 0, Qt::AlignLeft);
    for (const graph::GraphPass &pass : graph::graphPasses()) {
        auto *item = new QTreeWidgetItem(m_list, {toQt(pass.name)});
        const QString when = pass.level < m_levels->count() ? tr("From level %1 on").arg(pass.level)
                                                            : tr("Runs only where it is switched on");
        item->setToolTip(Pass, document::sentence(std::string(pass.summary)) + u'\n' + when);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setTextAlignment(Time, Qt::AlignRight | Qt::AlignVCenter);
    }
    connect(m_levels, &QComboBox::currentIndexChanged, this, [this](int level) {
        m_settings.level = level;
        m_settings.required.clear();
        m_settings.disabled.clear();
        settingsChanged();
    });
    connect(m_list, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem *item, int column) {
        if (column != Pass || m_filling)
            return;
        const graph::GraphPass &pass =
            graph::graphPasses()[static_cast<std::size_t>(m_list->indexOfTopLevelItem(item))];
        const std::string name(pass.name);
        const bool on = item->checkState(Pass) == Qt::Checked, byLevel = pass.level <= m_settings.level;
        m_settings.required.erase(name);
        m_settings.disabled.erase(name);
        if (on != byLevel)
            (on ? m_settings.required : m_settings.disabled).insert(name);
        settingsChanged();
    });
    connect(m_list, &QTreeWidget::currentItemChanged, this,
            [this](QTreeWidgetItem *item) { showPass(m_list->indexOfTopLevelItem(item)); });
    connect(m_apply, &QPushButton::clicked, this, [this] { m_model.reopen(m_settings); });
}

void PassesWindow::takeModel()
{
    if (!m_model.isOpen()) {
        close();
        return;
    }
    setWindowTitle(tr("Passes · %1").arg(QString::fromStdString(m_model.model().name)));
    m_settings = m_model.model().settings;
    settingsChanged();
}

void PassesWindow::settingsChanged()
{
    m_filling = true;
    const QSignalBlocker blocker(m_levels);
    m_levels->setCurrentIndex(m_settings.level);
    const graph::PassContext context{m_settings.level, m_settings.required, m_settings.disabled, false, {}};
    for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
        const bool on = context.runs(graph::graphPasses()[static_cast<std::size_t>(row)]);
        m_list->topLevelItem(row)->setCheckState(Pass, on ? Qt::Checked : Qt::Unchecked);
    }
    m_filling = false;
    m_apply->setEnabled(m_settings != m_model.model().settings);
    run();
}

void PassesWindow::run()
{
    m_jobs.run(
        jobKey, this,
        [path = m_model.model().path, settings = m_settings](const jobs::Job &job) {
            return session::passRecords(path, settings, job.stopToken());
        },
        [this](const std::shared_ptr<const support::Result<Records>> &records) {
            m_records = records;
            takeRecords(*records);
        });
}

void PassesWindow::takeRecords(const support::Result<Records> &records)
{
    if (!records) {
        m_note->setText(document::sentence(records.error().message));
        m_note->show();
        return;
    }
    m_filling = true;
    int mostWork = -1;
    std::size_t most = 0;
    for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
        QTreeWidgetItem *item = m_list->topLevelItem(row);
        const std::string_view name = graph::graphPasses()[static_cast<std::size_t>(row)].name;
        const auto record = std::ranges::find(*records, name, &graph::GraphPassRecord::name);
        if (record == records->end()) {
            item->setText(Change, {});
            item->setText(Time, {});
            continue;
        }
        const graph::GraphChange change = graph::changeOf(record->before, record->after);
        item->setText(Change, changeText(change));
        item->setText(Time, QString::number(record->micros * 1e-3, 'f', 2));
        const std::size_t work = change.removed.size() + change.added.size() + change.changed.size();
        if (work > most) {
            most = work;
            mostWork = row;
        }
    }
    for (int row = 0; row < m_list->topLevelItemCount(); ++row) {
        QTreeWidgetItem *item = m_list->topLevelItem(row);
        for (const int column : {Change, Time}) // of a pass that did not run they are empty
            item->setData(column, Qt::AccessibleTextRole,
                          item->text(column).isEmpty() ? tr("did not run") : item->text(column));
    }
    m_filling = false;
    m_note->setText(records->empty() ? tr("No pass runs: the graph stays as the model has it.") : QString());
    m_note->setVisible(records->empty());
    m_listCard->header()->setSecondary(records->empty()
                                           ? QString()
                                           : QStringLiteral("%1 → %2").arg(nodesText(records->front().before),
                                                                           nodesText(records->back().after)));
    if (!m_list->currentItem() && mostWork >= 0)
        m_list->setCurrentItem(m_list->topLevelItem(mostWork));
    else
        showPass(m_list->indexOfTopLevelItem(m_list->currentItem()));
}

void PassesWindow::showPass(int row)
{
    if (!m_records || !*m_records || row < 0)
        return;
    const Records &records = **m_records;
    const std::string_view name = graph::graphPasses()[static_cast<std::size_t>(row)].name;
    const auto record = std::ranges::find(records, name, &graph::GraphPassRecord::name);
    const bool runs = record != records.end();
    if (runs || records.empty())
        m_shown = runs ? *record : graph::GraphPassRecord();
    else // the graph as it is where the pass would run
        m_shown.before = m_shown.after = graphAt(records, row);
    auto [before, after] = graphsOf(m_shown);
    m_before->setGraph(std::move(before), canvas::GraphCanvas::Anew);
    m_after->setGraph(std::move(after), canvas::GraphCanvas::Anew);
    m_beforeCard->header()->setTitle(tr("Before %1").arg(toQt(name)));
    m_afterCard->header()->setTitle(runs ? tr("After %1").arg(toQt(name))
                                         : tr("%1 does not run").arg(toQt(name)));
    m_beforeCard->header()->setSecondary(nodesText(m_shown.before));
    m_afterCard->header()->setSecondary(nodesText(m_shown.after));
}

} // namespace nestwright::app
