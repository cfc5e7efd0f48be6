// SPDX-License-Identifier: GPL-3.0-or-later
/// Tries all places of the selected loop or block: each legal one becomes a variant, and all are timed in
/// turns with the program as it is.
#pragma once

#include <QObject>

#include <memory>
#include <optional>

namespace nestwright::document {
class CommandRegistry;
class Document;
class Measuring;
struct RankedRun;
} // namespace nestwright::document
namespace nestwright::session {
struct VariantId;
}

namespace nestwright::app {

class Banner;
class LoopPane;

class PlaceTrials : public QObject {
    Q_OBJECT
public:
    PlaceTrials(document::Document &document, document::Measuring &measuring, Banner &banner);

    /// "schedule.tryPlaces"
    void addCommand(document::CommandRegistry &commands);

Q_SIGNALS:
    /// This one is worth a look among the measured variants.
    void shown(int variant);

private:
    struct Found;

    QString whyNot() const;
    void find();
    void take(const std::shared_ptr<const Found> &found);
    void measure(const Found &found, std::vector<session::VariantId> made);
    void tell(const document::RankedRun &run);

    document::Document &m_document;
    document::Measuring &m_measuring;
    Banner &m_banner;
    std::shared_ptr<const Found> m_found;       ///< whose places are being measured
    std::vector<session::VariantId> m_variants; ///< as they are, the program before them first
};

} // namespace nestwright::app
