// SPDX-License-Identifier: Apache-2.0
/// Forms of TVMScript, each with how it is printed again in the oldest and the newest dialect, or with its
/// error.
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "tests/support/outcomes.h"

using namespace nestwright;

namespace {

constexpr const char *head = "from tvm.script import tir as T\nfrom tvm.script import ir as I\n";
constexpr const char *signature =
    "@T.prim_func\ndef main(A: T.Buffer((16, 16), \"float32\"), J: T.Buffer((64,), "
    "\"int32\"), n: T.int32, x: T.float32, p: T.handle):\n";

/// The text behind the head of the function, or all functions where there are several.
QString bodyOf(const std::string &printed)
{
    const QString text = QString::fromStdString(printed);
    const qsizetype def = text.indexOf("def main(A: T.Buffer((16, 16)");
    if (def < 0)
        return text.mid(text.indexOf("@")).trimmed();
    QString body;
    for (const QString &line : text.mid(text.indexOf('\n', def) + 1).split('\n', Qt::SkipEmptyParts))
        body += (body.isEmpty() ? "" : "\n") + (line.startsWith("        ") ? line.mid(8) : line);
    return body;
}

/// `text` is a whole file where it begins with a decorator or "#", else the body of a function with
/// parameters A, J, n, x and p.
QString outcomeOf(const QString &text)
{
    const bool isFile = text.startsWith('@') || text.startsWith('#');
    QString program =
        QString(head) + (isFile ? text : signature + QString("    ") + QString(text).replace("\n", "\n    "));
    const auto module = script::parseTvmScript((program + '\n').toStdString(), "t.py");
    if (!module)
        return QString::fromStdString(module.error().render());
    const QString oldest = bodyOf(script::print(*module).text);
    const QString newest = bodyOf(script::print(*module, script::allDialects.back()).text);
    return newest == oldest ? oldest : oldest + "\n-- newest:\n" + newest;
}

} // namespace

NW_OUTCOMES_TEST("tests/core/script/outcomes.txt", outcomeOf)
