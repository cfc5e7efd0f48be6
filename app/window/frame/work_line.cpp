// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/frame/work_line.h"

#include "widgets/document/command_registry.h"
#include "widgets/document/document.h"
#include "widgets/document/work/measuring.h"
#include "widgets/document/work/model_measuring.h"
#include "widgets/document/work/model_results.h"
#include "widgets/document/work/step_searching.h"
#include "widgets/look/fonts.h"
#include "widgets/look/link_button.h"
#include "widgets/look/tokens.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QTimer>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace nestwright::app {

namespace {
constexpr int glanceMs = 300;  // work that is shorter is not told
constexpr int noticeMs = 5000; // how long it stays
constexpr int progressHeight = 2;
} // namespace

WorkLine::WorkLine(document::Document &document, document::Measuring &measuring,
                   document::ModelMeasuring &modelMeasuring, document::ModelResults &results,
                   document::StepSearching &searching, document::CommandRegistry &commands, QWidget *parent)
    : QWidget(parent)
    , m_document(document)
    , m_measuring(measuring)
    , m_modelMeasuring(modelMeasuring)
    , m_results(results)
    , m_searching(searching)
    , m_commands(commands)
    , m_label(new QLabel(this))
    , m_link(new look::LinkButton({}, this))
    , m_clock(new QTimer(this))
    , m_notice(new QTimer(this))
{
    setAccessibleName(tr("Work in progress"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    m_label->setFont(look::interfaceFont(12));
    m_label->setProperty("role", "secondary");
    m_label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_label, 1);
    row->addWidget(m_link);
    m_link->setObjectName(QStringLiteral("toolbar.cancel"));
    m_clock->setInterval(glanceMs);
    m_notice->setSingleShot(true);
    m_notice->setInterval(noticeMs);
    connect(m_clock, &QTimer::timeout, this, &WorkLine::showWork);
    connect(m_notice, &QTimer::timeout, this, [this] {
        m_run = nullptr;
        showWork();
    });
    connect(m_link, &QAbstractButton::clicked, this, [this] {
        if (const auto run = std::exchange(m_run, nullptr)) {
            m_notice->stop();
            showWork();
            run();
        } else if (const std::optional<Work> now = work()) {
            m_commands.trigger(now->cancel);
        }
    });
    connect(&document, &document::Document::busyChanged, this, &WorkLine::showWork);
    connect(&measuring, &document::Measuring::changed, this, &WorkLine::showWork);
    connect(&modelMeasuring, &document::ModelMeasuring::changed, this, &WorkLine::showWork);
    connect(&results, &document::ModelResults::changed, this, &WorkLine::showWork);
    connect(&searching, &document::StepSearching::changed, this, &WorkLine::showWork);
    write({}, {});
}

std::optional<WorkLine::Work> WorkLine::work() const
{
    const QString measuring = QStringLiteral("measure.cancel");
    if (m_document.isBusy()) {
        QString name =
            m_document.opening().isEmpty() ? tr("working") : tr("opening %1").arg(m_document.opening());
        if (const QString phase = m_document.openingPhase(); !phase.isEmpty())
            name += QStringLiteral(" · ") + phase;
        return Work{name, 0, QStringLiteral("file.stopOpening")};
    }
    if (m_measuring.isRunning()) {
        QString name = m_measuring.phase() + u' '
                       + QString::fromStdString(m_document.tree().at(*m_measuring.current()).label);
        if (m_measuring.waiting() > 0)
            name = tr("%1 waiting · %2").arg(m_measuring.waiting()).arg(name);
        return Work{name, m_measuring.fraction(), measuring};
    }
    if (m_modelMeasuring.isRunning())
        return Work{tr("model: %1").arg(m_modelMeasuring.phase()), m_modelMeasuring.fraction(), measuring};
    if (m_results.isRunning())
        return Work{tr("running the model"), 0, measuring};
    if (m_searching.isRunning())
        return Work{tr("looking for the step · %1").arg(m_searching.phase()), 0,
                    QStringLiteral("history.stopSearch")};
    return {};
}

void WorkLine::tell(const QString &text, const QString &link, std::function<void()> run)
{
    m_run = std::move(run);
    m_notice->start();
    m_fraction = 0;
    write(text, link);
}

void WorkLine::tellWritten(const QString &done, const QString &path)
{
    tell(tr("%1 %2").arg(done, QFileInfo(path).fileName()), tr("Show folder"),
         [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
}

void WorkLine::showWork()
{
    const std::optional<Work> now = work();
    if (!now) {
        m_clock->stop();
    } else if (!m_clock->isActive()) {
        m_since.start();
        m_clock->start();
    }
    if (m_notice->isActive() || m_run)
        return;
    if (!now || (now->fraction <= 0 && m_since.elapsed() < glanceMs))
        return write({}, {});
    m_fraction = now->fraction;
    QString text = tr("%1 s · %2").arg(m_since.elapsed() / 1000).arg(now->name);
    if (now->fraction > 0)
        text = tr("%1 % · %2").arg(static_cast<int>(now->fraction * 100)).arg(text);
    write(text, tr("Cancel"));
}

void WorkLine::write(const QString &text, const QString &link)
{
    m_whole = text;
    m_label->setToolTip(text);
    m_link->setText(link);
    m_link->setVisible(!link.isEmpty());
    setVisible(!text.isEmpty());
    elide();
    update();
}

void WorkLine::elide()
{
    const int room = width() - (m_link->isHidden() ? 0 : m_link->sizeHint().width() + layout()->spacing());
    m_label->setText(m_label->fontMetrics().elidedText(m_whole, Qt::ElideRight, std::max(0, room)));
}

void WorkLine::enterEvent(QEnterEvent *event)
{
    QWidget::enterEvent(event);
    m_notice->stop();
}

void WorkLine::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    if (m_run)
        m_notice->start();
}

void WorkLine::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    elide();
}

void WorkLine::paintEvent(QPaintEvent *)
{
    if (m_fraction <= 0)
        return;
    QPainter painter(this);
    const look::Tokens &t = look::tokens(this);
    const QRect bar(0, height() - progressHeight, width(), progressHeight);
    painter.fillRect(bar, t.hairline);
    painter.fillRect(QRect(bar.topLeft(), QSize(static_cast<int>(width() * m_fraction), progressHeight)),
                     t.accent);
}

} // namespace nestwright::app
