// SPDX-License-Identifier: Apache-2.0
#include "core/backend/link/c_header.h"

#include "core/codegen/c_names.h"

#include <cctype>

namespace nestwright::backend {

namespace {

/// Declaration in C; 16-bit floats are passed as their bits.
std::string cType(ir::DataType type)
{
    if (type.isBool())
        return "uint8_t";
    if (type.isFloating())
        return type.bits == 64 ? "double" : type.bits == 32 ? "float" : "uint16_t";
    return (type.isUInt() ? "uint" : "int") + std::to_string(type.bits) + "_t";
}

std::string guardOf(const std::string &stem)
{
    std::string guard = stem + "_H";
    for (char &c : guard)
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::toupper(c)) : '_';
    return guard;
}

std::string shapeComment(const Entry &entry)
{
    std::string text;
    for (const Argument &argument : entry.arguments) {
        text += text.empty() ? "" : "; ";
        text += codegen::cIdentifier(argument.name) + ": ";
        if (argument.kind != Argument::Kind::Buffer) {
            text += argument.kind == Argument::Kind::Size ? "size" : "scalar";
            continue;
        }
        for (std::size_t d = 0; d < argument.shape.size(); ++d)
            text += (d > 0 ? " x " : "")
                    + (argument.shape[d] < 0 ? std::string("?") : std::to_string(argument.shape[d]));
        text += (argument.shape.empty() ? "" : " ") + argument.dtype.str();
    }
    return text;
}

} // namespace

std::pair<std::string, std::string> cParametersOf(const Entry &entry)
{
    std::string declared, passed;
    for (const Argument &argument : entry.arguments) {
        const bool isBuffer = argument.kind == Argument::Kind::Buffer;
        const std::string name = codegen::cIdentifier(argument.name), comma = declared.empty() ? "" : ", ";
        declared += comma + cType(argument.dtype) + (isBuffer ? " *" : " ") + name;
        passed += comma + name;
    }
    return {declared.empty() ? "void" : declared, passed};
}

std::string cHeader(const std::vector<Entry> &entries, const std::string &stem, const ProcessorNeeds &needs)
{
    const std::string guard = guardOf(stem), made = describe(needs);
    std::string text =
        "/* Made by Nestwright. Functions return 0, or 1: an integer was divided by 0; 2: no memory; 3: an "
        "assertion failed.\n * Pointers to data must not be null: only packed functions notice, and return "
        "4.\n"
        + (made.empty() ? "" : " * For the processor " + made + ".\n")
        + (needs.extensions.empty() ? ""
                                    : " * Where the processor lacks one of these, functions do nothing and "
                                      "return 5.\n")
        + " */\n#ifndef " + guard + "\n#define " + guard
        + "\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    for (const Entry &entry : entries) {
        text += "\n/* " + shapeComment(entry) + " */\nint32_t " + entry.symbol + '('
                + cParametersOf(entry).first + ");\n"
                + "/* The same with the addresses of the arguments. */\nint32_t " + entry.symbol
                + "__packed(void **args);\n";
    }
    return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

} // namespace nestwright::backend
