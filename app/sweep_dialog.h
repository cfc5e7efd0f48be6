// SPDX-License-Identifier: GPL-3.0-or-later
/// Gives a number of a step other values: the predicted times as a curve, each of them a variant to measure
/// or to go to.
#pragma once

#include "core/session/sweep.h"

#include <QDialog>

#include <memory>

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;

namespace nestwright::charts {
class SweepCurve;
}
namespace nestwright::document {
class Document;
class Measuring;
} // namespace nestwright::document

namespace nestwright::app {

class SweepDialog : public QDialog {
    Q_OBJECT
public:
    /// Of a variant whose step has numbers (explore::numbersOf).
    SweepDialog(document::Document &document, document::Measuring &measuring, session::VariantId variant,
                QWidget *parent);

private:
    using Points = std::vector<session::SweepPoint>;

    /// Works the programs out off the UI thread, and predicts them.
    void predict();
    void showPoints();
    void showCurrent();
    void measureAll();
    void use();
    const session::SweepPoint *current() const;

    document::Document &m_document;
    document::Measuring &m_measuring;
    session::VariantId m_variant, m_tip;
    std::vector<explore::StepNumber> m_numbers;
    std::shared_ptr<const Points> m_points;
    std::vector<session::VariantId> m_made; ///< by point, once there are variants of them
    QComboBox *m_number;
    charts::SweepCurve *m_curve;
    QSlider *m_slider;
    QLabel *m_text;
    QPushButton *m_measure, *m_use;
};

} // namespace nestwright::app
