// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dialogs/recovery_dialog.h"

#include "widgets/document/plain_tip.h"
#include "widgets/look/button.h"
#include "widgets/look/fonts.h"
#include "widgets/look/label.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::app {

using document::LeftBehind;

namespace {

constexpr int sessionHeight = 56, mostSessions = 6, recoveryDialogWidth = 560;

QString sessionTitle(const LeftBehind &left)
{
    if (!left.sessionOrigin.path.isEmpty())
        return QFileInfo(left.sessionOrigin.path).fileName();
    return left.title.isEmpty() ? RecoveryDialog::tr("Session without a name") : left.title;
}

} // namespace

QString keptWhen(const LeftBehind &left)
{
    const QString time = QLocale().toString(left.when.time(), QStringLiteral("HH:mm"));
    const qint64 days = left.when.date().daysTo(QDate::currentDate());
    if (days == 0)
        return RecoveryDialog::tr("today at %1").arg(time);
    if (days == 1)
        return RecoveryDialog::tr("yesterday at %1").arg(time);
    return RecoveryDialog::tr("on %1 at %2")
        .arg(QLocale().toString(left.when.date(), QLocale::ShortFormat), time);
}

RecoveryDialog::RecoveryDialog(const std::vector<LeftBehind> &left, QWidget *parent)
    : QDialog(parent)
    , m_left(static_cast<int>(left.size()))
{
    setWindowTitle(tr("Recover sessions"));
    setFixedWidth(recoveryDialogWidth);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(12);
    auto *text =
        new QLabel(left.empty() ? tr("Earlier runs left nothing behind: all that was open is saved.")
                                : tr("These were open in earlier runs. Restoring one keeps the others here."),
                   this);
    text->setWordWrap(true);
    layout->addWidget(text);

    auto *list = new QWidget;
    m_rows = new QVBoxLayout(list);
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(0);
    for (const LeftBehind &each : left)
        m_rows->addWidget(row(each));
    auto *scroll = new QScrollArea(this);
    scroll->setFocusPolicy(Qt::NoFocus); // what is in it has the focus, and brings itself into view
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(list);
    scroll->setFixedHeight(sessionHeight * std::clamp(m_left, 1, mostSessions));
    scroll->setVisible(m_left > 0);
    layout->addWidget(scroll);

    auto *buttons = new QDialogButtonBox(this);
    auto *later = new look::Button(left.empty() ? tr("Close") : tr("Later"), this);
    buttons->addButton(later, QDialogButtonBox::RejectRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
}

QWidget *RecoveryDialog::row(const LeftBehind &left)
{
    auto *row = new QWidget;
    row->setFixedHeight(sessionHeight);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 4, 8, 4);
    layout->setSpacing(8);
    auto *texts = new QVBoxLayout;
    texts->setSpacing(2);
    auto *title = look::plainLabel({}, look::interfaceFont(12.5, QFont::DemiBold), "title", row);
    constexpr int textWidth = recoveryDialogWidth - 220; // without the buttons
    title->setText(title->fontMetrics().elidedText(sessionTitle(left), Qt::ElideMiddle, textWidth));
    const QString place = left.sessionOrigin.path.isEmpty() ? left.origin : left.sessionOrigin.path;
    title->setToolTip(document::plainTip(place));
    QString facts = left.session.isEmpty() ? tr("open without changes %1").arg(keptWhen(left))
                                           : tr("changes kept %1").arg(keptWhen(left));
    facts += left.crashed ? tr(" · ended by a crash") : tr(" · closed without saving");
    texts->addWidget(title);
    texts->addWidget(look::plainLabel(facts, look::interfaceFont(12), "secondary", row));
    layout->addLayout(texts, 1);

    auto *restore = new look::Button(tr("Restore"), row);
    restore->setAccessibleName(tr("Restore %1").arg(sessionTitle(left)));
    auto *discard = new look::Button(tr("Discard"), row, look::Button::Kind::Quiet);
    discard->setAccessibleName(tr("Discard %1").arg(sessionTitle(left)));
    for (look::Button *button : {restore, discard}) {
        button->setAutoDefault(false);
        layout->addWidget(button);
    }
    connect(restore, &QPushButton::clicked, this, [this, left] {
        accept();
        Q_EMIT restoreWanted(left);
    });
    connect(discard, &QPushButton::clicked, this, [this, left, row] {
        document::Autosave::discard(left);
        row->deleteLater();
        if (--m_left == 0)
            accept();
    });
    return row;
}

} // namespace nestwright::app
