// SPDX-License-Identifier: Apache-2.0
#include "core/script/printer.h"

#include "core/script/function_printer.h"

#include <algorithm>

namespace nestwright::script {

Printed print(const ir::Module &module, Dialect dialect)
{
    Printed result;
    TextWriter out;
    NameTable functionNames;
    out << "# from tvm.script import ir as I";
    out.beginLine();
    out << (usesTirx(dialect) ? "# from tvm.script import tirx as T" : "# from tvm.script import tir as T");
    out.blankLine();
    for (const std::string_view line : {"@I.ir_module", "class Module:"}) {
        out.beginLine();
        out << line;
    }
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
    for (const ir::Module::Entry &entry : module.functions()) {
        if (&entry != &module.functions().front())
            out.blankLine();
        FunctionPrinter printer(out, *entry.function, dialect);
        // "main" is a name that variables may not have, but a function may.
        printer.print(entry.name == "main" ? entry.name : functionNames.fresh(entry.name, "main"));
        std::ranges::move(printer.takeSpans(), std::back_inserter(result.spans));
        std::ranges::move(printer.takeUses(), std::back_inserter(result.varUses));
    }
    out.blankLine();
    result.text = out.take();
    return result;
}

Printed print(const ir::Function &function, Dialect dialect)
{
    const auto symbol = function->attrs.find("global_symbol");
    const std::string *name = symbol == function->attrs.end() ? nullptr : symbol->second.asString();
    return print(ir::Module({{name ? *name : "main", function}}), dialect);
}

} // namespace nestwright::script
