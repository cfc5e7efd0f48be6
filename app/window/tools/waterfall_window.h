// SPDX-License-Identifier: GPL-3.0-or-later
/// The waterfall of a variant: what each step on the way to it brings, added or left out one by one.
#pragma once

#include "app/present/waterfall_page.h"
#include "core/session/history/variant_tree.h"

#include <QDialog>

#include <array>
#include <functional>
#include <memory>

class QLabel;
class QTimer;

namespace nestwright::charts {
class Waterfall;
}
namespace nestwright::document {
class Ablating;
class CommandRegistry;
class Document;
class Measuring;
} // namespace nestwright::document
namespace nestwright::look {
class Button;
class Card;
} // namespace nestwright::look

namespace nestwright::app {

class WaterfallWindow : public QDialog {
    Q_OBJECT
public:
    WaterfallWindow(document::Document &document, const document::Measuring &measuring, QWidget *parent);

    /// The window of `parent`, which is made when it is first asked for, for this variant.
    static WaterfallWindow *open(document::Document &document, const document::Measuring &measuring,
                                 session::VariantId variant, QWidget *parent);

    void setVariant(session::VariantId variant);
    /// Writes the chart; the ending says which form.
    void exportTo(const QString &path);

    /// For tests.
    charts::Waterfall *chart() const { return m_chart; }
    look::Card *card() const { return m_card; }
    look::Button *measureButton() const { return m_measure; }
    look::Button *cancelButton() const { return m_cancel; }
    look::Button *actButton() const { return m_act; }
    QString detail() const;
    const QString &state() const { return m_stateText; }

protected:
    void hideEvent(QHideEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    explore::AblationMode mode() const;
    const explore::Ablation *ablation() const;
    const explore::Contribution *contributionAt(int bar) const;
    /// The variant that a bar stands for, on the way to the variant of the window.
    session::VariantId variantAt(int bar) const;
    QWidget *makeButtons();
    void forget();
    void measure();
    void showAblation();
    void showBar();
    void showState();
    void tell(const QString &state);
    void act();
    void chooseFile();

    document::Document &m_document;
    const document::Measuring &m_measuring;
    document::Ablating *m_ablating;
    look::Card *m_card;
    charts::Waterfall *m_chart;
    QLabel *m_detail, *m_state;
    look::Button *m_act, *m_measure, *m_cancel, *m_export;
    QTimer *m_clock; ///< ticks while it is measured
    session::VariantId m_variant;
    std::vector<session::VariantId> m_way;                               ///< to the variant, the root first
    std::array<std::shared_ptr<const explore::Ablation>, 2> m_ablations; ///< by mode
    WaterfallPage m_page;
    QString m_stateText;
    QString m_failure; ///< why there is no result; empty where there is one or none was asked for
};

/// The command that opens the window for the current variant.
void addWaterfallCommand(document::CommandRegistry &commands, document::Document &document,
                         const std::function<void(session::VariantId)> &open);

} // namespace nestwright::app
