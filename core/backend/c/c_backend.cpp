// SPDX-License-Identifier: Apache-2.0
#include "core/backend/c/c_backend.h"

#include "core/backend/codes.h"
#include "core/backend/link/compiler.h"
#include "core/backend/processor_needs.h"
#include "core/codegen/c_family.h"
#include "core/codegen/loops.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/ir/node/attributes.h"
#include "core/ir/shared_memory.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <array>

namespace nestwright::backend {

using codegen::CodeWriter;
using codegen::Parameter;
using support::fail;
using support::Result;

namespace {

/// Standard C11; OpenMP where the compiler has it switched on.
class CEmitter : public codegen::CFamilyEmitter {
protected:
    void loopPragma(const ir::For &node, bool setsError) override
    {
        CFamilyEmitter::loopPragma(node, setsError);
        if (codegen::staysLoop(node))
            m_out.line("#pragma GCC unroll 1");
        if (node.forKind != ir::ForKind::Parallel)
            return;
        m_out.line("#ifdef _OPENMP");
        m_out.line(setsError ? "#pragma omp parallel for reduction(max : nw_error)"
                             : "#pragma omp parallel for");
        m_out.line("#endif");
    }
};

std::vector<Parameter> parametersOf(const ir::PrimFunc &function, const Signature &signature)
{
    std::vector<Parameter> parameters;
    for (std::size_t i = 0; i < signature.arguments.size(); ++i) {
        const Argument &argument = signature.arguments[i];
        Parameter parameter{signature.variables[i], argument.dtype, argument.name};
        if (argument.kind == Argument::Kind::Buffer) {
            parameter.var = function.params[i].buffer->data;
            parameter.isBuffer = true;
            ir::forEachStmt(function.body, [&](const ir::Stmt &s) {
                const auto *store = s.as<ir::BufferStore>();
                parameter.isWritten = parameter.isWritten || (store && store->buffer->data == parameter.var);
                return true;
            });
        }
        parameters.push_back(std::move(parameter));
    }
    return parameters;
}

/// The C type that the argument's slot points to.
std::string pointedType(const Parameter &parameter, const CEmitter &emitter)
{
    const bool isWritten = parameter.isBuffer && parameter.isWritten;
    return (isWritten ? "" : "const ") + emitter.memoryType(parameter.dtype);
}

/// The mark between the type of a parameter and its name.
std::string_view pointerMark(const ir::PrimFunc &function, const std::vector<Parameter> &parameters,
                             std::size_t i)
{
    return !parameters[i].isBuffer ? "" : ir::isNoAlias(function, i) ? " *restrict" : " *";
}

/// Both functions of one entry, after its body was written.
void writeFunction(CodeWriter &out, CEmitter &emitter, const std::string &symbol, const CodeWriter &body,
                   const ir::PrimFunc &function, const std::vector<Parameter> &parameters)
{
    std::string declared, passed;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Parameter &parameter = parameters[i];
        const std::string type = pointedType(parameter, emitter), name = emitter.nameOf(parameter);
        const std::string_view comma = i > 0 ? ", " : "", mark = pointerMark(function, parameters, i);
        declared.append(comma).append(type).append(mark).append(mark.ends_with('*') ? "" : " ").append(name);
        passed.append(comma).append(parameter.isBuffer ? "(" : "*(").append(type).append(" *)args[");
        passed.append(std::to_string(i)).append("]");
    }
    out.line("int32_t " + symbol + '(' + (declared.empty() ? "void" : declared) + ')');
    out.line("{");
    out.indent();
    if (emitter.usesError())
        out.line("int32_t nw_error = 0;");
    out.append(body);
    out.line(emitter.usesError() ? "return nw_error;" : "return 0;");
    out.outdent();
    out.line("}");
    out.blank();
    out.line("/* The arguments by their addresses, for callers that learn of them at run time. */");
    out.line("int32_t " + symbol + "__packed(void **args)");
    out.line("{");
    out.indent();
    if (parameters.empty()) {
        out.line("(void)args;");
    } else {
        std::string isNull = "!args";
        for (std::size_t i = 0; i < parameters.size(); ++i)
            isNull.append(" || !args[").append(std::to_string(i)).append("]");
        out.line("if (" + isNull + ')');
        out.line("    return 4;");
    }
    out.line("return " + symbol + '(' + passed + ");");
    out.outdent();
    out.line("}");
}

std::string declaration(const CEmitter &emitter, const std::string &symbol, const ir::PrimFunc &function,
                        const std::vector<Parameter> &parameters)
{
    std::string types;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Parameter &parameter = parameters[i];
        const std::string type = emitter.memoryType(parameter.dtype);
        const std::string constness = parameter.isWritten || !parameter.isBuffer ? "" : "const ";
        types.append(types.empty() ? "" : ", ").append(constness).append(type);
        types.append(pointerMark(function, parameters, i));
    }
    return "int32_t " + symbol + '(' + (types.empty() ? "void" : types) + ");";
}

/// Options of a compiler where arithmetic is that of real numbers: all of -ffast-math but what leaves NaN
/// and infinities out, and what changes the processor's mode.
constexpr std::array realArithmetic{"-fassociative-math", "-freciprocal-math", "-fno-signed-zeros",
                                    "-fno-trapping-math", "-fno-math-errno"};

/// Whether every function allows it, as a compiler is told it for all of a file.
bool allowsFastMath(const Unit &unit)
{
    return std::ranges::all_of(unit.flat.functions(),
                               [](const auto &entry) { return ir::allowsFastMath(*entry.function); });
}

CodeWriter writeUnit(const Unit &unit)
{
    CEmitter emitter;
    CodeWriter functions, declarations;
    const std::vector<Entry> entries = unit.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const ir::PrimFunc &function = *unit.flat.functions()[i].function;
        const std::vector<Parameter> parameters = parametersOf(function, unit.signatures[i]);
        const CodeWriter body = emitter.body(function.body, parameters);
        functions.blank();
        writeFunction(functions, emitter, entries[i].symbol, body, function, parameters);
        declarations.line(declaration(emitter, entries[i].symbol, function, parameters));
        declarations.line("int32_t " + entries[i].symbol + "__packed(void **args);");
    }
    CodeWriter out;
    out.line("/* Made by Nestwright. C11; parallel loops need -fopenmp to be parallel. Functions return 0, "
             "or 1: an integer was");
    out.line(" * divided by 0; 2: no memory; 3: an assertion failed; packed ones also 4: a null pointer. */");
    if (allowsFastMath(unit)) {
        std::string options;
        for (const char *option : realArithmetic)
            options.append(" ").append(option);
        out.line("/* Allows arithmetic as that of real numbers:" + options + " */");
    }
    out.line("#include <stdint.h>");
    for (const std::string &header : emitter.headers())
        out.line("#include <" + header + '>');
    out.blank();
    out.append(declarations);
    for (const std::string &definition : emitter.helperDefinitions()) {
        out.blank();
        for (std::size_t start = 0; start <= definition.size();) {
            const std::size_t end = std::min(definition.find('\n', start), definition.size());
            out.line(std::string_view(definition).substr(start, end - start));
            start = end + 1;
        }
    }
    out.append(functions);
    return out;
}

} // namespace

Result<Source> cSource(const Unit &unit, const target::Target &, SourceKind kind, std::stop_token)
{
    try {
        const CodeWriter out = writeUnit(unit);
        return Source{out.text(), out.spans(), kind};
    } catch (const support::UserError &error) {
        return fail(error.diagnostic());
    }
}

namespace {

/// The shared object that the compiler makes of the file.
Result<Artifact> sharedObject(const std::filesystem::path &file, const target::Target &target,
                              bool allowsFast, const std::stop_token &stop)
{
    const std::filesystem::path object = file.parent_path() / "kernel.so";
    std::vector<std::string> common = processorOptions(target);
    if (common.empty())
        common.emplace_back("-march=native");
    common.insert(common.end(), {"-std=c11", "-O3", "-ffp-contract=fast", "-fPIC", "-shared", "-o",
                                 object.string(), file.string()});
    if (allowsFast)
        common.insert(common.end(), realArithmetic.begin(), realArithmetic.end());
    std::vector<std::string> arguments = common;
    arguments.insert(arguments.end(), {"-fopenmp", "-lm"});
    auto compiled = runCompiler(arguments, stop);
    if (!compiled
        && compiled.error().code == codes::compilerFailed) { // perhaps it has no OpenMP: then serial
        arguments = common;
        arguments.emplace_back("-lm");
        compiled = runCompiler(arguments, stop);
    }
    if (!compiled)
        return std::unexpected(compiled.error());
    Artifact artifact;
    artifact.format = Format::SharedObject;
    artifact.bytes = readFile(object);
    return artifact;
}

} // namespace

Result<Artifact> cCompile(const Unit &unit, const target::Target &target, std::stop_token stop)
try {
    const auto text = cSource(unit, target, SourceKind::C, stop);
    if (!text)
        return std::unexpected(text.error());
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "kernel.c";
    writeFile(file, text->text);
    auto artifact = sharedObject(file, target, allowsFastMath(unit), stop);
    if (artifact) {
        artifact->entries = unit.entries();
        artifact->target = target.str();
    }
    return artifact;
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

Result<Artifact> cCompileText(const TextUnit &unit, const std::stop_token &stop)
try {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "edited.c";
    writeFile(file, unit.code.text);
    auto artifact = sharedObject(file, unit.target, unit.allowsFastMath, stop);
    if (!artifact && artifact.error().code == codes::compilerFailed)
        return fail(compilerError(artifact.error().message, file.string(), unit.code));
    return artifact;
} catch (const support::UserError &error) {
    return fail(error.diagnostic());
}

std::string cVersion()
{
    static const std::string version = compilerVersion();
    return version;
}

} // namespace nestwright::backend
