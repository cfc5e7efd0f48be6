// SPDX-License-Identifier: Apache-2.0
#include "core/target/machine_file.h"

#include "core/support/files/input_file.h"
#include "core/support/text/json.h"
#include "core/support/text/json_nesting.h"
#include "core/target/most_threads.h"

#include <bit>
#include <format>

namespace nestwright::target {

using support::diagnostic;
using support::fail;
using support::Json;
using support::Result;

namespace {

constexpr std::int64_t widestVector = 256, mostRegisters = 128, mostBytes = std::int64_t{1} << 40;
constexpr std::size_t mostCaches = 4, mostCoreKinds = 8;

support::Diagnostic bad(std::string_view member, std::string_view wanted)
{
    return diagnostic("machine.value", std::format("the machine's \"{}\" is not {}", member, wanted))
        .withHint("nestc request machine prints this one as an example");
}

/// Sets `value` where the member is there; an integer from `least` to `most`.
template <class T>
Result<void> take(const Json &json, const char *member, T &value, std::int64_t least, std::int64_t most)
{
    const auto found = json.find(member);
    if (found == json.end())
        return {};
    if (!found->is_number_integer()
        || (found->is_number_unsigned() && found->get<std::uint64_t>() > mostBytes)
        || found->get<std::int64_t>() < least || found->get<std::int64_t>() > most)
        return fail(bad(member, std::format("a whole number from {} to {}", least, most)));
    value = static_cast<T>(found->get<std::int64_t>());
    return {};
}

Result<void> takeRate(const Json &json, const char *member, double &value)
{
    const auto found = json.find(member);
    if (found == json.end())
        return {};
    if (!found->is_number() || !(found->get<double>() >= 0) || found->get<double>() > 1e18)
        return fail(bad(member, "a rate per second"));
    value = found->get<double>();
    return {};
}

Result<MemoryLevel> levelFrom(const Json &json, std::size_t place)
{
    MemoryLevel level{.name = std::format("L{}", place + 1)};
    if (!json.is_object())
        return fail(bad("caches", "a list of objects"));
    if (const auto name = json.find("name"); name != json.end() && name->is_string())
        level.name = name->get<std::string>();
    const bool isMemory = level.name == "DRAM";
    for (const auto &taken :
         {take(json, "bytes", level.bytes, isMemory ? 0 : 1, mostBytes),
          take(json, "ways", level.ways, 1, 1024), take(json, "sharers", level.sharers, 1, mostPoolThreads),
          take(json, "line_bytes", level.lineBytes, 1, 4096),
          takeRate(json, "bytes_per_second", level.bytesPerSecond)}) {
        if (!taken)
            return fail(taken.error());
    }
    if (!isMemory && (level.bytes == 0 || level.sets() == 0))
        return fail(bad("caches", "caches of at least one line in each way"));
    return level;
}

Result<CoreKind> coresFrom(const Json &json)
{
    CoreKind kind;
    if (!json.is_object())
        return fail(bad("cores", "a list of objects"));
    for (const auto &taken :
         {take(json, "count", kind.cores, 1, mostPoolThreads),
          take(json, "threads", kind.threadsOfCore, 1, 8), takeRate(json, "speed", kind.speed)}) {
        if (!taken)
            return fail(taken.error());
    }
    return kind;
}

} // namespace

Json toJson(const Machine &machine)
{
    Json json{{"vector_bytes", machine.vectors.bytes},
              {"vector_registers", machine.vectors.registers},
              {"multiply_adds", machine.vectors.units},
              {"latency", machine.vectors.latency},
              {"loads", machine.vectors.loads},
              {"threads", machine.threads},
              {"memory_nodes", machine.nodes},
              {"cores", Json::array()},
              {"caches", Json::array()}};
    for (const CoreKind &kind : machine.cores)
        json["cores"].push_back(
            Json{{"count", kind.cores}, {"threads", kind.threadsOfCore}, {"speed", kind.speed}});
    if (machine.flops > 0)
        json["flops"] = machine.flops;
    for (const MemoryLevel &level : machine.levels) {
        Json one{{"name", level.name},
                 {"bytes", level.bytes},
                 {"ways", level.ways},
                 {"sharers", level.sharers},
                 {"line_bytes", level.lineBytes}};
        if (level.bytesPerSecond > 0)
            one["bytes_per_second"] = level.bytesPerSecond;
        json["caches"].push_back(std::move(one));
    }
    return json;
}

Result<Machine> machineFrom(const Json &json, const Machine &otherwise)
{
    Machine machine = otherwise;
    if (!json.is_object())
        return fail(diagnostic("machine.file", "this is no machine: an object in JSON is wanted"));
    for (const auto &taken :
         {take(json, "vector_bytes", machine.vectors.bytes, 8, widestVector),
          take(json, "vector_registers", machine.vectors.registers, 4, mostRegisters),
          take(json, "multiply_adds", machine.vectors.units, 1, 16),
          take(json, "latency", machine.vectors.latency, 1, 64),
          take(json, "loads", machine.vectors.loads, 1, 16),
          take(json, "threads", machine.threads, 1, mostPoolThreads),
          take(json, "memory_nodes", machine.nodes, 1, 64), takeRate(json, "flops", machine.flops)}) {
        if (!taken)
            return fail(taken.error());
    }
    if (!std::has_single_bit(static_cast<std::uint64_t>(machine.vectors.bytes)))
        return fail(bad("vector_bytes", "a power of two"));
    if (const auto cores = json.find("cores"); cores != json.end()) {
        if (!cores->is_array() || cores->size() > mostCoreKinds)
            return fail(bad("cores", std::format("a list of at most {}", mostCoreKinds)));
        machine.cores.clear();
        for (const Json &each : *cores) {
            auto kind = coresFrom(each);
            if (!kind)
                return fail(kind.error());
            machine.cores.push_back(*kind);
        }
    }
    if (const auto caches = json.find("caches"); caches != json.end()) {
        if (!caches->is_array() || caches->size() > mostCaches)
            return fail(bad("caches", std::format("a list of at most {}", mostCaches)));
        machine.levels.clear();
        for (const Json &each : *caches) {
            auto level = levelFrom(each, machine.levels.size());
            if (!level)
                return fail(level.error());
            machine.levels.push_back(std::move(*level));
        }
    }
    fitSizes(machine);
    return machine;
}

Result<Machine> readMachine(const std::string &path, const Machine &otherwise)
{
    const auto text = support::readText(path);
    if (!text)
        return fail(text.error());
    const Json json = support::jsonTooDeepAt(*text) ? Json() : Json::parse(*text, nullptr, false);
    auto machine = json.is_object() ? machineFrom(json, otherwise)
                                    : fail(diagnostic("machine.file", "this file describes no machine")
                                               .withHint("nestc request machine prints one"));
    if (!machine)
        machine.error().locations.push_back({path, 0, 0, {}, {}});
    return machine;
}

} // namespace nestwright::target
