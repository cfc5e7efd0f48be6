// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device/device_program.h"

#include "core/analysis/access/integer_code.h"
#include "core/ir/build/builder.h"
#include "core/ir/build/walk.h"
#include "core/lower/kernel_launch.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"
#include "core/support/errors/errors.h"
#include "core/support/text/json.h"

#include <algorithm>
#include <cstring>

namespace nestwright::backend {

using ir::Expr;
using ir::Stmt;
using ir::Var;
using support::fail;
using support::Json;
using support::Result;
using support::UserError;

const DeviceProgram::Kernel *DeviceProgram::find(std::string_view name) const
{
    const auto found = std::ranges::find(kernels, name, &Kernel::name);
    return found == kernels.end() ? nullptr : &*found;
}

std::string DeviceProgram::bytes() const
{
    Json list = Json::array();
    for (const Kernel &kernel : kernels)
        list.push_back({{"name", kernel.name},
                        {"threads", kernel.threads},
                        {"tells-errors", kernel.tellsErrors},
                        {"shared-at-launch", kernel.sharedAtLaunch}});
    std::string bytes; // not as text, which could not hold a shared object
    Json::to_cbor(Json{{"host", script::print(host).text}, {"source", source}, {"kernels", list}}, bytes);
    return bytes;
}

Result<DeviceProgram> DeviceProgram::read(const std::string &bytes)
try {
    const Json value = Json::from_cbor(bytes);
    DeviceProgram program;
    auto host = script::parseTvmScript(value.at("host").get<std::string>(), "host");
    if (!host)
        return std::unexpected(host.error());
    program.host = std::move(*host);
    program.source = value.at("source").get<std::string>();
    for (const Json &each : value.at("kernels"))
        program.kernels.push_back({each.at("name").get<std::string>(), each.at("threads").get<Extents>(),
                                   each.at("tells-errors").get<bool>(),
                                   each.at("shared-at-launch").get<std::int64_t>()});
    return program;
} catch (const Json::exception &error) {
    return fail("backend.load", std::string("the compiled kernels cannot be read: ") + error.what());
}

Artifact artifactOf(const DeviceProgram &program, Format format, const Unit &unit,
                    const target::Target &target)
{
    Artifact artifact;
    artifact.format = format;
    artifact.bytes = program.bytes();
    artifact.entries = unit.entries();
    artifact.target = target.str();
    return artifact;
}

ir::Module hostPart(const ir::Module &flat)
{
    std::vector<ir::Module::Entry> functions;
    std::ranges::copy_if(flat.functions(), std::back_inserter(functions),
                         [](const ir::Module::Entry &entry) { return !lower::isKernel(*entry.function); });
    return ir::Module(std::move(functions), flat.attrs());
}

namespace {

std::vector<std::byte> bytesOf(std::uint64_t word, ir::DataType dtype)
{
    std::vector<std::byte> bytes(static_cast<std::size_t>(dtype.bytes()));
    std::memcpy(bytes.data(), &word, bytes.size());
    return bytes;
}

} // namespace

HostFunction::HostFunction(const DeviceProgram &program, const Entry &entry)
    : m_program(program)
    , m_function(program.host.find(entry.name))
{
    NW_ASSERT(m_function, "the host's part has no function '" + entry.name + '\'');
    for (std::size_t i = 0; i < entry.arguments.size(); ++i) {
        const Argument &argument = entry.arguments[i];
        if (argument.kind == Argument::Kind::Buffer) {
            m_memories.push_back(m_function->params.at(i).buffer->data);
        } else if (argument.kind == Argument::Kind::Scalar) {
            m_scalars.push_back(m_function->params.at(i).var);
        } else {
            const ir::Param &param = m_function->params.at(static_cast<std::size_t>(argument.buffer));
            m_scalars.push_back(
                Var::from(param.buffer.shape().at(static_cast<std::size_t>(argument.dimension))));
        }
    }
}

class HostFunction::Run {
public:
    Run(HostFunction &function, Device &device, DeviceMemory &status)
        : m_function(function)
        , m_device(device)
        , m_status(status)
    {
    }

    void setMemory(const Var &var, DeviceMemory &memory) { m_memories[var] = &memory; }
    void setScalar(const Var &var, std::uint64_t word) { m_words[var] = word; }

    void stmt(const Stmt &s)
    {
        if (const auto launch = lower::KernelLaunch::of(s))
            return start(*launch);
        switch (s.kind()) {
        case ir::StmtKind::Seq:
            for (const Stmt &part : s.as<ir::Seq>()->stmts)
                stmt(part);
            return;
        case ir::StmtKind::For: {
            const auto &loop = *s.as<ir::For>();
            const std::int64_t min = integer(loop.min), extent = integer(loop.extent);
            for (std::int64_t i = 0; i < extent; ++i) {
                m_words[loop.var] = static_cast<std::uint64_t>(min + i);
                stmt(loop.body);
            }
            return;
        }
        case ir::StmtKind::IfThenElse: {
            const auto &branch = *s.as<ir::IfThenElse>();
            if (integer(branch.condition) != 0)
                stmt(branch.thenCase);
            else if (branch.elseCase)
                stmt(branch.elseCase);
            return;
        }
        case ir::StmtKind::LetStmt: {
            const auto &let = *s.as<ir::LetStmt>();
            m_words[let.var] = static_cast<std::uint64_t>(integer(let.value));
            return stmt(let.body);
        }
        case ir::StmtKind::Allocate: {
            const auto &memory = *s.as<ir::Allocate>();
            make(memory);
            return stmt(memory.body);
        }
        case ir::StmtKind::DeclBuffer: {
            const auto &view = *s.as<ir::DeclBuffer>();
            return stmt(view.body);
        }
        case ir::StmtKind::AttrStmt: return stmt(s.as<ir::AttrStmt>()->body);
        default: break;
        }
        NW_ASSERT(ir::isNoOp(s), "the host's part has a statement that launches nothing");
    }

private:
    /// Memory that the host makes is kept between calls.
    void make(const ir::Allocate &memory)
    {
        std::int64_t count = std::int64_t{memory.dtype.bytes()} * memory.dtype.lanes;
        for (const Expr &extent : memory.extents)
            count *= std::max<std::int64_t>(integer(extent), 1);
        std::unique_ptr<DeviceMemory> &made = m_function.m_made[memory.data];
        if (!made)
            made = m_device.allocate(static_cast<std::size_t>(count));
        m_memories[memory.data] = made.get();
    }

    void start(const lower::KernelLaunch &launch)
    {
        const DeviceProgram::Kernel *kernel = m_function.m_program.find(launch.kernel);
        NW_ASSERT(kernel, "the program has no kernel '" + launch.kernel + '\'');
        std::vector<LaunchArgument> arguments;
        for (const Expr &argument : launch.arguments) {
            const Var var = Var::from(argument);
            if (var && argument.dtype().isHandle())
                arguments.emplace_back(m_memories.at(var));
            else
                arguments.emplace_back(bytesOf(
                    var ? m_words.at(var) : static_cast<std::uint64_t>(integer(argument)), argument.dtype()));
        }
        if (kernel->tellsErrors)
            arguments.emplace_back(&m_status);
        Extents blocks{}, threads{};
        std::ranges::transform(launch.blocks, blocks.begin(), [&](const Expr &e) { return integer(e); });
        std::ranges::transform(launch.threads, threads.begin(), [&](const Expr &e) { return integer(e); });
        const auto isNothing = [](std::int64_t extent) { return extent <= 0; };
        if (!std::ranges::any_of(blocks, isNothing) && !std::ranges::any_of(threads, isNothing))
            m_device.launch(launch.kernel, arguments, blocks, threads);
    }

    std::int64_t integer(const Expr &e)
    {
        if (const std::int64_t *known = ir::asInt(e))
            return *known;
        std::vector<Var> vars;
        std::vector<std::int64_t> values;
        for (const Var &var : ir::variablesOf(e)) {
            vars.push_back(var);
            values.push_back(static_cast<std::int64_t>(m_words.at(var)));
        }
        auto code = analysis::IntegerCode::of(e, vars);
        const auto value = code ? code->eval(values) : std::nullopt;
        if (!value)
            throw UserError(support::diagnostic(
                "device.launch", "the number of threads or memory to launch with cannot be computed: "
                                     + script::printExpr(e)));
        return *value;
    }

    HostFunction &m_function;
    Device &m_device;
    DeviceMemory &m_status;
    ir::VarMap<DeviceMemory *> m_memories;
    ir::VarMap<std::uint64_t> m_words;
};

void HostFunction::run(Device &device, std::span<DeviceMemory *const> buffers,
                       std::span<const std::uint64_t> words, DeviceMemory &status)
{
    Run run(*this, device, status);
    for (std::size_t i = 0; i < m_memories.size(); ++i)
        run.setMemory(m_memories[i], *buffers[i]);
    for (std::size_t i = 0; i < m_scalars.size(); ++i)
        run.setScalar(m_scalars[i], words[i]);
    run.stmt(m_function->body);
}

} // namespace nestwright::backend
