// SPDX-License-Identifier: GPL-3.0-or-later
/// The menu of targets: this processor, the devices that are here, architectures that can be compiled for.
#pragma once

#include "core/backend/backend.h"
#include "core/target/kinds.h"

#include <QObject>
#include <QPointer>

#include <map>
#include <vector>

class QMenu;
class QWidget;

namespace nestwright::document {
class Document;
}

namespace nestwright::app {

class TargetMenu : public QObject {
    Q_OBJECT
public:
    /// `window` owns the dialog of other targets.
    TargetMenu(document::Document &document, QWidget *window);

    /// Devices are looked for when it is filled for the first time; it names them once they are found.
    void fill(QMenu *menu);

private:
    using Devices = std::map<target::TargetKind, std::vector<backend::DeviceFacts>>;

    void lookForDevices();
    void add(QMenu *menu, const QString &text, const target::Target &target, const QString &toolTip = {});
    void addOfProcessors(QMenu *menu, const target::Kind &kind);
    void addOfDevices(QMenu *menu, const QString &name, target::TargetKind kind);
    void addArchitectures(QMenu *menu, target::TargetKind kind);
    void askForAnother();

    document::Document &m_document;
    QWidget *m_window;
    QPointer<QMenu> m_menu; ///< the one that was filled last
    Devices m_devices;
    bool m_areKnown = false;
};

} // namespace nestwright::app
