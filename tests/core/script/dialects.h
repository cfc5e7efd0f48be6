// SPDX-License-Identifier: Apache-2.0
/// Programs in the dialects of the versions of TVM.
#pragma once

#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/programs.h"

#include <QtTest>

#include <string>

namespace nestwright::tests {

/// Printed in `dialect`, after checking that every dialect's text is read as the same module.
inline std::string printed(const ir::Module &module, script::Dialect dialect)
{
    for (const script::Dialect each : script::allDialects) {
        const std::string text = script::print(module, each).text;
        const ir::Module again = parsed(text);
        if (const auto difference = ir::firstDifference(module, again))
            qFatal("%s", (*difference + "\n" + text).c_str());
        if (script::print(again, each).text != text)
            qFatal("%s", ("printed another time it differs:\n" + text).c_str());
    }
    return script::print(module, dialect).text;
}

/// Why the text is no program; nothing where it is one.
inline support::Diagnostic refusal(const std::string &text)
{
    const auto module = script::parseTvmScript(text, "test.py");
    return module ? support::Diagnostic() : module.error();
}

/// A function in the language of the later versions.
inline std::string tirxFunction(const std::string &head, const std::string &body = "    T.evaluate(0)\n")
{
    return "# from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\ndef " + head + ":\n" + body;
}

} // namespace nestwright::tests
