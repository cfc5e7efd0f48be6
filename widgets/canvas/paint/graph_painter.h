// SPDX-License-Identifier: GPL-3.0-or-later
/// Paints a graph: all of a far view in a few batches, with texts and curves where they can be seen.
#pragma once

#include "widgets/canvas/scene/scene.h"

#include <vector>

class QPainter;

namespace nestwright::look {
struct Tokens;
}

namespace nestwright::canvas {

/// How the nodes and edges of a scene look beyond their own texts. Vectors are per shown node or edge, or
/// empty.
struct GraphLook {
    std::vector<char> found;          ///< nodes with a strong border
    std::vector<char> dimmed;         ///< nodes that step back
    std::vector<char> dimmedEdges;    ///< edges that step back
    std::vector<float> shade;         ///< an overlay's colour, 0 … 1; negative: none
    std::vector<QString> values;      ///< … and its text
    std::vector<QString> frameValues; ///< the same per open frame
};

/// Marks of single nodes and frames, by their places; -1: none.
struct GraphMarks {
    int selected = -1;
    int hovered = -1;
    int current = -1;       ///< the node that a search is at
    int selectedFrame = -1; ///< in folded.open
    int hoveredFrame = -1;
};

/// The part of the graph that is painted, in its coordinates, and how many pixels one unit is.
struct GraphView {
    QRectF visible;
    double scale = 1;
};

inline constexpr double boxesOnlyBelow = 0.22; ///< scales: nothing but filled boxes and straight lines …
inline constexpr double textsFrom = 0.38;      ///< … titles, subtitles and labels

/// The painter must be transformed to the graph's coordinates. Needs no UI thread.
void paintGraph(QPainter &painter, const Scene &scene, const GraphLook &look, const GraphView &view,
                const look::Tokens &tokens);

/// Paints the selected and hovered things anew, over the picture of paintGraph.
void paintMarks(QPainter &painter, const Scene &scene, const GraphLook &look, const GraphMarks &marks,
                const GraphView &view, const look::Tokens &tokens);

/// The colour of a node at this share of an overlay's scale; `text` can be read on it.
QColor shadeColor(const look::Tokens &tokens, double shade);

/// The colour of a node's second line, and of frames' numbers, on this ground: as quiet as can be read.
QColor quietText(const look::Tokens &tokens, const QColor &ground);

} // namespace nestwright::canvas
