// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/transfer_settings.h"

#include "core/measure/machine/topology.h"
#include "core/target/kinds.h"
#include "widgets/document/text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace nestwright::app {

using document::toQt;

TransferSettings::TransferSettings(QWidget *parent)
    : QWidget(parent)
    , m_schedules(new QComboBox(this))
    , m_shapes(new QTableWidget(this))
    , m_add(new QPushButton(tr("Add"), this))
    , m_remove(new QPushButton(tr("Remove"), this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    const auto label = [&](const QString &text, QWidget *buddy) {
        auto *made = new QLabel(text, this);
        made->setBuddy(buddy);
        layout->addWidget(made);
    };
    label(tr("S&chedule"), m_schedules);
    m_schedules->setAccessibleName(tr("Schedule"));
    m_schedules->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    layout->addWidget(m_schedules);
    label(tr("S&hapes"), m_shapes);
    m_shapes->setTabKeyNavigation(false); // Tab leaves it, arrows go through it
    m_shapes->setAccessibleName(tr("Shapes"));
    m_shapes->verticalHeader()->hide();
    m_shapes->setSelectionMode(QAbstractItemView::SingleSelection);
    layout->addWidget(m_shapes, 1);
    auto *row = new QHBoxLayout;
    row->addWidget(m_add);
    row->addWidget(m_remove);
    row->addStretch(1);
    layout->addLayout(row);
    const auto boxes = [&](const QString &title) {
        layout->addWidget(new QLabel(title, this));
        auto *line = new QHBoxLayout;
        line->setSpacing(14);
        layout->addLayout(line);
        return line;
    };
    QHBoxLayout *threads = boxes(tr("Threads"));
    std::set<int> counts{1, measure::usableThreads()};
    for (int count = 2; count < measure::usableThreads() && counts.size() < 5; count *= 2)
        counts.insert(count);
    for (const int count : counts) {
        auto *box = new QCheckBox(QString::number(count), this);
        box->setAccessibleName(document::counted(count, tr("thread")));
        box->setChecked(count == measure::usableThreads());
        threads->addWidget(box);
        m_threads.emplace_back(box, count);
        connect(box, &QCheckBox::toggled, this, &TransferSettings::changed);
    }
    threads->addStretch(1);
    QHBoxLayout *targets = boxes(tr("Targets"));
    for (const target::Kind &kind : target::kinds()) {
        auto *box = new QCheckBox(document::toQt(kind.name), this);
        box->setChecked(&kind == &target::kinds().front());
        targets->addWidget(box);
        m_targets.emplace_back(box, kind.name);
        connect(box, &QCheckBox::toggled, this, &TransferSettings::changed);
    }
    targets->addStretch(1);
    connect(m_add, &QPushButton::clicked, this, [this] {
        const auto before = shapes();
        addShape(before.empty() ? session::KernelSizes() : before.back());
        m_shapes->setCurrentCell(m_shapes->rowCount() - 1, 0);
        showRemove();
    });
    connect(m_remove, &QPushButton::clicked, this, &TransferSettings::removeShape);
}

void TransferSettings::setSchedules(const QString &steps, const QStringList &recipes)
{
    m_schedules->clear();
    m_schedules->addItem(steps);
    for (const QString &recipe : recipes)
        m_schedules->addItem(tr("recipe %1").arg(recipe), recipe);
}

QString TransferSettings::recipe() const { return m_schedules->currentData().toString(); }

QString TransferSettings::whyNot() const
{
    const auto isChecked = [](const auto &each) { return each.first->isChecked(); };
    if (std::ranges::none_of(m_targets, isChecked))
        return tr("Tick a target first.");
    if (std::ranges::none_of(m_threads, isChecked))
        return tr("Tick a number of threads first.");
    return m_shapes->rowCount() == 0 ? tr("Add a shape first.") : QString();
}

std::vector<target::Target> TransferSettings::targets() const
{
    std::vector<int> threads;
    for (const auto &[box, count] : m_threads) {
        if (box->isChecked())
            threads.push_back(count);
    }
    std::vector<target::Target> wanted;
    for (const auto &[box, name] : m_targets) {
        if (!box->isChecked())
            continue;
        const target::Target target = *target::parseTarget(name);
        const std::vector<target::Target> each =
            target.isGpu() ? std::vector{target} : session::withThreads({target}, threads);
        wanted.insert(wanted.end(), each.begin(), each.end());
    }
    return wanted;
}

void TransferSettings::showRemove()
{
    m_remove->setEnabled(m_shapes->rowCount() > 1);
    Q_EMIT changed();
}

void TransferSettings::setSizes(const session::KernelSizes &sizes)
{
    m_shapes->clear();
    m_shapes->setRowCount(0);
    m_shapes->setColumnCount(0);
    m_remove->setEnabled(false);
    m_add->setEnabled(!sizes.empty());
    if (sizes.empty()) {
        m_shapes->setRowCount(1);
        Q_EMIT changed();
        return;
    }
    QStringList names;
    for (const auto &[name, size] : sizes)
        names << toQt(name);
    m_shapes->setColumnCount(static_cast<int>(names.size()));
    m_shapes->setHorizontalHeaderLabels(names);
    m_shapes->horizontalHeader()->setDefaultSectionSize(names.size() > 4 ? 84 : 72);
    addShape(sizes);
    session::KernelSizes halves = sizes;
    constexpr std::int64_t leastHalved = 64;
    for (auto &[name, size] : halves) {
        if (size >= leastHalved && size % 2 == 0)
            size /= 2;
    }
    if (halves != sizes)
        addShape(halves);
    showRemove();
}

void TransferSettings::addShape(const session::KernelSizes &sizes)
{
    const int row = m_shapes->rowCount();
    m_shapes->insertRow(row);
    for (int column = 0; column < m_shapes->columnCount(); ++column) {
        const auto known = sizes.find(m_shapes->horizontalHeaderItem(column)->text().toStdString());
        auto *item = new QTableWidgetItem(known == sizes.end() ? QString() : QString::number(known->second));
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_shapes->setItem(row, column, item);
    }
}

void TransferSettings::removeShape()
{
    if (m_shapes->rowCount() > 1)
        m_shapes->removeRow(m_shapes->currentRow() < 0 ? m_shapes->rowCount() - 1 : m_shapes->currentRow());
    showRemove();
}

std::vector<session::KernelSizes> TransferSettings::shapes() const
{
    std::vector<session::KernelSizes> shapes;
    for (int row = 0; row < m_shapes->rowCount(); ++row) {
        session::KernelSizes sizes;
        for (int column = 0; column < m_shapes->columnCount(); ++column) {
            const QTableWidgetItem *item = m_shapes->item(row, column);
            bool isNumber = false;
            const qint64 size = item ? item->text().trimmed().toLongLong(&isNumber) : 0;
            if (isNumber)
                sizes[m_shapes->horizontalHeaderItem(column)->text().toStdString()] = size;
        }
        shapes.push_back(std::move(sizes));
    }
    return shapes;
}

} // namespace nestwright::app
