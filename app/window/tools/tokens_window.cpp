// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tools/tokens_window.h"

#include "core/measure/statistics.h"
#include "widgets/charts/scale.h"
#include "widgets/charts/token_times.h"
#include "widgets/document/model.h"
#include "widgets/document/text.h"
#include "widgets/look/button.h"
#include "widgets/look/card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

namespace nestwright::app {

TokensWindow::TokensWindow(document::Model &model, QWidget *parent)
    : QDialog(parent)
    , m_decoding(model)
    , m_tokens(new QSpinBox(this))
    , m_start(new look::Button(tr("Generate"), this, look::Button::Kind::Primary))
    , m_summary(new QLabel(this))
    , m_chart(new charts::TokenTimes(this))
{
    setWindowTitle(tr("Token by token"));
    setAccessibleName(tr("Time per token"));
    resize(860, 480);
    m_tokens->setRange(1, 65536);
    m_tokens->setValue(128);
    m_tokens->setAccessibleName(tr("Tokens"));
    m_tokens->setToolTip(tr("How many tokens are generated, each from all before it"));
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(new QLabel(tr("Tokens"), this));
    row->addWidget(m_tokens);
    row->addWidget(m_start);
    row->addSpacing(8);
    row->addWidget(m_summary, 1);
    auto *card = new look::Card(tr("Time per token"), this);
    card->setContent(m_chart);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->setSpacing(10);
    layout->addLayout(row);
    layout->addWidget(card, 1);
    connect(m_start, &look::Button::clicked, this, &TokensWindow::startOrStop);
    connect(&m_decoding, &document::Decoding::changed, this, &TokensWindow::showTimes);
    connect(&m_decoding, &document::Decoding::failed, this, [this](const support::Diagnostic &diagnostic) {
        m_error = document::toQt(diagnostic.message);
        if (!diagnostic.hint.empty())
            m_error += QStringLiteral(" – ") + document::toQt(diagnostic.hint);
        showTimes();
    });
    showTimes();
}

void TokensWindow::startOrStop()
{
    m_error.clear();
    if (m_decoding.isRunning())
        m_decoding.cancel();
    else
        m_decoding.start(m_tokens->value());
}

void TokensWindow::showTimes()
{
    m_start->setText(m_decoding.isRunning() ? tr("Stop") : tr("Generate"));
    m_tokens->setEnabled(!m_decoding.isRunning());
    const std::vector<double> &seconds = m_decoding.seconds();
    m_chart->setTimes(seconds, m_decoding.expected());
    if (!m_error.isEmpty()) {
        m_summary->setText(m_error);
        return;
    }
    QStringList texts;
    if (!m_decoding.phase().isEmpty())
        texts << m_decoding.phase();
    if (!seconds.empty()) {
        if (const double rate = measure::perSecond(seconds); rate > 0)
            texts << tr("%1 tokens per second").arg(charts::shortNumber(rate));
        texts << tr("%1 ms each").arg(charts::shortNumber(measure::median(seconds) * 1e3));
    }
    if (m_decoding.places() > 0)
        texts << tr("kernels for %1 before it").arg(document::counted(m_decoding.places(), tr("token")));
    m_summary->setText(texts.isEmpty()
                           ? tr("Generates from token 0 on, each time the most likely token. All kernels "
                                "are compiled before the first.")
                           : texts.join(QStringLiteral(" · ")));
}

} // namespace nestwright::app
