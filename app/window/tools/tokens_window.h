// SPDX-License-Identifier: GPL-3.0-or-later
/// The open model at work token by token: how long each takes.
#pragma once

#include "widgets/document/work/decoding.h"

#include <QDialog>

class QLabel;
class QSpinBox;

namespace nestwright::charts {
class TokenTimes;
}
namespace nestwright::look {
class Button;
}

namespace nestwright::app {

class TokensWindow : public QDialog {
    Q_OBJECT
public:
    TokensWindow(document::Model &model, QWidget *parent);

    /// For tests.
    document::Decoding &decoding() { return m_decoding; }
    charts::TokenTimes *chart() const { return m_chart; }
    QSpinBox *tokens() const { return m_tokens; }
    look::Button *startButton() const { return m_start; }
    QLabel *summary() const { return m_summary; }

private:
    void startOrStop();
    void showTimes();

    document::Decoding m_decoding;
    QSpinBox *m_tokens;
    look::Button *m_start;
    QLabel *m_summary;
    charts::TokenTimes *m_chart;
    QString m_error;
};

} // namespace nestwright::app
