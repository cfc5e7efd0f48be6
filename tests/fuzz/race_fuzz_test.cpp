// SPDX-License-Identifier: Apache-2.0
/// Random loops whose iterations or threads touch one memory by fused, guarded, shifted and folded indices:
/// what the compiler lets run at the same time has no race in the interpreter, which counts. Random steps on
/// parallel loops over several blocks keep their iterations apart.
/// NESTWRIGHT_FUZZ_SEED and NESTWRIGHT_FUZZ_COUNT choose the programs.
#include "core/analysis/access/complete_regions.h"
#include "core/analysis/device/parallel_conflicts.h"
#include "core/analysis/kernel/allocation_plan.h"
#include "core/interp/interpreter.h"
#include "core/lower/pipeline.h"
#include "core/script/print/printer.h"
#include "tests/fuzz/parallel_stages.h"
#include "tests/support/check_primitive.h"
#include "tests/support/programs.h"
#include "tests/support/random.h"
#include "tests/support/random_step.h"
#include "tests/support/size_bounds.h"

#include <QtTest>

#include <format>
#include <map>
#include <utility>

using namespace nestwright;
using namespace nestwright::tests;

namespace {

struct Loop {
    std::string name;
    std::int64_t extent = 1;
};

/// An index that is never negative, with its largest value.
struct Index {
    std::string text;
    std::int64_t most = 0;
};

class Programs {
public:
    explicit Programs(Random &random) : m_random(random) {}

    std::string ofParallelLoop()
    {
        m_body.clear();
        const bool hasOuter = m_random.chance(40);
        std::vector<Loop> loops;
        if (hasOuter)
            loops.push_back({"o", m_random.between(1, 4)});
        loops.push_back({"p", m_random.between(2, 9)});
        std::string indent = "    ";
        for (const Loop &loop : loops) {
            const bool isParallel = loop.name == "p";
            m_body += std::format("{}for {} in {}({}):\n", indent, loop.name,
                                  isParallel ? "T.parallel" : "range", loop.extent);
            indent += "    ";
        }
        for (std::int64_t count = m_random.between(1, 2), i = 0; i < count; ++i)
            nest(loops, indent, static_cast<int>(i));
        return head() + m_body;
    }

    /// A kernel whose stages hand each other values in shared memory, without a barrier.
    std::string ofThreads()
    {
        m_body.clear();
        const std::array<std::int64_t, 5> sizes{1, 2, 4, 8, 3};
        const auto size = [&] { return sizes[static_cast<std::size_t>(m_random.below(5))]; };
        const Loop bx{"bx", m_random.between(1, 2)}, ty{"ty", size()},
            tx{"tx", size() * (m_random.chance(10) ? 16 : 1)};
        std::string indent = "    ";
        for (const auto &[loop, axis] :
             {std::pair(bx, "blockIdx.x"), {ty, "threadIdx.y"}, {tx, "threadIdx.x"}}) {
            m_body += std::format("{}for {} in T.thread_binding({}, thread=\"{}\"):\n", indent, loop.name,
                                  loop.extent, axis);
            indent += "    ";
        }
        std::vector<Loop> loops{ty, tx};
        if (m_random.chance(50)) {
            loops.push_back({"k", m_random.between(1, 4)});
            m_body += std::format("{}for k in range({}):\n", indent, loops.back().extent);
            indent += "    ";
        }
        for (std::int64_t count = m_random.between(2, 4), i = 0; i < count; ++i)
            stage(loops, indent, static_cast<int>(i));
        return head() + m_body;
    }

private:
    std::string head() const
    {
        const bool isKernel = m_body.contains("thread_binding");
        std::string result = std::format("from tvm.script import tir as T\n\n@T.prim_func\ndef main(A: "
                                         "T.Buffer(({0},), \"int32\"), B: T.Buffer(({0},), \"int32\"), I: "
                                         "T.Buffer((64,), \"int32\")):\n    S = T.alloc_buffer(({0},), "
                                         "\"int32\", scope=\"{1}\")\n",
                                         m_size, isKernel ? "shared" : "global");
        if (!isKernel)
            result += std::format("    M = T.alloc_buffer(({0}, 16), \"int32\")\n"
                                  "    V = T.Buffer(({0},), \"int8\", data=S.data)\n",
                                  m_size);
        return result;
    }

    const Loop &one(const std::vector<Loop> &loops)
    {
        return loops[static_cast<std::size_t>(m_random.below(std::ssize(loops)))];
    }

    /// A loop, two of them as one, or a part of either.
    Index digit(const std::vector<Loop> &loops)
    {
        const Loop &first = one(loops);
        Index result{first.name, first.extent - 1};
        if (m_random.chance(50)) {
            const Loop &second = one(loops);
            result = {std::format("({} * {} + {})", first.name, second.extent, second.name),
                      (first.extent - 1) * second.extent + second.extent - 1};
        }
        if (m_random.chance(20)) {
            const std::int64_t shift = m_random.between(1, 5);
            result = {std::format("({} + {})", result.text, shift), result.most + shift};
        }
        const std::int64_t by = m_random.between(2, 8);
        if (m_random.chance(30))
            return {std::format("{} // {}", result.text, by), result.most / by};
        if (m_random.chance(30))
            return {std::format("{} % {}", result.text, by), std::min(result.most, by - 1)};
        if (m_random.chance(10))
            return {std::format("({} - {})", result.most, result.text), result.most};
        return result;
    }

    Index index(const std::vector<Loop> &loops)
    {
        Index result = digit(loops);
        for (std::int64_t more = m_random.below(3); more > 0; --more) {
            const Index next = digit(loops);
            const std::int64_t factor = m_random.chance(60) ? next.most + 1 : m_random.between(1, 6);
            result = {std::format("({}) * {} + {}", result.text, factor, next.text),
                      result.most * factor + next.most};
        }
        if (m_random.chance(20)) {
            const std::int64_t shift = m_random.between(1, 7);
            result = {std::format("{} + {}", result.text, shift), result.most + shift};
        }
        if (m_random.chance(15) || result.most >= most) {
            const std::int64_t by = m_random.between(2, 64);
            result = {std::format("({}) % {}", result.text, by), std::min(result.most, by - 1)};
        }
        m_size = std::max(m_size, result.most + 1);
        return result;
    }

    std::string condition(const std::vector<Loop> &loops)
    {
        const Index a = digit(loops);
        const std::int64_t value = m_random.between(0, std::max<std::int64_t>(a.most, 1));
        const std::array<std::string, 5> signs{"<", ">=", "==", "!=", "<="};
        std::string result =
            std::format("{} {} {}", a.text, signs[static_cast<std::size_t>(m_random.below(5))], value);
        if (m_random.chance(20)) {
            const Index b = digit(loops);
            result = std::format("{} < {}", a.text, b.text);
        }
        if (m_random.chance(10))
            result = std::format("I[{}] > 4", std::min<std::int64_t>(value, 63));
        if (m_random.chance(15))
            result = std::format("{} {} {}", result, m_random.chance(50) ? "and" : "or", condition(loops));
        return result;
    }

    void guard(const std::vector<Loop> &loops, std::string &indent)
    {
        while (m_random.chance(30)) {
            m_body += std::format("{}if {}:\n", indent, condition(loops));
            indent += "    ";
        }
    }

    void inner(std::vector<Loop> &loops, std::string &indent, int number)
    {
        for (int depth = 0; m_random.chance(45) && depth < 2; ++depth) {
            const bool isVector = m_random.chance(10);
            loops.push_back({std::format("i{}_{}", number, depth), isVector ? 4 : m_random.between(1, 5)});
            m_body += std::format("{}for {} in {}({}):\n", indent, loops.back().name,
                                  isVector ? "T.vectorized" : "range", loops.back().extent);
            indent += "    ";
        }
    }

    /// An element of a memory by one index, by two, by the quotient and the remainder of one, or by the bytes
    /// of another.
    std::string element(const std::vector<Loop> &loops)
    {
        switch (m_random.below(5)) {
        case 0: {
            const Index row = index(loops), column = index(loops);
            return std::format("M[{}, ({}) % 16]", row.text, column.text);
        }
        case 1: {
            const Index whole = index(loops);
            return std::format("M[({0}) // 16, ({0}) % 16]", whole.text);
        }
        case 2: return std::format("V[{}]", index(loops).text);
        default: return std::format("S[{}]", index(loops).text);
        }
    }

    /// Statements of an iteration, which read and write one memory.
    void nest(std::vector<Loop> loops, std::string indent, int number)
    {
        inner(loops, indent, number);
        guard(loops, indent);
        std::string write = element(loops), read = m_random.chance(40) ? write : element(loops);
        if (m_random.chance(15)) {
            m_body += std::format("{}with T.LetStmt({}) as x{}:\n", indent, index(loops).text, number);
            indent += "    ";
            write = std::format("S[x{}]", number);
        }
        const std::string cast = write.starts_with('V') ? "int8" : "int32";
        const auto store = [&](const std::string &value) {
            m_body += std::format("{}{} = T.Cast(\"{}\", {})\n", indent, write, cast, value);
        };
        switch (m_random.below(5)) {
        case 0: store(std::format("A[{}] + {}", index(loops).text, number)); break;
        case 1: store(std::format("T.Cast(\"int32\", {}) + 1", read)); break;
        case 2: store(one(loops).name); break;
        case 3: store(std::format("{}", number + 1)); break;
        default:
            m_body += std::format("{}B[{}] = T.Cast(\"int32\", {}) + {}\n", indent, index(loops).text, read,
                                  one(loops).name);
        }
    }

    void stage(std::vector<Loop> loops, std::string indent, int number)
    {
        inner(loops, indent, number);
        if (m_random.chance(60))
            guard(loops, indent);
        m_body += std::format("{}with T.block(\"s{}\"):\n", indent, number);
        indent += "    ";
        m_body += indent + "T.reads(A[0:1], S[0:1], I[0:1])\n" + indent + "T.writes(B[0:1], S[0:1])\n";
        const Index write = index(loops), read = index(loops);
        const bool isFill = number % 2 == 0 ? m_random.chance(85) : m_random.chance(15);
        if (isFill)
            m_body += std::format("{}S[{}] = A[{}] + {}\n", indent, write.text,
                                  m_random.chance(80) ? write.text : read.text, number);
        else
            m_body += std::format("{}B[bx * {} + ty * {} + tx] = S[{}]\n", indent, 256, 32, read.text);
        if (!isFill)
            m_size = std::max<std::int64_t>(m_size, 1024);
    }

    static constexpr std::int64_t most = 1 << 12;
    Random &m_random;
    std::string m_body;
    std::int64_t m_size = 64;
};

/// Finding of the interpreter: a race, or an access that the program must not do anyway.
support::Result<void> runOf(const ir::PrimFunc &function)
{
    auto arrays = interp::makeArguments(function, 1);
    std::vector<ir::NdArray *> pointers;
    for (ir::NdArray &array : *arrays)
        pointers.push_back(&array);
    return interp::run(function, pointers, {},
                       {.findRaces = true, .ownMemories = analysis::memoriesOfRounds(function)});
}

/// A step, a move of a block below a loop of another one in two of three; none that begins a kernel.
schedule::Step stepOn(const schedule::State &state, Random &random)
{
    const bool isMove = random.chance(66);
    while (true) {
        schedule::Step step = randomStep(state, random, Breadth::All);
        if (isMove ? step.primitive->name.ends_with("compute_at") : step.primitive->name != "bind")
            return step;
    }
}

/// Whether threads write different values to one element by one statement: no barrier helps such a program.
bool isOfOneStatement(const support::Diagnostic &race)
{
    return race.locations.size() == 2 && race.locations.front().stmt == race.locations.back().stmt
           && race.message.contains(" writes it ") && race.message.contains(" writes '");
}

constexpr double bearable = 1e5; // iterations of the interpreter

int seedOf() { return qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED"); }
int countOf()
{
    bool given = false;
    const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_COUNT", &given);
    return given ? wanted : 500;
}

} // namespace

class RaceFuzzTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parallelLoops()
    {
        int accepted = 0;
        for (int seed = seedOf(); seed < seedOf() + countOf(); ++seed) {
            Random random(static_cast<std::uint64_t>(seed));
            const std::string text = Programs(random).ofParallelLoop();
            const ir::Module module = analysis::completeRegions(parsed(text));
            const ir::PrimFunc &function = *module.mainEntry()->function;
            if (analysis::parallelConflict(function))
                continue;
            ++accepted;
            const auto done = runOf(function);
            QVERIFY2(done || done.error().code != "interp.race",
                     std::format("seed {}: {}\n{}", seed, done ? "" : done.error().render(), text).c_str());
        }
        qInfo("%d of %d accepted", accepted, countOf());
        QVERIFY(accepted * 20 > countOf());
    }

    /// A loop whose iterations kept apart before a step keeps them apart behind it.
    void stepsBelowParallelLoops()
    {
        std::map<std::string_view, int> legal;
        for (int seed = seedOf(); seed < seedOf() + countOf(); ++seed) {
            Random random(static_cast<std::uint64_t>(seed));
            schedule::State state = scheduled(ParallelStages(random).program());
            if (analysis::parallelConflict(*state.module.mainEntry()->function))
                continue;
            for (int tries = 0, taken = 0; tries < 40 && taken < 4; ++tries) {
                const schedule::Step step = stepOn(state, random);
                auto applied = schedule::apply(state, step);
                if (!applied || mostIterations(applied->state.module) > bearable)
                    continue;
                ++taken;
                ++legal[step.primitive->name];
                const schedule::State before = std::exchange(state, std::move(applied->state));
                const ir::PrimFunc &function = *state.module.mainEntry()->function;
                const auto why = analysis::parallelConflict(function);
                const auto done = runOf(function);
                QVERIFY2(!why && (done || done.error().code != "interp.race"),
                         std::format("seed {} after {}: {}{}\n{}\nbefore:\n{}", seed, step.primitive->name,
                                     why ? why->render() : "", done ? "" : done.error().render(),
                                     script::print(state.module).text, script::print(before.module).text)
                             .c_str());
            }
        }
        for (const auto &[name, times] : legal)
            qInfo("%-24s %d times", std::string(name).c_str(), times);
        QVERIFY(countOf() < 100 || (legal["compute_at"] > 0 && legal["reverse_compute_at"] > 0));
    }

    void threads()
    {
        int accepted = 0;
        target::Target target;
        target.kind = target::TargetKind::OpenCl;
        for (int seed = seedOf(); seed < seedOf() + countOf(); ++seed) {
            Random random(static_cast<std::uint64_t>(seed));
            const std::string text = Programs(random).ofThreads();
            const ir::Module module = analysis::completeRegions(parsed(text));
            const auto lowered = lower::lower(module, target, {.keepRecords = true, .stop = {}});
            if (!lowered) {
                QVERIFY2(lowered.error().code.starts_with("lower."),
                         std::format("seed {}: {}\n{}", seed, lowered.error().render(), text).c_str());
                continue;
            }
            ++accepted;
            bool isSynced = false;
            for (const lower::PassRecord &record : lowered->records) {
                isSynced = isSynced || record.name == "thread-sync";
                if (record.name == "split-host-device")
                    break; // the interpreter launches nothing
                if (!isSynced)
                    continue;
                const auto done = runOf(*record.after.mainEntry()->function);
                const bool isRacing =
                    !done
                    && (done.error().code == "interp.divergent-barrier"
                        || (done.error().code == "interp.race" && !isOfOneStatement(done.error())));
                QVERIFY2(!isRacing, std::format("seed {} after {}: {}\n{}\n{}", seed, record.name,
                                                done ? "" : done.error().render(), text,
                                                script::print(record.after).text)
                                        .c_str());
                if (!done)
                    break;
            }
        }
        qInfo("%d of %d accepted", accepted, countOf());
        QVERIFY(accepted * 20 > countOf());
    }
};

QTEST_GUILESS_MAIN(RaceFuzzTest)
#include "race_fuzz_test.moc"
