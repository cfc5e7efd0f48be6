// SPDX-License-Identifier: GPL-3.0-or-later
/// The kernels of a model as a table: their costs, and the gain of a better schedule.
#pragma once

#include <QAbstractTableModel>

#include <vector>

namespace nestwright::models {

/// One kernel; times are of all its calls in one run, 0 where nothing was measured.
struct KernelRow {
    int kernel = 0; ///< place in the program
    QString name;
    int nodes = 0;
    double seconds = 0;
    std::optional<double> change; ///< of its time by another schedule: -0.1 where it takes a tenth less
    bool isNoise = false;         ///< the change is within the spread of the same program
    double share = 0;             ///< of the model's time, 0 … 1
    double gflops = 0;
    double peakFraction = 0;  ///< of the roofline for a kernel of this intensity; 0: not known
    bool memoryBound = false; ///< moving its data takes longer than computing; where peakFraction is known
    double gain = 0;          ///< seconds that would be saved if it ran as fast as the machine allows
};

/// "−12 %" for -0.12.
QString percentChange(double fraction);

class KernelsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Nodes, Time, Change, Share, Gflops, Peak, Bound, Gain, ColumnCount };
    enum Role { KernelRole = Qt::UserRole, SortRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<KernelRow> rows);
    /// Whether there is a measurement before the last to compare with.
    bool showsChange() const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant text(const KernelRow &row, int column) const;
    static QVariant number(const KernelRow &row, int column);

    std::vector<KernelRow> m_rows;
};

} // namespace nestwright::models
