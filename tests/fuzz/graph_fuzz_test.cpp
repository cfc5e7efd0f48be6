// SPDX-License-Identifier: Apache-2.0
/// Random graphs at every level of optimisation: what the passes, the default schedules and the memory plan
/// make of them computes the same as the operators one by one. Kernels are run by the interpreter, and those
/// of some graphs compiled too. NESTWRIGHT_FUZZ_SEED and NESTWRIGHT_FUZZ_COUNT choose the graphs,
/// NESTWRIGHT_FUZZ_COMPILED how many of a hundred are compiled.
#include "core/interp/interpreter.h"
#include "core/support/errors/errors.h"
#include "tests/core/graph/run_graph.h"
#include "tests/support/extremes.h"
#include "tests/support/random_graph.h"

#include <array>
#include <cstring>
#include <span>

using namespace nestwright;
using namespace nestwright::graph;
using Arrays = std::vector<ir::NdArray>;

namespace {

int inPlaceRuns = 0; ///< arguments of kernels that a result took the place of

/// Runs a program as the executor does, each kernel with its schedule by the interpreter.
class Machine {
public:
    Machine(const Program &program, const std::vector<ir::Module> &kernels, const Arrays &inputs)
        : m_program(program)
        , m_kernels(kernels)
        , m_arena(static_cast<std::size_t>(program.memory.bytes))
    {
        const std::vector<int> places = program.function.inputs();
        for (std::size_t i = 0; i < places.size(); ++i)
            m_own.emplace(Value{places[i], 0}, inputs[i]);
    }

    support::Result<Arrays> run()
    {
        for (const ProgramStep &step : m_program.steps) {
            const ir::Module &kernel = m_kernels[static_cast<std::size_t>(step.kernel)];
            if (const auto done = call(step.node, *kernel.mainEntry()->function); !done)
                return support::fail(done.error());
        }
        Arrays outputs;
        for (const Value output : m_program.function.outputs)
            outputs.push_back(load(output));
        return outputs;
    }

private:
    support::Result<void> call(int place, const ir::PrimFunc &kernel)
    {
        const Node &node = m_program.function.at(place);
        Arrays values;
        for (const Value input : node.inputs)
            values.push_back(load(input));
        for (std::size_t k = 0; k < node.types.size(); ++k)
            values.push_back(emptyOf({place, static_cast<int>(k)}));
        for (std::size_t i = values.size(); i < kernel.params.size(); ++i) { // kept between its loop nests
            const ir::Buffer &buffer = kernel.params[i].buffer;
            values.emplace_back(buffer.dtype(), *TensorType{buffer.shape(), buffer.dtype()}.constantShape());
        }
        std::vector<ir::NdArray *> arguments;
        for (ir::NdArray &value : values)
            arguments.push_back(&value);
        for (std::size_t k = 0; k < node.types.size(); ++k)
            shareInPlace({place, static_cast<int>(k)}, values, arguments);
        if (const auto done = interp::run(kernel, arguments); !done)
            return support::fail(done.error());
        for (std::size_t k = 0; k < node.types.size(); ++k)
            store({place, static_cast<int>(k)}, values[node.inputs.size() + k]);
        return {};
    }

    /// Where a result takes the place of an input of the same type, both are one array.
    void shareInPlace(Value result, Arrays &values, std::vector<ir::NdArray *> &arguments)
    {
        const auto storage = m_program.memory.inPlaceOf.find(result);
        const std::vector<Value> &inputs = m_program.function.at(result).inputs;
        for (std::size_t i = 0; storage != m_program.memory.inPlaceOf.end() && i < inputs.size(); ++i) {
            if (storageOf(m_program.function, inputs[i]).value != storage->second
                || m_program.function.typeOf(inputs[i]) != m_program.function.typeOf(result))
                continue;
            ir::NdArray &shared = values[inputs.size() + static_cast<std::size_t>(result.output)];
            shared = values[i];
            arguments[i] = &shared;
            ++inPlaceRuns;
        }
    }

    ir::NdArray emptyOf(Value value) const
    {
        const TensorType &type = m_program.function.typeOf(value);
        return {type.dtype, *type.constantShape()};
    }
    std::int64_t offsetOf(Value value) const
    {
        return m_program.memory
            .offsets[static_cast<std::size_t>(value.node)][static_cast<std::size_t>(value.output)];
    }
    ir::NdArray load(Value value) const
    {
        ir::NdArray result = emptyOf(value);
        const StorageLocation storage = storageOf(m_program.function, value);
        const Node &node = m_program.function.at(storage.value);
        const std::byte *from = nullptr;
        if (node.isConstant())
            from = node.data->bytes().data();
        else if (const auto own = m_own.find(storage.value); own != m_own.end())
            from = own->second.bytes().data();
        else if (offsetOf(storage.value) != MemoryPlan::none)
            from = m_arena.data() + offsetOf(storage.value);
        if (!result.bytes().empty())
            std::memcpy(result.bytes().data(), from + storage.bytes, result.bytes().size());
        return result;
    }
    void store(Value value, const ir::NdArray &array)
    {
        if (offsetOf(value) == MemoryPlan::none)
            m_own.insert_or_assign(value, array);
        else
            std::memcpy(m_arena.data() + offsetOf(value), array.bytes().data(), array.bytes().size());
    }

    const Program &m_program;
    const std::vector<ir::Module> &m_kernels;
    std::vector<std::byte> m_arena;
    std::map<Value, ir::NdArray> m_own; ///< inputs and outputs
};

/// The machine that schedules are tuned on, or another: of each width of vectors, with few registers and
/// small caches or many and large.
target::Machine machineOf(std::uint64_t seed)
{
    target::Machine machine = target::tunedMachine();
    if (seed % 4 == 0)
        return machine;
    machine.vectors.bytes = std::int64_t{8} << (seed % 4); // 16, 32 or 64
    machine.vectors.registers = seed / 4 % 2 == 0 ? 16 : 32;
    constexpr std::array threads{1, 5, 12, 32, 128};
    machine.threads = threads[seed / 8 % threads.size()];
    machine.vectors.units = 1 + static_cast<int>(seed / 5 % 2);
    machine.vectors.latency = 2 + static_cast<int>(seed / 10 % 4);
    if (seed / 40 % 2 == 0)
        machine.levels = {{"L1", 16 * target::kilobyte, 0, 4}, {"L2", 128 * target::kilobyte, 0, 8}};
    target::fitSizes(machine);
    return machine;
}

/// The fault in the graph at that level; empty when there is none.
std::string wrongAt(const Function &function, const Arrays &inputs, const Arrays &expected, int level,
                    bool compiled, const target::Machine &machine)
{
    PassContext context;
    context.level = level;
    context.target = target::Context({}, machine);
    auto optimized = optimize(function, context);
    if (!optimized)
        return optimized.error().render();
    if (compiled) {
        const auto actual = tests::compiled(std::move(optimized->function), inputs, machine);
        return actual ? tests::difference(expected, *actual) : actual.error().render();
    }
    auto program = makeProgram(std::move(optimized->function), machine);
    if (!program)
        return program.error().render();
    const auto kernels = scheduleKernels(*program);
    if (!kernels)
        return kernels.error().render();
    const auto actual = Machine(*program, *kernels, inputs).run();
    return actual ? tests::difference(expected, *actual) : actual.error().render();
}

bool hasCallOf(const Function &function, std::span<const std::string_view> names)
{
    return std::ranges::any_of(function.nodes, [&](const Node &node) {
        return node.op && std::ranges::contains(names, node.op->name);
    });
}

/// Whether NaN and huge numbers give the same in whatever way the graph is computed. The maximum of NaN and
/// another number is the one that comes last; a convolution by tiles mixes the numbers of a tile.
bool bearsExtremes(const Function &function, const target::Machine &machine)
{
    constexpr std::array<std::string_view, 3> ordered{"max", "min", "nn.max_pool"};
    constexpr std::array<std::string_view, 1> byTiles{"nn.winograd_conv"};
    if (hasCallOf(function, ordered))
        return false;
    PassContext context;
    context.level = 3;
    context.target = target::Context({}, machine);
    context.disabled = {"fuse-ops"}; // which hides calls in groups
    const auto optimized = optimize(function, context);
    return !optimized || !hasCallOf(optimized->function, byTiles);
}

std::string wrongWith(const Function &function, std::uint64_t seed, bool compiled)
{
    Arrays inputs = tests::randomInputs(function, seed);
    const bool hasExtremes = seed % 2 == 0 && bearsExtremes(function, machineOf(seed));
    for (std::size_t i = 0; hasExtremes && i < inputs.size(); ++i) {
        if (inputs[i].dtype().isFloating())
            tests::addExtremes(inputs[i], seed + i);
    }
    const auto expected = tests::interpreted(function, inputs);
    if (!expected)
        return "one by one: " + expected.error().render();
    for (int level = 0; level <= 3; ++level) {
        if (const std::string wrong = wrongAt(function, inputs, *expected, level, compiled, machineOf(seed));
            !wrong.empty())
            return std::format("level {}: {}", level, wrong);
    }
    return {};
}

/// The first node that by itself, with its operands, still goes wrong.
std::string smallest(const Function &function, std::uint64_t seed, bool compiled)
{
    for (int i = 0; i < static_cast<int>(function.nodes.size()); ++i) {
        Function less = function;
        less.outputs = {{i, 0}};
        less.outputNames = {"y"};
        less = withoutDeadNodes(less);
        if (const std::string wrong = wrongWith(less, seed, compiled); !wrong.empty())
            return wrong + "\n" + print(less);
    }
    return "only with all outputs:\n" + print(function);
}

} // namespace

class GraphFuzzTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void randomGraphs()
    {
        const auto number = [](const char *name, int otherwise) {
            bool given = false;
            const int value = qEnvironmentVariableIntValue(name, &given);
            return given ? value : otherwise;
        };
        const int first = number("NESTWRIGHT_FUZZ_SEED", 0), count = number("NESTWRIGHT_FUZZ_COUNT", 300);
        const int compiled = number("NESTWRIGHT_FUZZ_COMPILED", 3);
        std::map<std::string_view, int> calls;
        for (int seed = first; seed < first + count; ++seed) {
            tests::Random random(static_cast<std::uint64_t>(seed));
            const Function function = tests::randomGraph(random, static_cast<int>(random.between(4, 24)),
                                                         seed % 4 == 3); // of those some are empty
            for (const Node &node : function.nodes)
                ++calls[node.op ? node.op->name : "none"];
            const bool compiles = seed % 100 < compiled;
            const std::string wrong = wrongWith(function, static_cast<std::uint64_t>(seed), compiles);
            if (!wrong.empty())
                QFAIL(std::format("seed {}: {}\n{}", seed, wrong,
                                  smallest(function, static_cast<std::uint64_t>(seed), compiles))
                          .c_str());
        }
        qInfo("%d times in place", inPlaceRuns);
        QVERIFY(count < 300 || inPlaceRuns > 100);
        for (const auto &[name, times] : calls)
            qInfo("%-24s %d times", std::string(name).c_str(), times);
        for (const char *name :
             {"nn.conv", "nn.matmul", "nn.max_pool", "concatenate", "strided_slice", "nn.softmax", "where"})
            QVERIFY2(count < 300 || calls[name] > 0, name);
    }
};

QTEST_GUILESS_MAIN(GraphFuzzTest)
#include "graph_fuzz_test.moc"
