// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays a run: buttons for its steps, a slider over all of it, and the speed.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

class QLabel;
class QSlider;

namespace nestwright::look {
class Button;
}

namespace nestwright::player {

class TransportBar : public QWidget {
    Q_OBJECT
public:
    explicit TransportBar(QWidget *parent = nullptr);

    /// A run of so many steps, at its first; it takes about 20 s until another speed is chosen.
    void setSteps(qint64 steps);
    qint64 steps() const { return m_steps; }
    qint64 position() const { return m_position; }
    /// Playing goes on from there.
    void setPosition(qint64 position);
    bool isPlaying() const { return m_timer.isActive(); }
    double stepsPerSecond() const;

    /// For tests.
    QSlider *speedSlider() const { return m_speed; }
    QSlider *positionSlider() const { return m_place; }
    look::Button *playButton() const { return m_play; }
    look::Button *forwardButton() const { return m_forward; }

public Q_SLOTS:
    void playOrPause();
    void pause();
    void stepForward();
    void stepBack();
    void restart();
    void toEnd();

Q_SIGNALS:
    void positionChanged(qint64 position);
    void playingChanged(bool plays);

private:
    void advance();
    void showState();

    qint64 m_steps = 0, m_position = 0;
    double m_fraction = 0; ///< of a step, that was played but not made
    QTimer m_timer;
    QElapsedTimer m_clock;
    look::Button *m_restart, *m_back, *m_play, *m_forward;
    QSlider *m_place, *m_speed;
    QLabel *m_text, *m_speedText;
};

} // namespace nestwright::player
