// SPDX-License-Identifier: Apache-2.0
/// Random graphs at every level of optimisation: what the passes, the default schedules and the memory plan make of them computes
/// the same as the operators one by one. Kernels are run by the interpreter, and those of some graphs compiled too.
/// NESTWRIGHT_FUZZ_SEED and NESTWRIGHT_FUZZ_COUNT choose the graphs, NESTWRIGHT_FUZZ_COMPILED how many of a hundred are compiled.
#include "core/graph/strategy/strategy.h"
#include "core/interp/interpreter.h"
#include "core/support/errors.h"
#include "tests/core/graph/run_graph.h"
#include "tests/support/random_graph.h"

#include <cstring>

using namespace nestwright;
using namespace nestwright::graph;
using Arrays = std::vector<ir::NdArray>;

namespace {

/// Runs a program as the executor does, each kernel with its default schedule by the interpreter.
class Machine {
public:
    Machine(const Program &program, const Arrays &inputs)
        : m_program(program)
        , m_arena(static_cast<std::size_t>(program.memory.bytes))
    {
        const std::vector<int> places = program.function.inputs();
        for (std::size_t i = 0; i < places.size(); ++i)
            m_own.emplace(Value{places[i], 0}, inputs[i]);
    }

    support::Result<Arrays> run(bool scheduled)
    {
        for (const ProgramStep &step : m_program.steps) {
            ir::Module module = m_program.kernels[static_cast<std::size_t>(step.kernel)].module;
            if (scheduled) {
                auto schedule = defaultSchedule(module);
                if (!schedule)
                    return support::fail(schedule.error());
                module = schedule->state.module;
            }
            if (const auto done = call(step.node, module); !done)
                return support::fail(done.error());
        }
        Arrays outputs;
        for (const Value output : m_program.function.outputs)
            outputs.push_back(load(output));
        return outputs;
    }

private:
    support::Result<void> call(int place, const ir::Module &module)
    {
        const Node &node = m_program.function.at(place);
        Arrays values;
        for (const Value input : node.inputs)
            values.push_back(load(input));
        for (std::size_t k = 0; k < node.types.size(); ++k)
            values.push_back(emptyOf({place, static_cast<int>(k)}));
        std::vector<ir::NdArray *> arguments;
        for (ir::NdArray &value : values)
            arguments.push_back(&value);
        if (const auto done = interp::run(*module.mainEntry()->function, arguments); !done)
            return support::fail(done.error());
        for (std::size_t k = 0; k < node.types.size(); ++k)
            store({place, static_cast<int>(k)}, values[node.inputs.size() + k]);
        return {};
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
        const Home home = homeOf(m_program.function, value);
        const Node &node = m_program.function.at(home.value);
        const std::byte *from = nullptr;
        if (node.isConstant())
            from = node.data->bytes().data();
        else if (const auto own = m_own.find(home.value); own != m_own.end())
            from = own->second.bytes().data();
        else if (offsetOf(home.value) != MemoryPlan::none)
            from = m_arena.data() + offsetOf(home.value);
        if (!result.bytes().empty())
            std::memcpy(result.bytes().data(), from + home.bytes, result.bytes().size());
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
    std::vector<std::byte> m_arena;
    std::map<Value, ir::NdArray> m_own; ///< inputs and outputs
};

/// What is wrong with the graph at that level; empty when nothing is.
std::string wrongAt(const Function &function, const Arrays &inputs, const Arrays &expected, int level,
                    bool compiled)
{
    PassContext context;
    context.level = level;
    auto optimized = optimize(function, context);
    if (!optimized)
        return optimized.error().render();
    if (compiled) {
        const auto actual = tests::compiled(std::move(optimized->function), inputs);
        return actual ? tests::difference(expected, *actual) : actual.error().render();
    }
    const auto program = makeProgram(std::move(optimized->function));
    if (!program)
        return program.error().render();
    const auto actual = Machine(*program, inputs).run(level != 0);
    return actual ? tests::difference(expected, *actual) : actual.error().render();
}

std::string wrongWith(const Function &function, std::uint64_t seed, bool compiled)
{
    const Arrays inputs = tests::randomInputs(function, seed);
    const auto expected = tests::interpreted(function, inputs);
    if (!expected)
        return "one by one: " + expected.error().render();
    for (int level = 0; level <= 3; ++level) {
        if (const std::string wrong = wrongAt(function, inputs, *expected, level, compiled); !wrong.empty())
            return std::format("level {}: {}", level, wrong);
    }
    return {};
}

/// The first node that by itself, with what it needs, still goes wrong.
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
            const Function function = tests::randomGraph(random, static_cast<int>(random.between(4, 24)));
            for (const Node &node : function.nodes)
                ++calls[node.op ? node.op->name : "none"];
            const bool compiles = seed % 100 < compiled;
            const std::string wrong = wrongWith(function, static_cast<std::uint64_t>(seed), compiles);
            if (!wrong.empty())
                QFAIL(std::format("seed {}: {}\n{}", seed, wrong,
                                  smallest(function, static_cast<std::uint64_t>(seed), compiles))
                          .c_str());
        }
        for (const auto &[name, times] : calls)
            qInfo("%-24s %d times", std::string(name).c_str(), times);
        for (const char *name :
             {"nn.conv", "nn.matmul", "nn.max_pool", "concatenate", "strided_slice", "nn.softmax", "where"})
            QVERIFY2(count < 300 || calls[name] > 0, name);
    }
};

QTEST_GUILESS_MAIN(GraphFuzzTest)
#include "graph_fuzz_test.moc"
