// SPDX-License-Identifier: Apache-2.0
#include "core/measure/worker/worker_protocol.h"

#include "core/measure/build/content_store.h"
#include "core/measure/machine/perf_counters.h"
#include "core/measure/statistics.h"
#include "core/process/error_json.h"
#include "core/support/text/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace nestwright::measure {

using json = support::Json;
using support::Diagnostic;
using support::fail;
using support::Result;

namespace {

json intervalToJson(const Interval &interval) { return {interval.low, interval.median, interval.high}; }

Interval intervalFromJson(const json &value)
{
    return {value.at(0).get<double>(), value.at(1).get<double>(), value.at(2).get<double>()};
}

/// A number of threads; the library would make an int of any number, one that does not fit too.
int threadsFromJson(const json &value)
{
    constexpr std::int64_t most = 1'000'000;
    // Numbers beyond 63 bits become negative.
    const std::int64_t threads = value.is_number_integer() ? value.get<std::int64_t>() : -1;
    if (threads < 0 || threads > most)
        throw std::invalid_argument("the number of threads is none");
    return static_cast<int>(threads);
}

using backend::Argument;

constexpr std::pair<Argument::Kind, const char *> argumentKinds[] = {
    {Argument::Kind::Buffer, "buffer"}, {Argument::Kind::Scalar, "scalar"}, {Argument::Kind::Size, "size"}};

constexpr std::pair<backend::Format, const char *> formats[] = {
    {backend::Format::Object, "object"},
    {backend::Format::SharedObject, "shared object"},
    {backend::Format::OpenClDevice, "OpenCL device"},
    {backend::Format::CudaDevice, "CUDA device"},
    {backend::Format::EmulatedDevice, "emulated device"}};

constexpr std::pair<Verdict, const char *> verdictNames[] = {
    {Verdict::Verified, "verified"}, {Verdict::Wrong, "wrong"}, {Verdict::NotVerified, "not verified"}};

constexpr std::pair<Failure, const char *> failureNames[] = {
    {Failure::None, "none"},           {Failure::Compile, "compile"}, {Failure::Crash, "crash"},
    {Failure::TimeOut, "time-out"},    {Failure::Memory, "memory"},   {Failure::WrongResult, "wrong result"},
    {Failure::Cancelled, "cancelled"}, {Failure::Worker, "worker"},   {Failure::Impossible, "impossible"}};

template <class T, std::size_t N> const char *nameOf(T value, const std::pair<T, const char *> (&names)[N])
{
    for (const auto &[each, name] : names) {
        if (each == value)
            return name;
    }
    return "";
}

template <class T, std::size_t N>
T fromName(const std::string &text, const std::pair<T, const char *> (&names)[N])
{
    for (const auto &[each, name] : names) {
        if (text == name)
            return each;
    }
    throw std::out_of_range("unknown name '" + text + '\'');
}

ir::DataType dtypeFromJson(const json &value)
{
    const auto dtype = ir::DataType::parse(value.get<std::string>());
    if (!dtype)
        throw std::invalid_argument('\'' + value.get<std::string>() + "' is no type");
    return *dtype;
}

json argumentToJson(const Argument &argument)
{
    return {{"kind", nameOf(argument.kind, argumentKinds)},
            {"name", argument.name},
            {"dtype", argument.dtype.str()},
            {"shape", argument.shape},
            {"buffer", argument.buffer},
            {"dimension", argument.dimension}};
}

Argument argumentFromJson(const json &value)
{
    return {.kind = fromName(value.at("kind").get<std::string>(), argumentKinds),
            .name = value.at("name").get<std::string>(),
            .dtype = dtypeFromJson(value.at("dtype")),
            .shape = value.at("shape").get<std::vector<std::int64_t>>(),
            .buffer = value.at("buffer").get<int>(),
            .dimension = value.at("dimension").get<int>()};
}

json kernelToJson(const KernelFile &kernel)
{
    json entries = json::array();
    for (const backend::Entry &entry : kernel.artifact.entries) {
        json arguments = json::array();
        for (const Argument &argument : entry.arguments)
            arguments.push_back(argumentToJson(argument));
        entries.push_back({{"name", entry.name}, {"symbol", entry.symbol}, {"arguments", arguments}});
    }
    return {{"content", kernel.content},
            {"entry", kernel.entry},
            {"unscheduled", kernel.isUnscheduled},
            {"target", kernel.artifact.target},
            {"format", nameOf(kernel.artifact.format, formats)},
            {"entries", entries},
            {"externs", kernel.artifact.externs},
            {"libraries", kernel.artifact.libraries.paths},
            {"edited", kernel.artifact.isEdited}};
}

constexpr std::size_t mostSamples = 100'000;

bool isAmount(double value) { return std::isfinite(value) && value >= 0; }

bool isOrdered(const Interval &interval)
{
    return isAmount(interval.low) && isAmount(interval.high) && interval.low <= interval.median
           && interval.median <= interval.high;
}

/// Events that this program does not know are left out. Throws std::invalid_argument.
Counters countersFromJson(const json &value)
{
    Counters counters{.counts = {}, .absent = process::shownText(value.value("absent", ""))};
    const json counts = value.value("counts", json::object());
    for (const CounterEvent &event : kernelEvents()) {
        const std::string name(event.name);
        if (!counts.contains(name))
            continue;
        const double count = counts.at(name).get<double>();
        if (!isAmount(count))
            throw std::invalid_argument("a count of events cannot be");
        counters.counts.emplace(name, count);
    }
    return counters;
}

/// Throws std::invalid_argument.
void checkPossible(const Measurement &measurement)
{
    const bool times = isOrdered(measurement.time) && measurement.samples.size() <= mostSamples
                       && std::ranges::all_of(measurement.samples, isAmount);
    const bool amounts = isAmount(measurement.flops) && isAmount(measurement.bytes)
                         && isAmount(measurement.peakFraction) && measurement.threads >= 0
                         && isAmount(measurement.otherLoad) && isAmount(measurement.difference.value_or(0))
                         && isAmount(measurement.boundShare.value_or(0));
    if (!times || !amounts || (measurement.speedup && !isOrdered(measurement.speedup->ratio)))
        throw std::invalid_argument("a number in it cannot be");
    if ((measurement.failed == Failure::None) == measurement.failure.has_value())
        throw std::invalid_argument("a failure and its reason do not belong together");
}

/// Throws std::invalid_argument where no store gives that name.
std::string placeOf(const std::string &store, const std::string &content)
{
    if (!isContentName(content))
        throw std::invalid_argument("a file in it has no name of a store");
    return fileOf(store, content).string();
}

json bufferToJson(const BufferSpec &buffer)
{
    json value = {{"dtype", buffer.dtype.str()},       {"shape", buffer.shape},
                  {"written", buffer.written},         {"ascending", buffer.isAscending},
                  {"integerBits", buffer.integerBits}, {"content", buffer.content}};
    if (buffer.range)
        value["range"] = {buffer.range->first, buffer.range->second};
    return value;
}

BufferSpec bufferFromJson(const json &value, const std::string &store)
{
    BufferSpec buffer{dtypeFromJson(value.at("dtype")),  value.at("shape").get<std::vector<std::int64_t>>(),
                      value.at("written").get<bool>(),   {},
                      value.at("ascending").get<bool>(), value.at("content").get<std::string>()};
    if (!buffer.content.empty())
        buffer.file = placeOf(store, buffer.content);
    if (value.contains("range"))
        buffer.range = value.at("range").get<std::pair<std::int64_t, std::int64_t>>();
    buffer.integerBits = std::clamp(value.at("integerBits").get<int>(), 2, 31);
    return buffer;
}

constexpr std::pair<Values, const char *> valuesNames[] = {
    {Values::Small, "small"}, {Values::Wide, "wide"}, {Values::Special, "special"}, {Values::Near, "near"}};

json setToJson(const ArgumentSet &set)
{
    json buffers = json::array();
    for (const BufferSpec &buffer : set.buffers)
        buffers.push_back(bufferToJson(buffer));
    return {{"buffers", buffers},
            {"scalars", set.scalars},
            {"values", nameOf(set.values, valuesNames)},
            {"seed", set.seed},
            {"sizes", set.sizes}};
}

ArgumentSet setFromJson(const json &value, const std::string &store)
{
    ArgumentSet set;
    for (const json &buffer : value.at("buffers"))
        set.buffers.push_back(bufferFromJson(buffer, store));
    set.scalars = value.at("scalars").get<std::vector<std::int64_t>>();
    set.values = fromName(value.at("values").get<std::string>(), valuesNames);
    set.seed = value.at("seed").get<std::uint64_t>();
    set.sizes = value.at("sizes").get<std::string>();
    return set;
}

KernelFile kernelFromJson(const json &value, const std::string &store)
{
    KernelFile kernel;
    kernel.content = value.at("content").get<std::string>();
    kernel.path = placeOf(store, kernel.content);
    kernel.entry = value.at("entry").get<std::string>();
    kernel.isUnscheduled = value.at("unscheduled").get<bool>();
    kernel.artifact.target = value.at("target").get<std::string>();
    kernel.artifact.format = fromName(value.at("format").get<std::string>(), formats);
    kernel.artifact.externs = value.at("externs").get<std::vector<std::string>>();
    kernel.artifact.libraries.paths = value.at("libraries").get<std::vector<std::string>>();
    kernel.artifact.isEdited = value.at("edited").get<bool>();
    for (const json &entry : value.at("entries")) {
        backend::Entry &added = kernel.artifact.entries.emplace_back();
        added.name = entry.at("name").get<std::string>();
        added.symbol = entry.at("symbol").get<std::string>();
        for (const json &argument : entry.at("arguments"))
            added.arguments.push_back(argumentFromJson(argument));
    }
    return kernel;
}

} // namespace

json toJson(const MeasureRequest &request)
{
    json sets = json::array();
    for (const ArgumentSet &set : request.sets)
        sets.push_back(setToJson(set));
    json bounds;
    if (request.bounds)
        bounds = {{"kernel", kernelToJson(request.bounds->kernel)}, {"bounded", request.bounds->bounded}};
    json candidates = json::array();
    for (const KernelFile &kernel : request.candidates)
        candidates.push_back(kernelToJson(kernel));
    return {{"store", request.store},
            {"reference", kernelToJson(request.reference)},
            {"bounds", bounds},
            {"mayReadUnknown", request.mayReadUnknown},
            {"reductionLength", request.reductionLength},
            {"memoryBytes", request.memoryBytes},
            {"silenceSeconds", request.silenceSeconds},
            {"referenceKey", request.referenceKey},
            {"candidates", candidates},
            {"sets", sets},
            {"threads", request.threads},
            {"flops", request.flops},
            {"secondsPerRepetition", request.secondsPerRepetition},
            {"repetitions", request.repetitions},
            {"secondsPerVariant", request.secondsPerVariant},
            {"flushCache", request.flushCache},
            {"counters", request.counters},
            {"verifyOnly", request.verifyOnly},
            {"relativeTolerance", request.relativeTolerance ? json(*request.relativeTolerance) : json()}};
}

Result<MeasureRequest> requestFromJson(const json &value)
{
    try {
        MeasureRequest request;
        request.store = value.at("store").get<std::string>();
        request.reference = kernelFromJson(value.at("reference"), request.store);
        request.referenceKey = value.at("referenceKey").get<std::string>();
        for (const json &kernel : value.at("candidates"))
            request.candidates.push_back(kernelFromJson(kernel, request.store));
        if (const json &bounds = value.at("bounds"); !bounds.is_null())
            request.bounds = {kernelFromJson(bounds.at("kernel"), request.store),
                              bounds.at("bounded").get<std::vector<std::size_t>>()};
        request.mayReadUnknown = value.at("mayReadUnknown").get<bool>();
        request.reductionLength = value.at("reductionLength").get<std::int64_t>();
        request.memoryBytes = value.at("memoryBytes").get<std::uint64_t>();
        request.silenceSeconds = value.at("silenceSeconds").get<double>();
        for (const json &set : value.at("sets"))
            request.sets.push_back(setFromJson(set, request.store));
        if (request.sets.empty())
            throw std::invalid_argument("it has no arguments");
        request.threads = value.at("threads").get<int>();
        request.flops = value.at("flops").get<double>();
        request.secondsPerRepetition = value.at("secondsPerRepetition").get<double>();
        request.repetitions = value.at("repetitions").get<int>();
        request.secondsPerVariant = value.at("secondsPerVariant").get<double>();
        request.flushCache = value.at("flushCache").get<bool>();
        request.counters = value.at("counters").get<bool>();
        request.verifyOnly = value.at("verifyOnly").get<bool>();
        if (const json &tolerance = value.at("relativeTolerance"); !tolerance.is_null())
            request.relativeTolerance = tolerance.get<double>();
        return request;
    } catch (const std::exception &error) {
        return fail("measure.bad-request",
                    std::string("the request to the worker cannot be read: ") + error.what());
    }
}

json toJson(const Measurement &measurement)
{
    json value = {{"samples", measurement.samples},
                  {"time", intervalToJson(measurement.time)},
                  {"verdict", nameOf(measurement.verdict, verdictNames)},
                  {"failed", nameOf(measurement.failed, failureNames)},
                  {"flops", measurement.flops},
                  {"bytes", measurement.bytes},
                  {"peakFraction", measurement.peakFraction},
                  {"threads", measurement.threads},
                  {"final", measurement.final}};
    if (!measurement.evidence.empty())
        value["evidence"] = measurement.evidence;
    if (measurement.writtenBytes > 0)
        value["writtenBytes"] = measurement.writtenBytes;
    if (measurement.difference)
        value["difference"] = *measurement.difference;
    if (measurement.boundShare)
        value["boundShare"] = *measurement.boundShare;
    if (measurement.otherLoad > 0)
        value["otherLoad"] = measurement.otherLoad;
    if (measurement.counters)
        value["counters"] = {{"counts", measurement.counters->counts},
                             {"absent", measurement.counters->absent}};
    if (measurement.disturbed)
        value["disturbed"] = true;
    if (measurement.failure)
        value["failure"] = process::toJson(*measurement.failure);
    if (measurement.speedup)
        value["speedup"] = {{"ratio", intervalToJson(measurement.speedup->ratio)},
                            {"significant", measurement.speedup->significant}};
    return value;
}

Result<Measurement> measurementFromJson(const json &value)
{
    try {
        Measurement measurement;
        measurement.samples = value.value("samples", std::vector<double>{});
        if (value.contains("time"))
            measurement.time = intervalFromJson(value.at("time"));
        measurement.verdict = fromName(value.value("verdict", "not verified"), verdictNames);
        measurement.evidence = process::shownText(value.value("evidence", ""));
        if (value.contains("difference"))
            measurement.difference = value.at("difference").get<double>();
        if (value.contains("boundShare"))
            measurement.boundShare = value.at("boundShare").get<double>();
        measurement.failed = fromName(value.value("failed", "none"), failureNames);
        measurement.flops = value.value("flops", 0.0);
        measurement.bytes = value.value("bytes", 0.0);
        measurement.writtenBytes = value.value("writtenBytes", 0.0);
        measurement.peakFraction = value.value("peakFraction", 0.0);
        measurement.threads = value.contains("threads") ? threadsFromJson(value.at("threads")) : 1;
        measurement.final = value.value("final", false);
        measurement.otherLoad = value.value("otherLoad", 0.0);
        measurement.disturbed = value.value("disturbed", false);
        if (value.contains("counters"))
            measurement.counters = countersFromJson(value.at("counters"));
        if (value.contains("failure"))
            measurement.failure = process::errorFromJson(value.at("failure"));
        if (value.contains("speedup"))
            measurement.speedup = toldSpeedup(intervalFromJson(value.at("speedup").at("ratio")),
                                              value.at("speedup").at("significant").get<bool>());
        checkPossible(measurement);
        return measurement;
    } catch (const std::exception &error) {
        return fail("measure.bad-measurement",
                    std::string("a stored measurement cannot be read: ") + error.what());
    }
}

Result<std::vector<Measurement>> measurementsFromJson(const json &answer, std::size_t candidates)
{
    const auto list = answer.find("measurements");
    if (list == answer.end() || !list->is_array() || list->size() != candidates)
        return fail("worker.answer", "the worker's answer has not one measurement per variant");
    std::vector<Measurement> measurements;
    for (const json &each : *list) {
        auto measurement = measurementFromJson(each);
        if (!measurement)
            return fail("worker.answer",
                        "the worker's answer makes no sense: " + measurement.error().message);
        measurements.push_back(std::move(*measurement));
    }
    return measurements;
}

std::optional<Progress> progressFromJson(const json &line, std::size_t candidates)
{
    const auto fraction = line.find("progress"), phase = line.find("phase"), partial = line.find("partial");
    if (fraction == line.end() || !fraction->is_number() || phase == line.end() || !phase->is_string())
        return std::nullopt;
    Progress progress{
        std::clamp(fraction->get<double>(), 0.0, 1.0), process::shownText(phase->get<std::string>()), {}};
    if (partial == line.end() || partial->is_null())
        return progress;
    if (!partial->is_array() || partial->size() != candidates)
        return std::nullopt;
    for (const json &each : *partial) {
        auto measurement = measurementFromJson(each);
        if (!measurement)
            return std::nullopt;
        progress.partial.push_back(std::move(*measurement));
    }
    return progress;
}

} // namespace nestwright::measure
