// SPDX-License-Identifier: GPL-3.0-or-later
/// Sessions and reports of crashes that an earlier run left behind.
#pragma once

#include "widgets/document/files/autosave.h"

#include <QObject>

class QWidget;

namespace nestwright::app {

class Banner;
class WindowSettings;

class RecoveryController : public QObject {
    Q_OBJECT
public:
    /// `window` owns the dialog.
    RecoveryController(document::Autosave &autosave, WindowSettings &settings, Banner &banner,
                       QWidget *window);

    /// Offers the newest on the banner, where there is any.
    void offer();
    /// Lists all.
    void showAll();

Q_SIGNALS:
    void restoreWanted(const nestwright::document::LeftBehind &left);

private:
    QString newCrashReport();
    void offerCrashReport(const QString &report);

    document::Autosave &m_autosave;
    WindowSettings &m_settings;
    Banner &m_banner;
    QWidget *m_window;
};

} // namespace nestwright::app
