// SPDX-License-Identifier: GPL-3.0-or-later
/// Clicks on the panes that wait for the work before them: each is for what was seen at its place, wherever
/// that lies when its turn comes.
#pragma once

namespace nestwright::canvas {
class GraphCanvas;
}
namespace nestwright::charts {
class ChartPane;
}
namespace nestwright::code {
class CodeView;
}
namespace nestwright::document {
class Document;
class OpenDocuments;
} // namespace nestwright::document
namespace nestwright::history {
class HistoryView;
}
namespace nestwright::look {
class CardHeader;
}
namespace nestwright::looptree {
class LoopTree;
}

class QAbstractItemView;

namespace nestwright::app {

class DocumentTabs;
class HeldInput;

/// Rows of the tree, by loop or block; those that are gone take no click.
void holdClicks(HeldInput &held, document::Document &document, looptree::LoopTree &tree);
/// Lines of the loop nest, by loop or block.
void holdClicks(HeldInput &held, document::Document &document, code::CodeView &nest);
/// Rows of the history, by variant.
void holdClicks(HeldInput &held, history::HistoryView &history);
/// Bars and points, by variant.
void holdClicks(HeldInput &held, charts::ChartPane &chart);
/// Nodes, by id.
void holdClicks(HeldInput &held, canvas::GraphCanvas &graph);
/// Tabs and their crosses, by document.
void holdClicks(HeldInput &held, document::OpenDocuments &documents, DocumentTabs &tabs);
/// Double clicks on a pane's header.
void holdClicks(HeldInput &held, look::CardHeader &header);
/// Rows of a list or table, as its model keeps track of them.
void holdClicks(HeldInput &held, QAbstractItemView &list);

} // namespace nestwright::app
