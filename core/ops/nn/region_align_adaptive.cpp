// SPDX-License-Identifier: Apache-2.0
/// Regions of images with as many samples as each region has elements: K. He et al., "Mask R-CNN", 2017.
#include "core/ops/nn/region_align.h"
#include "core/ops/table/script_function.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

/// Buffers that serve one part of a region; element 0 for its height, 1 for its width.
std::string localBuffers(const std::string &type)
{
    std::string text;
    for (const char *name : {"samples", "first", "low", "high"})
        text += std::format("{} = T.alloc_buffer((2,), \"int32\", scope=\"local\")\n", name);
    for (const char *name : {"begin", "step", "place", "beyond"})
        text += std::format("{} = T.alloc_buffer((2,), \"{}\", scope=\"local\")\n", name, type);
    return text
           + std::format("seen = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
                         "image = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
                         "found = T.alloc_buffer((1,), \"{}\", scope=\"local\")\n",
                         type);
}

/// Statements for one part of a region. A region may reach far beyond the image, where samples add nothing:
/// only those near the image are taken.
class AdaptiveRegion {
public:
    explicit AdaptiveRegion(const CallSite &site)
        : m_site(site)
        , m_type(site.input().dtype.bits == 64 ? "float64" : "float32")
        , m_image(constantSizes(site.input().shape, "every size"))
        , m_isMean(site.text("mode") == "avg")
    {
    }

    std::string statements() const
    {
        const std::string all =
            std::format("T.max({} * {}, {})", wide("samples[0]"), wide("samples[1]"), real(1));
        const std::string result = m_isMean
                                       ? "found[0] / " + all
                                       : std::format("T.if_then_else({} < {}, T.max({}, found[0]), found[0])",
                                                     wide("seen[0]"), all, real(0));
        return localBuffers(m_type) + side(0) + side(1)
               + std::format("image[0] = T.max(0, T.min(T.Cast(\"int32\", p2[v0]), {}))\n", m_image[0] - 1)
               + std::format("seen[0] = 0\nfound[0] = {}\n",
                             m_isMean ? real(0) : "-" + real(1) + " / " + real(0))
               + sampled(0, "a", sampled(1, "b", combined()))
               + std::format("r0[v0, v1, v2, v3] = T.Cast(\"{}\", {})\n", m_site.input().dtype.str(), result);
    }

private:
    std::string real(double value) const { return wide(std::format("T.float64({})", value)); }
    std::string wide(const std::string &value) const
    {
        return std::format("T.Cast(\"{}\", {})", m_type, value);
    }
    static std::string whole(const std::string &value) { return std::format("T.Cast(\"int32\", {})", value); }

    /// Begin of a part, the number of its samples, the distance between them, and the first one near the
    /// image.
    std::string side(std::size_t d) const
    {
        constexpr std::int64_t most = 1 << 30; // products with indices stay integers of 32 bits
        const auto edge = [&](std::size_t place) {
            return std::format("({} * {} - {})", wide(std::format("p1[v0, {}]", place)),
                               real(m_site.real("spatial_scale")), real(m_site.flag("half_pixel") ? 0.5 : 0));
        };
        std::string length = std::format("({} - {})", edge(3 - d), edge(1 - d));
        if (!m_site.flag("half_pixel"))
            length = std::format("T.max({}, {})", real(1), length);
        return std::format("step[{}] = {} / {}\n", d, length,
                           real(static_cast<double>(m_site.integers("size")[d])))
               + std::format("begin[{0}] = {1} + {2} * step[{0}]\n", d, edge(1 - d),
                             wide(std::format("v{}", d + 2)))
               + std::format("samples[{0}] = T.min({1}, {2})\n", d,
                             whole(std::format("T.max({}, T.ceil(step[{}]))", real(0), d)), most)
               + std::format("step[{0}] = step[{0}] / {1}\n", d,
                             wide(std::format("T.max(samples[{}], 1)", d)))
               + std::format("first[{}] = T.max(0, T.min({}, {}))\n", d, nearest("floor", d, -1), most);
    }

    /// The sample that lies at a place of the image, rounded by `function`.
    std::string nearest(std::string_view function, std::size_t d, std::int64_t place) const
    {
        return whole(std::format("T.{0}(({1} - begin[{2}]) / step[{2}] - {3})", function,
                                 real(static_cast<double>(place)), d, real(0.5)));
    }

    /// `inner` for each sample of a side that lies at most one element outside.
    std::string sampled(std::size_t d, const std::string &loop, const std::string &inner) const
    {
        const std::int64_t size = m_image[d + 2];
        const std::string text =
            std::format(
                "for {0} in range(T.max(T.min(samples[{1}], T.min({2}, {3}) + 1) - first[{1}], 0)):\n", loop,
                d, nearest("ceil", d, size), 1 << 30)
            + std::format("    place[{0}] = begin[{0}] + ({1} + {2}) * step[{0}]\n", d,
                          wide(std::format("first[{}] + {}", d, loop)), real(0.5))
            + std::format("    if place[{0}] >= {1} and place[{0}] <= {2}:\n", d, real(-1),
                          real(static_cast<double>(size)))
            + std::format("        place[{0}] = T.max({1}, T.min(place[{0}], {2}))\n", d, real(0),
                          real(static_cast<double>(size - 1)))
            + std::format("        low[{0}] = {1}\n", d, whole(std::format("T.floor(place[{}])", d)))
            + std::format("        high[{0}] = T.min(low[{0}] + 1, {1})\n", d, size - 1)
            + std::format("        beyond[{0}] = place[{0}] - {1}\n", d, wide(std::format("low[{}]", d)));
        return text + indented(inner);
    }

    /// The four elements around a sample, weighted, put to those before.
    std::string combined() const
    {
        std::string value;
        for (const char *y : {"low", "high"}) {
            for (const char *x : {"low", "high"}) {
                const auto weight = [&](const char *end, int d) {
                    return end[0] == 'l' ? std::format("({} - beyond[{}])", real(1), d)
                                         : std::format("beyond[{}]", d);
                };
                const std::string term =
                    std::format("{} * {} * {}", weight(y, 0), weight(x, 1),
                                wide(std::format("p0[image[0], v1, {}[0], {}[1]]", y, x)));
                value = value.empty() ? term
                        : m_isMean    ? value + " + " + term
                                      : std::format("T.max({}, {})", value, term);
            }
        }
        const std::string joined =
            m_isMean ? "found[0] + " + value : std::format("T.max(found[0], {})", value);
        return "seen[0] = seen[0] + 1\nfound[0] = " + joined + "\n";
    }

    static std::string indented(const std::string &lines)
    {
        std::string text(8, ' ');
        for (std::size_t i = 0; i < lines.size(); ++i)
            text += lines[i] == '\n' && i + 1 < lines.size() ? "\n        " : std::string(1, lines[i]);
        return text;
    }

    const CallSite &m_site;
    std::string m_type; ///< of the computation
    std::vector<std::int64_t> m_image;
    bool m_isMean;
};

ir::Function adaptiveFunction(const CallSite &site, std::span<const TensorType> results)
{
    const std::vector<std::int64_t> shape = constantSizes(results[0].shape, "the result's shape"),
                                    image = constantSizes(site.input().shape, "every size");
    return scriptFunction(site, results,
                          scriptBlock("roi_align", scriptAxes(shape, "v"),
                                      std::format("p0[0:{}, v1, 0:{}, 0:{}], p1[v0, 0:4], p2[v0]", image[0],
                                                  image[2], image[3]),
                                      "r0[v0, v1, v2, v3]", AdaptiveRegion(site).statements()));
}

} // namespace

void addRegionAlignAdaptive(TensorOps &table)
{
    table.push_back({.name = "image.roi_align_adaptive",
                     .summary =
                         "image.roi_align with one sample per element of a region along each side of a part, "
                         "rounded up; a part without an extent gives 0",
                     .fusion = FusionKind::Opaque,
                     .minInputs = 3,
                     .maxInputs = 3,
                     .attributes = regionAttributes(),
                     .infer = &inferRegions,
                     .function = &adaptiveFunction});
}

} // namespace nestwright::ops
