// SPDX-License-Identifier: Apache-2.0
#include "core/explore/findings/finding.h"

#include "core/explore/findings/rules.h"
#include "core/suggest/device_advice.h"
#include "core/support/errors/stop.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <functional>
#include <iterator>
#include <utility>

namespace nestwright::explore {

namespace {

/// No rule finds it in the loops: whoever knows what the schedule was made by tells.
const FaultRule otherMachine{
    Fault::OtherMachine, "other-machine",
    "Tiles are as large as registers and caches of one machine want them; on another they spill, or leave "
    "half of its registers unused.",
    [](const Scene &) -> std::optional<Symptom> { return std::nullopt; },
    [](const Scene &, const Symptom &) { return std::vector<Variation>(); }};

const std::vector<FaultRule> &faultRules()
{
    static const std::vector<FaultRule> all = [] {
        std::vector<FaultRule> joined{otherMachine};
        for (const auto &part : {vectorRules(), threadRules(), spillRules(), registerRules(), stageRules()})
            joined.insert(joined.end(), part.begin(), part.end());
        return joined;
    }();
    return all;
}

/// The predicted time with what the prediction does not know of, of faults that show without machine code.
double estimate(const Scene &scene)
{
    double seconds = scene.seconds();
    for (const FaultRule &rule : faultRules()) {
        const auto found = rule.readsCode ? std::nullopt : rule.find(scene);
        seconds *= found ? found->cost : 1;
    }
    return seconds;
}

/// The same of faults that show in machine code.
double costInCode(const Scene &scene)
{
    double cost = 1;
    for (const FaultRule &rule : faultRules()) {
        const auto found = rule.readsCode ? rule.find(scene) : std::nullopt;
        cost *= found ? found->cost : 1;
    }
    return cost;
}

/// Judges the remedies of one fault: all by one estimate of the time, which falls with each remedy that is
/// taken.
class Judge {
public:
    Judge(const Scene &scene, const FaultRule &rule, const Symptom &symptom, const Experience &experience)
        : m_scene(scene)
        , m_rule(rule)
        , m_symptom(symptom)
        , m_experience(experience)
        , m_before(estimate(scene) * costInCode(scene))
    {
    }

    std::optional<Finding> best(std::vector<Variation> variations)
    {
        std::vector<Candidate> candidates = candidatesFor(std::move(variations));
        std::optional<Finding> best;
        for (Candidate &each : candidates) {
            if (m_scene.stop().stop_requested())
                return std::nullopt;
            if (best && best->rawGain >= each.mostGain)
                break; // the others are predicted to gain less
            const double gain = gainOf(each);
            const double corrected = m_experience.corrected(gain);
            if (gain < leastGain || corrected < leastGain || (best && best->rawGain >= gain))
                continue;
            best = Finding{m_rule.fault, m_symptom.at, m_symptom.title, std::move(each.variation),
                           corrected,    gain};
        }
        return best;
    }

private:
    struct Candidate {
        Variation variation;
        double mostGain = 0; ///< with no fault in its machine code
    };

    /// Variations that may gain enough, that of most gain first.
    std::vector<Candidate> candidatesFor(std::vector<Variation> variations) const
    {
        std::vector<Candidate> candidates;
        for (Variation &each : variations) {
            const Scene after(each.path, m_scene.target(), m_scene.machine(), m_scene.stop());
            if (m_scene.stop().stop_requested())
                break;
            if (!after.isKnown() || after.seconds() <= 0)
                continue;
            const double most = m_before / estimate(after);
            if (most >= leastGain && !wasSlower(each))
                candidates.push_back({std::move(each), most});
        }
        std::ranges::stable_sort(candidates, std::greater(), &Candidate::mostGain);
        return candidates;
    }

    bool wasSlower(const Variation &variation) const
    {
        const auto measured =
            m_experience.measuredGain ? m_experience.measuredGain(variation.path.end()) : std::nullopt;
        return measured && *measured <= 1;
    }

    /// 0 where the fault is still there.
    double gainOf(const Candidate &candidate) const
    {
        const Scene after(candidate.variation.path, m_scene.target(), m_scene.machine(), m_scene.stop());
        const auto left = m_rule.find(after);
        if (left && left->block == m_symptom.block)
            return 0;
        const double gain = candidate.mostGain / costInCode(after);
        // Threads alone make nothing faster than they are many.
        return m_rule.fault == Fault::IdleThreads ? std::min<double>(gain, m_scene.machine().threads) : gain;
    }

    const Scene &m_scene;
    const FaultRule &m_rule;
    const Symptom &m_symptom;
    const Experience &m_experience;
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

double Experience::corrected(double gain) const { return gain > 0 ? std::pow(gain, strength) : gain; }

std::string describe(const Experience &experience)
{
    constexpr double right = 1.05;
    const bool isLess = experience.tooGood > right;
    if (experience.compared == 0 || (!isLess && experience.tooGood > 1 / right))
        return {};
    return std::format("the last {} {:.2f} times too {}",
                       experience.compared == 1 ? std::string("was")
                                                : std::to_string(experience.compared) + " were",
                       isLess ? experience.tooGood : 1 / experience.tooGood, isLess ? "good" : "low");
}

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
std::vector<Finding> deviceFindings(const StepPath &path, const target::Target &target,
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
                    leastGain,
                    leastGain}};
}

std::vector<Finding> processorFindings(const Scene &scene, const Experience &experience)
{
    std::vector<Finding> findings;
    if (!scene.isKnown() || scene.seconds() <= 0)
        return findings;
    for (const FaultRule &rule : faultRules()) {
        const auto symptom = rule.find(scene);
        auto found = symptom ? Judge(scene, rule, *symptom, experience).best(rule.remedies(scene, *symptom))
                             : std::nullopt;
        if (found)
            findings.push_back(*std::move(found));
    }
    if (auto anew = experience.refitted ? experience.refitted(scene.path()) : std::nullopt) {
        const SceneBlock &block = scene.blocks().front();
        const Symptom symptom{block.name, block.loops.empty() ? block.id : block.loops.front().id,
                              "The numbers of " + block.name + "'s schedule are those of another machine"};
        if (auto found = Judge(scene, otherMachine, symptom, experience).best({*std::move(anew)}))
            findings.push_back(*std::move(found));
    }
    return findings;
}

} // namespace

support::Result<std::vector<Finding>> findingsOf(const StepPath &path, const target::Target &target,
                                                 const target::Machine &machine, const std::stop_token &stop,
                                                 const Experience &experience)
{
    std::vector<Finding> findings = target.isGpu()
                                        ? deviceFindings(path, target, stop)
                                        : processorFindings({path, target, machine, stop}, experience);
    if (stop.stop_requested())
        return support::fail(support::diagnostic("cancelled", "the findings were not all made"));
    std::ranges::stable_sort(findings, std::greater(), &Finding::gain);
    return findings;
}

} // namespace nestwright::explore
