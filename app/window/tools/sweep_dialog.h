// SPDX-License-Identifier: GPL-3.0-or-later
/// Gives one number of a step, or two of a branch, other values: the predicted times as a curve or a map,
/// each of them a variant to measure or to go to.
#pragma once

#include "app/present/sweep_page.h"

#include <QDialog>
#include <QTimer>

#include <memory>

class QComboBox;
class QFormLayout;
class QGridLayout;
class QLabel;
class QPushButton;
class QSlider;
class QStackedWidget;

namespace nestwright::document {
class Document;
class Measuring;
} // namespace nestwright::document

namespace nestwright::app {

class SweepDialog : public QDialog {
    Q_OBJECT
public:
    /// `variant` must have a step with numbers (explore::numbersOf).
    SweepDialog(document::Document &document, document::Measuring &measuring, session::VariantId variant,
                QWidget *parent);

    /// For tests.
    charts::RatioMap *map() const { return m_map; }
    const session::SweepGrid *grid() const { return m_grid.get(); }
    const SweepVariants &variants() const { return m_variants; }
    bool isMeasuring() const { return m_isMeasuring; }

private:
    QFormLayout *makeForm();
    QGridLayout *makeSliders();
    QWidget *makeButtons();
    void connectAll();
    /// Offers the other numbers of the branch as the second one.
    void fillSecond();
    std::optional<session::SweptNumber> second() const;
    session::SweptNumber first() const;

    /// Works the programs out off the UI thread, and predicts them.
    void predict();
    void setGrid(std::shared_ptr<const session::SweepGrid> grid);
    std::optional<std::size_t> current() const;
    void select(int point);
    void showPoints();
    void showCurrent();
    void showState();

    void measureAll();
    /// Makes variants of the next programs, few at a time: the tree that shows them grows with each.
    void makeNext();
    void cancelMeasuring();
    void takeRanking(const document::RankedRun &run);
    void use();

    document::Document &m_document;
    document::Measuring &m_measuring;
    session::VariantId m_variant, m_tip;
    std::vector<explore::StepNumber> m_numbers;       ///< of the variant's step
    std::vector<session::SweptNumber> m_others;       ///< of the branch, as the second number offers them
    std::shared_ptr<const session::SweepGrid> m_grid; ///< of one row where there is no second number
    SweepVariants m_variants;
    std::vector<std::size_t> m_toMake; ///< points that are no variants yet, the next one last
    bool m_isMeasuring = false;
    QTimer m_pointsWait; ///< measurements come one by one

    QComboBox *m_number, *m_second;
    QStackedWidget *m_charts;
    charts::SweepCurve *m_curve;
    charts::RatioMap *m_map;
    QLabel *m_acrossLabel, *m_downLabel;
    QSlider *m_across, *m_down;
    QLabel *m_text, *m_result;
    QPushButton *m_measure = nullptr, *m_use = nullptr;
};

} // namespace nestwright::app
