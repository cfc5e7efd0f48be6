// SPDX-License-Identifier: Apache-2.0
#include "core/interp/parameters.h"

#include <utility>

namespace nestwright::interp {

using ir::Expr;

void compileParams(const ir::PrimFunc &function, ExprCompiler &exprs, Program &program)
{
    std::size_t argument = 0;
    for (const ir::Param &param : function.params) {
        if (param.buffer) {
            const std::vector<Expr> &shape = param.buffer.shape();
            for (std::size_t i = 0; i < shape.size(); ++i) {
                if (const ir::Var size = ir::Var::from(shape[i]); size && !exprs.isDefined(size))
                    program.symbols.push_back(
                        {.slot = exprs.define(size), .argument = argument, .dimension = i});
            }
            ++argument;
        } else {
            program.scalars.push_back(param.var);
            program.scalarSlots.push_back(exprs.define(param.var));
        }
    }
    for (const ir::Param &param : function.params) {
        if (!param.buffer)
            continue;
        const ir::Buffer &buffer = param.buffer;
        Program::Argument out{.buffer = buffer,
                              .elements = exprs.elementsOf(buffer.dtype()),
                              .memory = exprs.defineMemory(buffer->data),
                              .setup = {},
                              .strideSlots = {},
                              .offsetSlots = {}};
        for (const Expr &stride : buffer->strides) {
            const ir::Var var = ir::Var::from(stride);
            out.strideSlots.push_back(var ? exprs.define(var) : Program::npos);
        }
        if (const ir::Var offset = ir::Var::from(buffer->elemOffset))
            out.offsetSlots.push_back(exprs.define(offset));
        out.setup = exprs.viewSetup(buffer, exprs.defineView(buffer), out.memory);
        program.arguments.push_back(std::move(out));
    }
}

} // namespace nestwright::interp
