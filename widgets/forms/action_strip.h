// SPDX-License-Identifier: GPL-3.0-or-later
/// What can be done with the selected loop or block: one button per primitive, its form, and why something is not possible.
#pragma once

#include "widgets/document/actions.h"

#include <QWidget>

#include <string>
#include <string_view>
#include <vector>

class QGridLayout;
class QLabel;
class QScrollArea;
class QStackedWidget;
class QTimer;

namespace nestwright::document {
class ActionList;
class Document;
} // namespace nestwright::document
namespace nestwright::look {
class Button;
class FindingBox;
} // namespace nestwright::look

namespace nestwright::forms {

class PrimitiveForm;

class ActionStrip : public QWidget {
    Q_OBJECT
public:
    ActionStrip(document::Document &document, document::ActionList &actions, QWidget *parent = nullptr);

    /// Does what the primitive's button does: applies, opens the form, or says why it is not possible.
    void trigger(std::string_view primitive);
    /// Null where there is none.
    look::Button *button(std::string_view primitive) const;
    PrimitiveForm *form() const { return m_form; }
    look::FindingBox *finding() const { return m_finding; }
    void closeForm();
    /// The primitive that the user has to do with now: of the open form, under the pointer, or last refused; null if none.
    const schedule::Primitive *topic() const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    struct Entry {
        const schedule::Primitive *primitive;
        look::Button *button;
    };

    QWidget *makeGrid();
    look::Button *makeButton(const schedule::Primitive &primitive, QWidget *parent);
    void showActions();
    void bringGroupIntoView();
    void showTitle();
    void showKeys();
    void explain(const document::Action &action);
    void explainNothing();
    void placeFinding();
    void showSummary();
    void openForm(const document::Action &action);
    void showVerdict();
    void startPreview();

    document::Document &m_document;
    document::ActionList &m_actions;
    QLabel *m_title;
    QStackedWidget *m_pages;
    QScrollArea *m_formPage;
    look::FindingBox *m_finding; ///< floats over the foot, so that nothing moves when it appears
    QLabel *m_summary;           ///< what the action under the pointer does
    std::vector<Entry> m_entries;
    QScrollArea *m_grid = nullptr;
    QWidget *m_blockActions = nullptr; ///< the heading from which on actions work on blocks
    bool m_forBlock = false;           ///< whether they were last shown for a block
    PrimitiveForm *m_form = nullptr;
    const schedule::Primitive *m_hovered = nullptr;
    const schedule::Primitive *m_explained = nullptr;
    std::string m_wanted; ///< triggered before the actions of the new selection were there
    QTimer *m_hoverWait;
};

} // namespace nestwright::forms
