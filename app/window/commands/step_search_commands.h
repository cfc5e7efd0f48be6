// SPDX-License-Identifier: GPL-3.0-or-later
/// Looking for the step that made a variant wrong, or that lost the speed: commands, and what was found.
#pragma once

#include <QObject>
#include <QString>

class QMenu;

namespace nestwright::document {
class CommandRegistry;
class Document;
class Measuring;
class StepSearching;
struct StepInHistory;
} // namespace nestwright::document
namespace nestwright::explore {
enum class Complaint : std::uint8_t;
}
namespace nestwright::history {
class HistoryView;
}
namespace nestwright::session {
struct VariantId;
}

namespace nestwright::app {

class Banner;

class StepSearchCommands : public QObject {
    Q_OBJECT
public:
    StepSearchCommands(document::Document &document, document::StepSearching &searching,
                       const document::Measuring &measuring, Banner &banner);

    /// Adds commands for the variant that has the focus in `view`.
    void addCommands(document::CommandRegistry &commands, const history::HistoryView &view);
    /// Adds the commands for `variant` to a menu.
    void addTo(QMenu &menu, session::VariantId variant);

private:
    /// Why the search cannot begin; empty where it can.
    QString unavailable(session::VariantId variant, explore::Complaint complaint) const;
    void showFound(const document::StepInHistory &step);

    document::Document &m_document;
    document::StepSearching &m_searching;
    const document::Measuring &m_measuring;
    Banner &m_banner;
};

} // namespace nestwright::app
