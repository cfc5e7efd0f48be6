// SPDX-License-Identifier: GPL-3.0-or-later
/// A picture of a large graph around the visible part, painted off the UI thread: panning and zooming move
/// and scale it until a fresh one is there.
#pragma once

#include "widgets/canvas/paint/graph_painter.h"
#include "widgets/jobs/job_runner.h"

#include <QImage>
#include <QObject>

#include <memory>

namespace nestwright::canvas {

/// The part to be seen.
struct PictureWish {
    std::shared_ptr<const Scene> scene;
    std::shared_ptr<const GraphLook> look;
    const look::Tokens *tokens = nullptr; ///< one of the two themes
    GraphView view;
    double dotsPerPixel = 1;
};

/// Whether a view is painted in a few milliseconds, so that it needs no picture.
bool isQuick(const Scene &scene, const GraphView &view);

class PictureCache : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Paints the finished part on a widget whose corner is at the view's; the missing part is painted
    /// elsewhere, then comes `ready`.
    void paint(QPainter &painter, const PictureWish &wish);
    /// Whether a picture is being painted; `ready` follows.
    bool isBusy() const { return m_busy; }

Q_SIGNALS:
    void ready();

private:
    struct Made {
        PictureWish wish; ///< its view is all that the image shows
        QImage image;
    };
    bool isFresh(const PictureWish &wish) const;
    void make(const PictureWish &wish);

    std::shared_ptr<const Made> m_made;
    bool m_busy = false;
    jobs::JobRunner m_jobs{1}; // of its own: others may take seconds
};

} // namespace nestwright::canvas
