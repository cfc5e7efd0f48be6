// SPDX-License-Identifier: Apache-2.0
#include "core/script/print/printer.h"

#include "core/ir/node/attributes.h"
#include "core/script/print/function_printer.h"
#include "core/script/print/line_wrap.h"

#include <algorithm>
#include <deque>

namespace nestwright::script {

namespace {

Printed printUnwrapped(const ir::Module &module, const PrintStyle &style)
{
    const Dialect dialect = style.dialect;
    Printed result;
    TextWriter out;
    NameTable functionNames;
    std::deque<FunctionPrinter> printers;
    for (const ir::Module::Entry &entry : module.functions())
        printers.emplace_back(out, *entry.function, style);
    std::vector<std::string> sizes;
    for (const FunctionPrinter &printer : printers) {
        for (const std::string &name : printer.typeParamNames()) {
            if (!std::ranges::contains(sizes, name))
                sizes.push_back(name);
        }
    }
    if (!sizes.empty()) {
        out << "from __future__ import annotations"; // Python would look at the sizes otherwise
        out.blankLine();
        out.beginLine();
        out << "# from typing import TypeVar";
        out.beginLine();
    }
    out << "# from tvm.script import ir as I";
    out.beginLine();
    out << (usesTirx(dialect) ? "# from tvm.script import tirx as T" : "# from tvm.script import tir as T");
    out.blankLine();
    for (const std::string &size : sizes) {
        out.beginLine();
        out << size << " = TypeVar(\"" << size << "\")";
    }
    if (!sizes.empty())
        out.blankLine();
    out.beginLine();
    out << "@I.ir_module";
    if (usesTirx(dialect) && std::ranges::any_of(printers, &FunctionPrinter::hasUndeclared))
        out << "(check_well_formed=False)"; // from 0.24 on TVM wants every buffer declared
    out.beginLine();
    out << "class Module:";
    out.indent(1);
    if (!module.attrs().empty()) {
        out.beginLine();
        out << "I.module_attrs(";
        NameTable names;
        ExprPrinter(out, names, dialect).attrs(module.attrs());
        out << ")";
    }
    if (module.functions().empty() && module.attrs().empty()) {
        out.beginLine();
        out << "pass";
    }
    for (std::size_t i = 0; i < printers.size(); ++i) {
        if (i != 0)
            out.blankLine();
        const ir::Module::Entry &entry = module.functions()[i];
        FunctionPrinter &printer = printers[i];
        // "main" is a name that variables may not have, but a function may.
        printer.print(entry.name == "main" ? entry.name : functionNames.fresh(entry.name, "main"));
        std::ranges::move(printer.takeSpans(), std::back_inserter(result.spans));
        std::ranges::move(printer.takeUses(), std::back_inserter(result.varUses));
    }
    out.blankLine();
    result.text = out.take();
    return result;
}

} // namespace

Printed print(const ir::Module &module, const PrintStyle &style)
{
    Printed printed = printUnwrapped(module, style);
    return style.columns > 0 ? wrapped(std::move(printed), style.columns) : printed;
}

Printed print(const ir::Module &module, Dialect dialect) { return print(module, {.dialect = dialect}); }

Printed print(const ir::Function &function, Dialect dialect)
{
    const std::string *name = ir::globalSymbol(*function);
    return print(ir::Module({{name ? *name : "main", function}}), dialect);
}

} // namespace nestwright::script
