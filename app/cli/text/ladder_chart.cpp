// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/ladder_chart.h"

#include "core/support/files/atomic_file.h"

#if NESTWRIGHT_HAS_CAIRO

#include <algorithm>
#include <cairo-svg.h>
#include <cairo.h>
#include <cmath>
#include <cstdio>
#include <memory>

namespace nestwright::cli {

using support::diagnostic;
using support::fail;
using support::Result;

namespace {

struct Colour {
    double r, g, b;
};
constexpr Colour ground{1, 1, 1}, hairline{0.867, 0.882, 0.906}, text{0.114, 0.141, 0.2},
    faint{0.42, 0.463, 0.533};
constexpr Colour pale{0.624, 0.725, 0.965}, accent{0.184, 0.435, 0.929};

constexpr double width = 880, height = 440, left = 64, right = 24, top = 64, bottom = 48;
constexpr double barShare = 0.62; ///< of its slot

enum class Align { Left, Centre, Right };

class Painter {
public:
    explicit Painter(cairo_t *context) : m_context(context) {}

    void fill(Colour colour, double x, double y, double w, double h)
    {
        use(colour);
        cairo_rectangle(m_context, x, y, w, h);
        cairo_fill(m_context);
    }
    void line(Colour colour, double x1, double y1, double x2, double y2, bool dashed = false)
    {
        use(colour);
        const double dashes[] = {5, 4};
        cairo_set_dash(m_context, dashes, dashed ? 2 : 0, 0);
        cairo_set_line_width(m_context, 1);
        cairo_move_to(m_context, x1, y1);
        cairo_line_to(m_context, x2, y2);
        cairo_stroke(m_context);
    }
    void write(Colour colour, double size, bool bold, double x, double y, Align align,
               const std::string &what)
    {
        use(colour);
        cairo_select_font_face(m_context, "Inter", CAIRO_FONT_SLANT_NORMAL,
                               bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(m_context, size);
        cairo_text_extents_t extents;
        cairo_text_extents(m_context, what.c_str(), &extents);
        const double shift = align == Align::Left     ? 0
                             : align == Align::Centre ? extents.width / 2
                                                      : extents.width;
        cairo_move_to(m_context, x - shift, y);
        cairo_show_text(m_context, what.c_str());
    }

private:
    void use(Colour colour) { cairo_set_source_rgb(m_context, colour.r, colour.g, colour.b); }

    cairo_t *m_context;
};

/// A step of 1, 2 or 5 times a power of ten that gives about five lines.
double gridStep(double largest)
{
    const double raw = largest / 5;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (raw <= factor * power)
            return factor * power;
    }
    return 10 * power;
}

std::string number(double value)
{
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, value < 10 && value != std::floor(value) ? "%.1f" : "%.0f", value);
    return buffer;
}

void paint(Painter &painter, const LadderChart &chart)
{
    double largest = chart.peakGflops;
    for (const LadderBar &bar : chart.bars)
        largest = std::max({largest, bar.high, bar.gflops});
    largest = largest > 0 ? largest * 1.06 : 1;
    const double plotHeight = height - top - bottom;
    const auto yOf = [&](double gflops) { return height - bottom - gflops / largest * plotHeight; };

    painter.fill(ground, 0, 0, width, height);
    painter.write(text, 14, true, 16, 28, Align::Left, chart.title);
    painter.write(faint, 12, false, width - right, 28, Align::Right,
                  "GFLOPS, median and 95 % interval; higher is better");
    const double step = gridStep(largest);
    for (int i = 0, last = static_cast<int>(largest / step); i <= last; ++i) {
        const double value = i * step;
        const double y = std::round(yOf(value)) + 0.5;
        painter.line(hairline, left, y, width - right, y);
        painter.write(faint, 11, false, left - 8, y + 4, Align::Right, number(value));
    }
    if (chart.peakGflops > 0) {
        const double y = std::round(yOf(chart.peakGflops)) + 0.5;
        painter.line(faint, left, y, width - right, y, true);
        painter.write(faint, 11, false, left + 4, y - 5, Align::Left,
                      "machine peak " + number(chart.peakGflops));
    }
    const double slot =
        (width - left - right) / static_cast<double>(std::max<std::size_t>(1, chart.bars.size()));
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        const LadderBar &bar = chart.bars[i];
        const double centre = left + slot * (static_cast<double>(i) + 0.5);
        const bool last = i + 1 == chart.bars.size();
        painter.write(text, 11, last, centre, height - bottom + 20, Align::Centre, bar.name);
        if (bar.gflops <= 0) {
            painter.write(faint, 11, false, centre, yOf(0) - 8, Align::Centre, "failed");
            continue;
        }
        painter.fill(last ? accent : pale, centre - slot * barShare / 2, yOf(bar.gflops), slot * barShare,
                     yOf(0) - yOf(bar.gflops));
        painter.line(text, centre, yOf(bar.low), centre, yOf(bar.high));
        painter.write(text, 12, true, centre, yOf(bar.high) - 7, Align::Centre, number(bar.gflops));
    }
}

struct SurfaceCloser {
    void operator()(cairo_surface_t *surface) const { cairo_surface_destroy(surface); }
};
struct ContextCloser {
    void operator()(cairo_t *context) const { cairo_destroy(context); }
};

/// Collects the output of cairo.
cairo_status_t append(void *bytes, const unsigned char *data, unsigned int length)
{
    static_cast<std::string *>(bytes)->append(reinterpret_cast<const char *>(data), length);
    return CAIRO_STATUS_SUCCESS;
}

} // namespace

Result<void> drawLadder(const LadderChart &chart, const std::string &path)
{
    const bool svg = path.ends_with(".svg");
    if (!svg && !path.ends_with(".png"))
        return fail(diagnostic("chart.format", "'" + path + "' is neither .png nor .svg")
                        .withHint("give the chart's file one of these endings"));
    constexpr double scale = 2; // pixels of the PNG per unit
    std::string bytes;
    std::unique_ptr<cairo_surface_t, SurfaceCloser> surface(
        svg ? cairo_svg_surface_create_for_stream(&append, &bytes, width, height)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * scale),
                                         static_cast<int>(height * scale)));
    std::unique_ptr<cairo_t, ContextCloser> context(cairo_create(surface.get()));
    if (!svg)
        cairo_scale(context.get(), scale, scale);
    Painter painter(context.get());
    paint(painter, chart);
    context.reset();
    cairo_surface_flush(surface.get());
    cairo_status_t status =
        svg ? CAIRO_STATUS_SUCCESS : cairo_surface_write_to_png_stream(surface.get(), &append, &bytes);
    cairo_surface_finish(surface.get());
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface.get());
    if (status != CAIRO_STATUS_SUCCESS)
        return fail("chart.draw",
                    std::string("the chart cannot be drawn: ") + cairo_status_to_string(status));
    if (auto written = support::writeAtomically(path, bytes); !written)
        return fail(written.error());
    return {};
}

} // namespace nestwright::cli

#else

namespace nestwright::cli {

support::Result<void> drawLadder(const LadderChart &, const std::string &)
{
    return support::fail(
        support::diagnostic("chart.draw", "this nestc was built without cairo, which draws charts")
            .withHint("write the figures with --json, or build it where cairo and pkg-config are"));
}

} // namespace nestwright::cli

#endif
