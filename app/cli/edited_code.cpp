// SPDX-License-Identifier: Apache-2.0
#include "app/cli/edited_code.h"

#include "core/measure/sandbox/sandbox.h"
#include "core/session/history/code_edit.h"
#include "core/support/files/input_file.h"

#include <CLI/CLI.hpp>
#include <iostream>

namespace nestwright::cli {

using support::diagnostic;
using support::fail;
using support::Result;

Result<backend::EditedCode> readEdited(const std::string &file)
{
    const auto kind = backend::editableKindOf(file);
    if (!kind)
        return fail(diagnostic("usage.edited", "the name of '" + file + "' does not say which code it is")
                        .withHint("name C .c, LLVM IR .ll and assembly .s"));
    auto text = support::readText(file);
    if (!text)
        return fail(text.error());
    return backend::EditedCode{*kind, std::move(*text), file};
}

void addEdited(CLI::App &app, std::vector<std::string> &files)
{
    app.add_option(
           "--edited", files,
           "code to compile in place of that of the last schedule: C (.c), LLVM IR (.ll), assembly (.s)")
        ->allow_extra_args(false);
}

void addRunEdited(CLI::App &app, bool &isAgreed)
{
    app.add_flag("--run-edited", isAgreed,
                 "run hand-edited code that a session holds, too, in the sandbox of all kernels");
}

void addWithoutSandbox(CLI::App &app, bool &isAgreed)
{
    app.add_flag("--without-sandbox", isAgreed,
                 "run hand-edited code of files also where this system cannot keep it from files and other "
                 "processes (nestc list machine says what it can)");
}

Result<void> checkSandbox(bool isAgreed)
{
    const measure::Sandbox &sandbox = measure::sandboxHere();
    if (isAgreed || sandbox.holdsStrangers())
        return {};
    return fail(
        diagnostic("usage.sandbox", "hand-edited code of a file is not run: " + session::sandboxText(sandbox))
            .withHint("run it by --without-sandbox if you trust the file"));
}

void noteForeignEdits(int count)
{
    std::cerr << "note: " << session::foreignEditsText(count, measure::sandboxHere())
              << " It is not run; --run-edited does.\n";
}

} // namespace nestwright::cli
