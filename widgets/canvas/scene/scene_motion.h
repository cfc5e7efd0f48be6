// SPDX-License-Identifier: GPL-3.0-or-later
/// The transition between two scenes: it shows where things went when a frame opens or a graph changes.
#pragma once

#include "widgets/canvas/scene/scene.h"

#include <QTransform>

#include <memory>

namespace nestwright::canvas {

class SceneMotion {
public:
    /// `toNew` leads from the coordinates of `from` to those of `to`. Nodes and frames that both show move
    /// from one place to the other; things hidden in a collapsed frame come out of it; new ones stand where
    /// they belong.
    SceneMotion(const Scene &from, std::shared_ptr<const Scene> to, const QTransform &toNew);

    /// Whether anything moves by more than a unit.
    bool isVisible() const { return m_visible; }
    /// `to`, with its things on their way: 0 where they were, 1 where they are.
    Scene at(double progress) const;

private:
    void startRoutes();

    std::shared_ptr<const Scene> m_to;
    GraphLayout m_start; ///< of the things of `to`; routes have as many points as there
    bool m_visible = false;
};

} // namespace nestwright::canvas
