// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/printer.h"
#include "core/suggest/loop_facts.h"
#include "core/workbench/requests/declarations.h"
#include "core/workbench/requests/program_parameters.h"

#include <array>

namespace nestwright::workbench {

using support::fail;
using support::Json;
using support::Result;
using support::StmtId;

namespace {

constexpr std::array describeParameters{moduleParameter, scheduleParameter};

Json statementJson(const suggest::LoopNest &nest, StmtId id)
{
    const ir::For *loop = nest.loop(id);
    const std::size_t loops = nest.loopsTo(id).size();
    Json json{{"name", nest.name(id)},
              {"id", id.value},
              {"kind", loop ? "loop" : "block"},
              {"depth", loop ? loops - 1 : loops}};
    if (!loop)
        return json;
    json["runs"] = suggest::kindBadge(*loop);
    const suggest::LoopFacts facts = suggest::loopFacts(nest, id);
    if (facts.iterations)
        json["iterations"] = *facts.iterations;
    if (facts.flops)
        json["flops"] = *facts.flops;
    if (facts.bytes)
        json["bytes"] = *facts.bytes;
    return json;
}

Result<Json> describeProgram(Opener &opener, const Parameters &parameters)
{
    const auto path = pathOf(opener, parameters);
    if (!path)
        return fail(path.error());
    const suggest::LoopNest nest(path->end(), script::print(path->end().module));
    Json statements = Json::array();
    for (const StmtId id : nest.all())
        statements.push_back(statementJson(nest, id));
    return Json{{"statements", std::move(statements)}};
}

} // namespace

constinit const Request describeRequest{
    "describe", "Describe the loops and blocks of a program", describeParameters,
    "statements, in the order of the program: name, id, kind (loop or block), depth; of a loop runs "
    "(parallel, "
    "vector, unroll, an axis of threads; empty: serial) and, where known, iterations, flops and bytes",
    describeProgram};

} // namespace nestwright::workbench
