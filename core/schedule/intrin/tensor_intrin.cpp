// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/intrin/tensor_intrin.h"

#include "core/analysis/access/complete_regions.h"
#include "core/schedule/intrin/tensor_intrin_mma.h"
#include "core/script/tvmscript/parser.h"
#include "core/support/errors/errors.h"

#include <mutex>

namespace nestwright::schedule {

using support::diagnostic;
using support::fail;

support::Result<TensorIntrin> readTensorIntrin(std::string_view text, const std::string &fileName)
{
    const auto parsed = script::parseTvmScript(text, fileName);
    if (!parsed)
        return fail(parsed.error());
    ir::Module module;
    try {
        module = analysis::completeRegions(*parsed);
    } catch (const support::UserError &error) {
        return fail(error.diagnostic());
    }
    const auto &functions = module.functions();
    if (functions.size() != 2)
        return fail(diagnostic("intrin.file", "a tensor intrinsic is two functions, its description and its "
                                              "implementation; found "
                                                  + std::to_string(functions.size()))
                        .at(fileName, 1, 1));
    TensorIntrin intrin{functions[0].function, functions[1].function};
    const auto &described = intrin.description->params, &implemented = intrin.implementation->params;
    bool same = described.size() == implemented.size();
    for (std::size_t i = 0; same && i < described.size(); ++i) {
        same = described[i].buffer && implemented[i].buffer
               && described[i].buffer.dtype() == implemented[i].buffer.dtype()
               && described[i].buffer->scope == implemented[i].buffer->scope
               && described[i].buffer.shape().size() == implemented[i].buffer.shape().size();
    }
    if (!same)
        return fail(diagnostic("intrin.file", "the description and the implementation must have the same "
                                              "buffers as parameters")
                        .at(fileName, 1, 1));
    if (!intrin.description->root() || !intrin.implementation->root())
        return fail(
            diagnostic("intrin.file", "a tensor intrinsic is written with blocks").at(fileName, 1, 1));
    return intrin;
}

namespace {

/// Read when first asked for.
struct Standard {
    std::string text;
    std::once_flag once;
    TensorIntrin intrin;
};

std::map<std::string, Standard, std::less<>> &standardIntrins()
{
    static std::map<std::string, Standard, std::less<>> table = [] {
        std::map<std::string, Standard, std::less<>> made;
        for (std::vector<IntrinText> (*const list)() : {&dotProductIntrins, &wmmaIntrins, &mmaIntrins}) {
            for (IntrinText &intrin : list())
                made[std::move(intrin.name)].text = std::move(intrin.text);
        }
        return made;
    }();
    return table;
}

} // namespace

const TensorIntrin *findStandardIntrin(std::string_view name)
{
    const auto found = standardIntrins().find(name);
    if (found == standardIntrins().end())
        return nullptr;
    Standard &standard = found->second;
    std::call_once(standard.once, [&] {
        auto intrin = readTensorIntrin(standard.text, std::string(name));
        NW_ASSERT(intrin.has_value(), "the standard intrinsic " + std::string(name)
                                          + " is not well-formed: " + intrin.error().render());
        standard.intrin = std::move(*intrin);
    });
    return &standard.intrin;
}

std::vector<std::string_view> standardIntrinNames()
{
    std::vector<std::string_view> names;
    for (const auto &[name, standard] : standardIntrins())
        names.push_back(name);
    return names;
}

} // namespace nestwright::schedule
