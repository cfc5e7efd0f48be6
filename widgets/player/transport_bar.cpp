// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/player/transport_bar.h"

#include "widgets/look/button.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>
#include <cmath>

namespace nestwright::player {

namespace {

constexpr int frameMilliseconds = 15, speedsPerDecade = 20, speedDecades = 6, sliderPlaces = 10'000;
constexpr double usualSeconds = 20, slowest = 8;

} // namespace

TransportBar::TransportBar(QWidget *parent)
    : QWidget(parent)
    , m_restart(new look::Button(tr("Restart"), this))
    , m_back(new look::Button(tr("Back"), this))
    , m_play(new look::Button(tr("Play"), this, look::Button::Kind::Primary))
    , m_forward(new look::Button(tr("Step"), this))
    , m_place(new QSlider(Qt::Horizontal, this))
    , m_speed(new QSlider(Qt::Horizontal, this))
    , m_text(new QLabel(this))
    , m_speedText(new QLabel(this))
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(frameMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &TransportBar::advance);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    const auto add = [&](look::Button *button, const char *key, void (TransportBar::*act)()) {
        button->setKey(QString::fromUtf8(key));
        row->addWidget(button);
        connect(button, &QPushButton::clicked, this, act);
    };
    add(m_restart, "Home", &TransportBar::restart);
    add(m_back, "←", &TransportBar::stepBack);
    add(m_play, "Space", &TransportBar::playOrPause);
    add(m_forward, "→", &TransportBar::stepForward);
    m_play->setMinimumWidth(m_play->sizeHint().width() + fontMetrics().averageCharWidth() * 3);
    m_place->setRange(0, sliderPlaces);
    m_place->setAccessibleName(tr("Place in the run"));
    row->addWidget(m_place, 1);
    row->addWidget(m_text);
    auto *speed = new QLabel(tr("S&peed"), this);
    speed->setBuddy(m_speed);
    row->addWidget(speed);
    m_speed->setRange(0, speedsPerDecade * speedDecades);
    m_speed->setFixedWidth(120);
    m_speed->setAccessibleName(tr("Steps per second"));
    row->addWidget(m_speed);
    row->addWidget(m_speedText);
    connect(m_place, &QSlider::valueChanged, this, [this](int place) {
        setPosition(std::llround(static_cast<double>(m_steps) * place / sliderPlaces));
    });
    connect(m_speed, &QSlider::valueChanged, this, &TransportBar::showState);
    setSteps(0);
}

double TransportBar::stepsPerSecond() const
{
    return std::pow(10.0, static_cast<double>(m_speed->value()) / speedsPerDecade);
}

void TransportBar::setSteps(qint64 steps)
{
    pause();
    m_steps = steps;
    m_position = 0;
    const double usual = std::max(static_cast<double>(steps) / usualSeconds, slowest);
    m_speed->setValue(static_cast<int>(std::lround(std::log10(usual) * speedsPerDecade)));
    const QString widest = QLocale().toString(steps);
    m_text->setMinimumWidth(fontMetrics().horizontalAdvance(tr("%1 of %2").arg(widest, widest)));
    m_text->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_speedText->setMinimumWidth(
        fontMetrics().horizontalAdvance(tr("%1 /s").arg(QLocale().toString(1'000'000))));
    for (QWidget *each :
         {static_cast<QWidget *>(m_restart), static_cast<QWidget *>(m_back), static_cast<QWidget *>(m_play),
          static_cast<QWidget *>(m_forward), static_cast<QWidget *>(m_place)})
        each->setEnabled(steps > 0);
    showState();
}

void TransportBar::setPosition(qint64 position)
{
    position = std::clamp<qint64>(position, 0, m_steps);
    if (position == m_position)
        return;
    m_position = position;
    showState();
    Q_EMIT positionChanged(m_position);
    if (m_position == m_steps)
        pause();
}

void TransportBar::playOrPause()
{
    if (isPlaying() || m_steps == 0) {
        pause();
        return;
    }
    if (m_position == m_steps)
        restart();
    m_fraction = 0;
    m_clock.start();
    m_timer.start();
    showState();
    Q_EMIT playingChanged(true);
}

void TransportBar::pause()
{
    if (!isPlaying())
        return;
    m_timer.stop();
    showState();
    Q_EMIT playingChanged(false);
}

void TransportBar::advance()
{
    constexpr double longestFrame = 0.1; // seconds, where the machine was busy
    const double seconds = std::min(static_cast<double>(m_clock.nsecsElapsed()) * 1e-9, longestFrame);
    m_clock.start();
    m_fraction += seconds * stepsPerSecond();
    const double whole = std::floor(m_fraction);
    m_fraction -= whole;
    setPosition(m_position + static_cast<qint64>(whole));
}

void TransportBar::stepForward()
{
    pause();
    setPosition(m_position + 1);
}

void TransportBar::stepBack()
{
    pause();
    setPosition(m_position - 1);
}

void TransportBar::restart() { setPosition(0); }

void TransportBar::toEnd() { setPosition(m_steps); }

void TransportBar::showState()
{
    const QSignalBlocker blocker(m_place);
    m_place->setValue(m_steps == 0 ? 0 : static_cast<int>(m_position * sliderPlaces / m_steps));
    const QLocale locale;
    m_text->setText(tr("%1 of %2").arg(locale.toString(m_position), locale.toString(m_steps)));
    m_speedText->setText(tr("%1 /s").arg(locale.toString(std::llround(stepsPerSecond()))));
    m_play->setText(isPlaying() ? tr("Pause") : tr("Play"));
}

} // namespace nestwright::player
