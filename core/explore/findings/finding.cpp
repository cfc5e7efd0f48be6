// SPDX-License-Identifier: Apache-2.0
#include "core/explore/findings/finding.h"

#include "core/explore/findings/rules.h"
#include "core/suggest/device_advice.h"
#include "core/support/stop.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nestwright::explore {

namespace {

const std::vector<FaultRule> &faultRules()
{
    static const std::vector<FaultRule> all = [] {
        std::vector<FaultRule> joined;
        for (const auto &part : {vectorRules(), threadRules(), registerRules(), stageRules()})
            joined.insert(joined.end(), part.begin(), part.end());
        return joined;
    }();
    return all;
}

/// The predicted time with what the prediction does not know of, of faults that show without machine code and
/// of `rule`, whose symptom is known.
double estimate(const Scene &scene, const FaultRule &rule, const std::optional<Symptom> &symptom)
{
    double seconds = scene.seconds() * (symptom ? symptom->cost : 1);
    for (const FaultRule &other : faultRules()) {
        const auto found = other.readsCode || other.fault == rule.fault ? std::nullopt : other.find(scene);
        seconds *= found ? found->cost : 1;
    }
    return seconds;
}

/// Judges the remedies of one fault.
class Judge {
public:
    Judge(const Scene &scene, const FaultRule &rule, const Symptom &symptom)
        : m_scene(scene)
        , m_rule(rule)
        , m_symptom(symptom)
        , m_before(estimate(scene, rule, symptom))
    {
    }

    std::optional<Finding> best()
    {
        std::optional<Finding> best;
        for (Variation &each : m_rule.remedies(m_scene, m_symptom)) {
            if (m_scene.stop().stop_requested())
                return std::nullopt;
            const double gain = gainOf(each);
            if (gain < leastGain || (best && best->gain >= gain))
                continue;
            best = Finding{m_rule.fault, m_symptom.at, m_symptom.title, std::move(each), gain};
        }
        return best;
    }

private:
    /// 0 where the fault is still there.
    double gainOf(const Variation &variation) const
    {
        const Scene after(variation.path, m_scene.target(), m_scene.machine(), m_scene.stop());
        if (!after.isKnown() || after.seconds() <= 0)
            return 0;
        const double most = m_before / after.seconds();
        if (most < leastGain)
            return most;
        const auto left = m_rule.find(after);
        if (left && left->block == m_symptom.block)
            return 0;
        return m_before / estimate(after, m_rule, left);
    }

    const Scene &m_scene;
    const FaultRule &m_rule;
    const Symptom &m_symptom;
    double m_before;
};

Fault faultOf(suggest::Finding finding)
{
    switch (finding) {
    case suggest::Finding::NoBlocks:
    case suggest::Finding::NoThreads: return Fault::DeviceThreads;
    case suggest::Finding::BankConflicts: return Fault::BankConflicts;
    }
    std::unreachable();
}

} // namespace

std::string_view nameOf(Fault fault)
{
    const auto found = std::ranges::find(faultRules(), fault, &FaultRule::fault);
    if (found != faultRules().end())
        return found->name;
    return fault == Fault::BankConflicts ? "bank-conflicts" : "device-threads";
}

std::string_view explanationOf(Fault fault)
{
    const auto found = std::ranges::find(faultRules(), fault, &FaultRule::fault);
    if (found != faultRules().end())
        return found->explanation;
    return fault == Fault::BankConflicts
               ? "Threads of a warp that read the same bank of shared memory wait for each other."
               : "A device has many multiprocessors, each of which needs many threads.";
}

namespace {

/// The first of the device's faults.
std::vector<Finding> deviceFindings(const StepPath &path, const lower::Target &target,
                                    const std::stop_token &stop)
{
    const suggest::LoopNest nest(path.end(), script::print(path.end().module));
    const auto advice = suggest::deviceAdvice(nest, target, stop);
    if (!advice)
        return {};
    StepPath after = path;
    if (!after.add(advice->step))
        return {};
    return {Finding{faultOf(advice->finding),
                    advice->loop,
                    advice->title,
                    {advice->action, std::move(after)},
                    leastGain}};
}

std::vector<Finding> processorFindings(const Scene &scene)
{
    std::vector<Finding> findings;
    if (!scene.isKnown() || scene.seconds() <= 0)
        return findings;
    for (const FaultRule &rule : faultRules()) {
        const auto symptom = rule.find(scene);
        if (auto found = symptom ? Judge(scene, rule, *symptom).best() : std::nullopt)
            findings.push_back(*std::move(found));
    }
    return findings;
}

} // namespace

support::Result<std::vector<Finding>> findingsOf(const StepPath &path, const lower::Target &target,
                                                 const Machine &machine, const std::stop_token &stop)
{
    std::vector<Finding> findings = target.isGpu() ? deviceFindings(path, target, stop)
                                                   : processorFindings({path, target, machine, stop});
    if (stop.stop_requested())
        return support::fail(support::diagnostic("cancelled", "the findings were not all made"));
    std::ranges::stable_sort(findings, std::greater(), &Finding::gain);
    return findings;
}

} // namespace nestwright::explore
