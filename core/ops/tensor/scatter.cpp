// SPDX-License-Identifier: Apache-2.0
/// Elements put where indices that are data say. Negative indices count from the end; elements outside are
/// left out.
#include "core/ops/table/script_function.h"
#include "core/ops/table/shapes.h"
#include "core/ops/table/tensor_op_tables.h"

#include <format>

namespace nestwright::ops {

namespace {

using Ints = std::vector<std::int64_t>;

/// `target` after `update` has been put there, as TVMScript.
std::string combined(const CallSite &site, const std::string &target, const std::string &update)
{
    const std::string &how = site.text("reduction");
    if (how == "add" || how == "mul")
        return std::format("{} {} {}", target, how == "add" ? "+" : "*", update);
    return how == "none" ? update : std::format("T.{}({}, {})", how, target, update);
}

void checkTypes(const CallSite &site)
{
    const std::string &how = site.text("reduction");
    if (how != "none" && how != "add" && how != "mul" && how != "max" && how != "min")
        typeError(std::format("there is no reduction \"{}\"", how));
    if (how != "none" && site.input().dtype.isBool())
        typeError("truth values cannot be combined");
    if (!site.input(1).dtype.isIntegral())
        typeError("the indices must be integers");
    if (site.input(2).dtype != site.input().dtype)
        typeError("the updates must have the type of the data");
}

std::vector<std::string> names(const std::vector<ScriptAxis> &axes)
{
    std::vector<std::string> result;
    for (const ScriptAxis &axis : axes)
        result.push_back(axis.name);
    return result;
}

std::string copyOf(const Ints &shape)
{
    const std::vector<ScriptAxis> axes = scriptAxes(shape, "v");
    const std::string from = scriptElement("p0", names(axes)), to = scriptElement("r0", names(axes));
    return scriptBlock("copy", axes, from, to, std::format("{} = {}\n", to, from));
}

/// Whether the index `given` names one of `size` places.
std::string isPlace(const std::string &given, std::int64_t size)
{
    return std::format("{} >= {} and {} < {}", given, -size, given, size);
}

std::string placeFromFront(const std::string &given, std::int64_t size)
{
    return std::format("T.Cast(\"int32\", T.Select({0} < 0, {0} + {1}, {0}))", given, size);
}

std::vector<TensorType> inferElements(const CallSite &site)
{
    checkTypes(site);
    const TensorType &data = site.input(), &indices = site.input(1), &updates = site.input(2);
    requireRank(indices, data.rank(), "the indices");
    requireRank(updates, data.rank(), "the updates");
    const std::size_t axis = axisOf(site.integer("axis"), data.rank());
    for (std::size_t i = 0; i < data.shape.size(); ++i) {
        if (!sameSize(indices.shape[i], updates.shape[i]))
            typeError(
                std::format("indices and updates differ in shape: {}, {}", indices.str(), updates.str()));
        if (i != axis
            && constantSize(indices.shape[i], "a size of the indices")
                   > constantSize(data.shape[i], "a size"))
            typeError(std::format("the indices {} reach beyond the data {}", indices.str(), data.str()));
    }
    return {data};
}

/// Indices along the other axes are where an update goes, so that only those along `axis` may meet.
ir::Function elementsFunction(const CallSite &site, std::span<const TensorType> results)
{
    const Ints shape = constantSizes(site.input().shape, "the data's shape");
    const std::size_t axis = axisOf(site.integer("axis"), site.input().rank());
    std::vector<ScriptAxis> axes = scriptAxes(constantSizes(site.input(1).shape, "the indices' shape"), "v");
    axes[axis].kind = 'o';
    std::vector<std::string> at = names(axes), all = at;
    const std::string given = scriptElement("p1", at), update = scriptElement("p2", at);
    all[axis] = std::format("0:{}", shape[axis]);
    at[axis] = placeFromFront(given, shape[axis]);
    const std::string region = scriptElement("r0", all), target = scriptElement("r0", at);
    return scriptFunction(site, results,
                          copyOf(shape)
                              + scriptBlock("scatter", axes, given + ", " + update + ", " + region, region,
                                            std::format("if {}:\n    {} = {}\n", isPlace(given, shape[axis]),
                                                        target, combined(site, target, update))));
}

/// Number of axes that the tuples of scatter_nd name.
std::size_t scatterTupleSize(const CallSite &site)
{
    const TensorType &indices = site.input(1);
    if (indices.rank() == 0)
        typeError("the indices need a dimension that holds the tuples");
    const std::int64_t size = constantSize(indices.shape.back(), "the length of the index tuples");
    if (size < 1 || size > site.input().rank())
        typeError("the index tuples are empty, or longer than the tensor has dimensions");
    return static_cast<std::size_t>(size);
}

std::vector<TensorType> inferNd(const CallSite &site)
{
    checkTypes(site);
    const TensorType &data = site.input();
    const auto tuple = static_cast<std::ptrdiff_t>(scatterTupleSize(site));
    Shape wanted(site.input(1).shape.begin(), site.input(1).shape.end() - 1);
    wanted.insert(wanted.end(), data.shape.begin() + tuple, data.shape.end());
    const TensorType updates{wanted, data.dtype};
    if (!(site.input(2) == updates))
        typeError(std::format("the updates must be {}, but are {}", updates.str(), site.input(2).str()));
    return {data};
}

ir::Function ndFunction(const CallSite &site, std::span<const TensorType> results)
{
    const Ints shape = constantSizes(site.input().shape, "the data's shape");
    const std::size_t tuple = scatterTupleSize(site), rank = shape.size();
    const Ints outer = constantSizes(Shape(site.input(1).shape.begin(), site.input(1).shape.end() - 1),
                                     "the indices' shape");
    std::vector<ScriptAxis> axes = scriptAxes(outer, "u");
    for (ScriptAxis &axis : axes)
        axis.kind = 'o';
    for (std::size_t i = tuple; i < rank; ++i)
        axes.push_back({std::format("v{}", i), shape[i]});
    const std::vector<std::string> all = names(axes);
    std::vector<std::string> own(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(outer.size())),
        region, at;
    std::string conditions;
    own.emplace_back();
    for (std::size_t i = 0; i < rank; ++i) {
        if (i >= tuple) {
            region.push_back(std::format("v{}", i));
            at.push_back(region.back());
            continue;
        }
        own.back() = std::to_string(i);
        const std::string given = scriptElement("p1", own);
        conditions += (i == 0 ? "" : " and ") + isPlace(given, shape[i]);
        region.push_back(std::format("0:{}", shape[i]));
        at.push_back(placeFromFront(given, shape[i]));
    }
    own.back() = std::format("0:{}", tuple);
    const std::string whole = scriptElement("r0", region), target = scriptElement("r0", at),
                      update = scriptElement("p2", all);
    return scriptFunction(site, results,
                          copyOf(shape)
                              + scriptBlock("scatter", axes,
                                            scriptElement("p1", own) + ", " + update + ", " + whole, whole,
                                            std::format("if {}:\n    {} = {}\n", conditions, target,
                                                        combined(site, target, update))));
}

const AttributeField reduction{"reduction", std::string("none"),
                               "combination with the old element: \"none\" (the last update stays), "
                               "\"add\", \"mul\", \"max\" or \"min\""};

} // namespace

void addScatter(TensorOps &table)
{
    table.push_back(
        {.name = "scatter_elements",
         .summary = "a copy of the first input in which each of the third's elements is put at the place "
                    "that the second one names along an axis",
         .fusion = FusionKind::Opaque,
         .minInputs = 3,
         .maxInputs = 3,
         .attributes = {{"axis", std::int64_t{0}, "axis that the indices speak of"}, reduction},
         .infer = &inferElements,
         .function = &elementsFunction});
    table.push_back({.name = "scatter_nd",
                     .summary =
                         "a copy of the first input in which slices of the third are put at the places that "
                         "tuples of the second name",
                     .fusion = FusionKind::Opaque,
                     .minInputs = 3,
                     .maxInputs = 3,
                     .attributes = {reduction},
                     .infer = &inferNd,
                     .function = &ndFunction});
}

} // namespace nestwright::ops
