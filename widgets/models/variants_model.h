// SPDX-License-Identifier: GPL-3.0-or-later
/// The variants of the session in the order of their tree, with their measurements.
#pragma once

#include "core/session/history/variant_tree.h"

#include <QAbstractTableModel>

#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace nestwright::document {
class Document;
class Measuring;
class Sealing;
} // namespace nestwright::document

namespace nestwright::models {

using session::VariantId;

/// How good or bad the text of a cell is.
enum class Tone { Plain, Secondary, Good, Warn, Bad };

class VariantsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Step, Time, Gflops, OfPeak, VsFirst, Result, ColumnCount };

    /// Drawn as a graph of versions: a variant goes on in its lane by its first step that was not refused,
    /// other steps are branches one lane to the right, between the two.
    struct Row {
        VariantId id;
        int lane = 0;
        bool isBranch = false;   ///< begins its lane: its parent stands in the lane to the left
        bool goesOn = false;     ///< whether something that hangs on it follows below
        int folds = 0;           ///< steps on the way here that are left out, or could be
        std::vector<bool> lines; ///< per lane to the left: whether its line goes on below this row
    };

    VariantsModel(document::Document &document, document::Measuring &measuring, QObject *parent = nullptr);

    /// Shows the seals too; `sealing` must live as long.
    void showSeals(const document::Sealing &sealing);

    const std::vector<Row> &rows() const { return m_rows; }
    /// The largest lane of a row.
    int lanes() const { return m_lanes; }
    /// -1 where there is none.
    int rowOf(VariantId id) const;
    VariantId idAt(int row) const { return m_rows[static_cast<std::size_t>(row)].id; }
    Tone tone(int row, int column) const;
    bool isCurrent(int row) const;
    bool isRefused(int row) const;
    /// Whether the steps that one action made on the way to the variant have rows of their own.
    bool isUnfolded(int row) const { return m_unfolded.contains(idAt(row)); }
    /// Shows or leaves out the steps on the way to a variant that has any.
    void toggleFold(VariantId id);
    /// Whether anything was measured on the target.
    bool hasFigures() const;
    /// Why its time tells no difference from its parent's, as measure::doubtOf says it; empty where it does.
    std::string_view doubt(int row) const;
    /// Whether it was measured with other arguments than those that are given now.
    bool hasOtherInputs(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    /// Whether the kernel has no operations, so that bytes per second stand for them.
    bool hasOnlyBytes() const;
    void rebuild();
    void refresh();
    void showWay();
    std::vector<VariantId> shownChildren(VariantId id) const;
    const session::Variant &variant(int row) const;
    /// Whether its figures were measured by this program, with the arguments that are given now.
    bool isOfNow(int row) const;
    QString text(int row, int column) const;
    QString resultText(int row) const;
    QString measuredText(int row) const;
    bool isSealed(VariantId id) const;
    bool isUnequal(VariantId id) const;
    QString tip(int row) const;

    document::Document &m_document;
    document::Measuring &m_measuring;
    const document::Sealing *m_sealing = nullptr;
    std::vector<Row> m_rows;
    std::set<VariantId> m_unfolded;        ///< ends of ways whose steps are shown
    std::optional<VariantId> m_shownOnWay; ///< shown only since it is the current one
    int m_lanes = 0;
};

} // namespace nestwright::models
