// SPDX-License-Identifier: GPL-3.0-or-later
/// Two variants of the open kernel, or one and the code of others, loop by loop: which difference matters,
/// the loops, and the sources.
#pragma once

#include "app/present/comparison_page.h"
#include "app/window/tools/compare_peers.h"

#include <QDialog>

#include <memory>

class QComboBox;
class QSplitter;
class QTreeWidget;

namespace nestwright::code {
class DifferenceView;
class Languages;
} // namespace nestwright::code
namespace nestwright::document {
class Document;
class Measuring;
} // namespace nestwright::document
namespace nestwright::look {
class Button;
class Card;
class FindingBox;
} // namespace nestwright::look

namespace nestwright::app {

class CompareWindow : public QDialog {
    Q_OBJECT
public:
    CompareWindow(document::Document &document, const document::Measuring &measuring,
                  std::shared_ptr<const code::Languages> languages, QWidget *parent);

    /// The window of `parent`, which is made when it is first asked for.
    static CompareWindow *open(document::Document &document, const document::Measuring &measuring,
                               std::shared_ptr<const code::Languages> languages, QWidget *parent);

    void setSides(session::VariantId first, session::VariantId second);
    void setSides(session::VariantId first, const PeerChoice &second);
    /// Asks for a file, whose code becomes the second side.
    void chooseFile(session::VariantId first);

    /// For tests.
    QComboBox *firstSide() const { return m_first; }
    QComboBox *secondSide() const { return m_second; }
    look::Button *swapButton() const { return m_swap; }
    look::Button *fileButton() const { return m_file; }
    look::FindingBox *sentence() const { return m_sentence; }
    QTreeWidget *table() const { return m_table; }
    code::DifferenceView *sources() const { return m_sources; }
    bool isSettled() const;

protected:
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeSides();
    void makeTable();
    void makeSources();
    void fillSides();
    void chooseSide(QComboBox *side, const QVariant &data);
    void compare();
    void compareWith(const PeerChoice &peer);
    void offerSources();
    void take(const ComparisonPtr &page);
    void fillTable();
    void giveRowsRoom();
    void alignSources();
    void showLoop();
    void tell(const QString &title, const QString &text, bool isBad);

    document::Document &m_document;
    const document::Measuring &m_measuring; ///< libraries are not timed meanwhile
    QComboBox *m_first, *m_second;
    look::Button *m_swap, *m_file;
    look::FindingBox *m_sentence;
    QSplitter *m_halves;
    QTreeWidget *m_table;
    look::Card *m_tableCard, *m_sourceCard;
    code::DifferenceView *m_sources;
    ComparisonPtr m_page;                        ///< null until it is known, and where there are no two sides
    int m_tab = 0;                               ///< of the sources
    std::optional<measure::PeerFile> m_peerFile; ///< that was chosen last
    QVariant m_peerKey;                          ///< of the peer whose code m_peer is: entry and target
    std::shared_ptr<const measure::PeerCode> m_peer;
    bool m_filling = false;
};

} // namespace nestwright::app
