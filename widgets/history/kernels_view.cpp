// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/kernels_view.h"

#include "widgets/look/fonts.h"
#include "widgets/models/kernels_model.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace nestwright::history {

using models::KernelsModel;

namespace {

/// Columns as narrow as their contents: room for the mark of the order only where it stands.
class TightHeader : public QHeaderView {
public:
    explicit TightHeader(QWidget *parent) : QHeaderView(Qt::Horizontal, parent)
    {
        setSectionsClickable(true);
        setHighlightSections(false);
        setMinimumSectionSize(10);
        setFont(look::interfaceFont(11.5));
        setStyleSheet(QStringLiteral("QHeaderView::section { padding: 4px 5px; }"
                                     "QHeaderView::section:first { padding-left: 3px; }"));
        connect(this, &QHeaderView::sortIndicatorChanged, this, [this] { resizeSections(); });
    }

protected:
    QSize sectionSizeFromContents(int section) const override
    {
        QSize size = QHeaderView::sectionSizeFromContents(section);
        const QString text = model()->headerData(section, Qt::Horizontal).toString();
        const int mark = section == sortIndicatorSection() ? 18 : 0;
        size.setWidth(fontMetrics().horizontalAdvance(text) + 14 + mark);
        return size;
    }
};

/// Columns of numbers that do not touch; names have the remaining width, as far as the eye finds its way from
/// one to its numbers.
class SpacedTable : public QTableView {
public:
    SpacedTable(QSortFilterProxyModel *model, QWidget *parent) : QTableView(parent)
    {
        setModel(model);
        setFont(look::codeFont(11.5)); // before columns are measured
        auto *header = new TightHeader(this);
        setHorizontalHeader(header);
        header->setSectionResizeMode(QHeaderView::ResizeToContents);
        header->setSectionResizeMode(KernelsModel::Name, QHeaderView::Fixed);
        connect(header, &QHeaderView::sectionResized, this, [this](int section) {
            if (section != KernelsModel::Name)
                layoutNames();
        });
    }

protected:
    int sizeHintForColumn(int column) const override { return QTableView::sizeHintForColumn(column) + 7; }
    void resizeEvent(QResizeEvent *event) override
    {
        QTableView::resizeEvent(event);
        layoutNames();
    }

private:
    void layoutNames()
    {
        QHeaderView *header = horizontalHeader();
        const int numbers = header->length() - header->sectionSize(KernelsModel::Name);
        header->resizeSection(KernelsModel::Name, std::clamp(viewport()->width() - numbers, 80, 480));
    }
};

QSortFilterProxyModel *sorted(KernelsModel &model, QObject *parent)
{
    auto *made = new QSortFilterProxyModel(parent);
    made->setSourceModel(&model);
    made->setSortRole(KernelsModel::SortRole);
    return made;
}

} // namespace

KernelsView::KernelsView(KernelsModel &model, QWidget *parent)
    : QWidget(parent)
    , m_sorted(sorted(model, this))
    , m_table(new SpacedTable(m_sorted, this))
{
    m_table->setAccessibleName(tr("Kernels of the model"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(KernelsModel::Gain, Qt::DescendingOrder);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(24);
    m_table->setTextElideMode(Qt::ElideMiddle);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 0, 0, 0);
    layout->addWidget(m_table);
    const auto showChange = [this, &model] {
        m_table->setColumnHidden(KernelsModel::Change, !model.showsChange());
    };
    connect(&model, &KernelsModel::modelReset, this, showChange);
    connect(&model, &KernelsModel::dataChanged, this, showChange);
    showChange();
    const auto choose = [this](const QModelIndex &index) {
        if (index.isValid())
            Q_EMIT kernelChosen(index.data(KernelsModel::KernelRole).toInt());
    };
    connect(m_table, &QTableView::clicked, this, choose);
    connect(m_table, &QTableView::activated, this, choose);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, [this, choose](const QPoint &at) {
        choose(m_table->indexAt(at));
        Q_EMIT menuRequested(m_table->viewport()->mapToGlobal(at));
    });
}

void KernelsView::setCurrent(int kernel)
{
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        if (m_sorted->index(row, 0).data(KernelsModel::KernelRole).toInt() != kernel)
            continue;
        m_table->selectRow(row);
        m_table->scrollTo(m_sorted->index(row, 0));
        return;
    }
    m_table->clearSelection();
}

namespace {

/// Columns by their names in saved states: other versions may have others.
constexpr std::array<std::pair<KernelsModel::Column, std::string_view>, KernelsModel::ColumnCount>
    columnNames{{{KernelsModel::Name, "name"},
                 {KernelsModel::Nodes, "nodes"},
                 {KernelsModel::Time, "time"},
                 {KernelsModel::Change, "change"},
                 {KernelsModel::Share, "share"},
                 {KernelsModel::Gflops, "gflops"},
                 {KernelsModel::Peak, "roof"},
                 {KernelsModel::Bound, "bound"},
                 {KernelsModel::Gain, "gain"}}};

} // namespace

QByteArray KernelsView::saveOrder() const
{
    const QHeaderView *header = m_table->horizontalHeader();
    const auto found = std::ranges::find(columnNames, header->sortIndicatorSection(),
                                         [](const auto &each) { return static_cast<int>(each.first); });
    if (found == columnNames.end())
        return {};
    return QByteArray(header->sortIndicatorOrder() == Qt::AscendingOrder ? "+" : "-")
           + QByteArray(found->second.data(), static_cast<qsizetype>(found->second.size()));
}

void KernelsView::restoreOrder(const QByteArray &state)
{
    const auto found = std::ranges::find(columnNames, state.mid(1).toStdString(),
                                         [](const auto &each) { return each.second; });
    if (found != columnNames.end())
        m_table->sortByColumn(found->first, state.startsWith('+') ? Qt::AscendingOrder : Qt::DescendingOrder);
}

} // namespace nestwright::history
