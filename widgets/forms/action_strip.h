// SPDX-License-Identifier: GPL-3.0-or-later
/// The actions on the selected loop or block: a bar of the common ones, as many as have room with their
/// whole titles, and the others by group behind "More"; the form of an action and why one is not possible lie
/// on a card over the pane below.
#pragma once

#include "core/suggest/actions.h"

#include <QWidget>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

class QFrame;
class QGridLayout;
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

class ActionPanel;
class PrimitiveForm;
class SelectionLine;

class ActionStrip : public QWidget {
    Q_OBJECT
public:
    /// Cards lie at the foot of `stage`, which holds the strip; without one, of the strip.
    ActionStrip(document::Document &document, document::ActionList &actions, QWidget *stage = nullptr);

    /// Acts as the primitive's button: applies, opens the form, or says why it is not possible.
    void trigger(std::string_view primitive);
    /// Null where there is none.
    look::Button *button(std::string_view primitive) const;
    PrimitiveForm *form() const { return m_form; }
    look::FindingBox *finding() const { return m_finding; }
    void closeForm();
    /// Whether an action that was asked for has yet to begin: the actions of the selection are not known, or
    /// it is not known whether what stands in the form is legal.
    bool isWaiting() const;
    /// Opens or closes the panel of the other actions.
    void showMore(bool shown);
    /// The primitive that the user has to do with now: of the open form, under the pointer, or last refused;
    /// null if none.
    const schedule::Primitive *topic() const;

Q_SIGNALS:
    /// An action that was waited for has begun.
    void begun();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Entry {
        const schedule::Primitive *primitive;
        look::Button *button;
        QString title; ///< where it is always the same
    };

    QWidget *makeBar();
    void arrange();
    void arrange(int columns, int rows);
    look::Button *makeButton(const schedule::Primitive &primitive, const QString &title, QWidget *parent);
    void showActions();
    void moveFocus(const QWidget *from, int key);
    void showKeys();
    void explain(const suggest::Action &action);
    void showReason(const suggest::Action &action);
    void explainNothing();
    void placeCards();
    void openForm(const suggest::Action &action);
    void showVerdict();
    void startPreview();

    document::Document &m_document;
    document::ActionList &m_actions;
    QWidget *m_stage;
    SelectionLine *m_title;
    QGridLayout *m_bar = nullptr;
    int m_columns = 0, m_rows = 0; ///< of the bar
    look::Button *m_more = nullptr;
    ActionPanel *m_panel;         ///< floats below the bar
    QFrame *m_card;               ///< holds the form
    look::FindingBox *m_finding;  ///< like the card it floats, so that nothing moves when it appears
    std::vector<Entry> m_entries; ///< the common ones first
    PrimitiveForm *m_form = nullptr;
    const schedule::Primitive *m_hovered = nullptr;
    const schedule::Primitive *m_explained = nullptr;
    std::optional<schedule::Fix> m_fix; ///< of what is explained
    std::string m_wanted;               ///< triggered before the actions of the new selection were there
    QTimer *m_hoverWait;
};

} // namespace nestwright::forms
