// SPDX-License-Identifier: Apache-2.0
/// One kernel being worked on: where it came from, its variants, its target.
#pragma once

#include "core/frontend/open_kernel.h"
#include "core/schedule/script/reader.h"
#include "core/session/history/variant_tree.h"
#include "core/support/text/json_fwd.h"
#include "core/target/target.h"

namespace nestwright::session {

/// Origin of the kernel; kept so that a session is complete without its source file.
struct Source {
    std::string path; ///< of the file; empty for a preset or an example without file
    std::string name; ///< for titles
    std::string text;
    frontend::KernelSource kind = frontend::KernelSource::TvmScript;
};

/// Two variants that the kernel's own file prints the difference of.
struct Comparison {
    VariantId before, after;
    support::Diagnostic note; ///< where the file asks for it
};

class Session {
public:
    /// A session on a loaded kernel; each schedule of the kernel's own file becomes a branch of variants, and
    /// the last of them the current one. Fails for a schedule script, which is no kernel
    /// ("session.not-a-kernel").
    static support::Result<Session> begin(frontend::OpenedKernel kernel, std::string path);

    /// Opens whatever `pathOrPreset` names: a kernel, or a saved session.
    static support::Result<Session> open(const std::string &pathOrPreset);

    const Source &source() const { return m_source; }
    VariantTree &tree() { return m_tree; }
    const VariantTree &tree() const { return m_tree; }
    const analysis::StageGraph &graph() const { return m_graph; }
    const target::Target &target() const { return m_target; }
    /// Measurements for another target are shown again when that is the target.
    void setTarget(target::Target target);
    /// The arguments that a person gave; the others are random when the kernel is measured.
    const measure::GivenInputs &inputs() const { return m_inputs; }
    void setInputs(measure::GivenInputs inputs) { m_inputs = std::move(inputs); }

    /// Sets a measurement. The content of given files that it read is known from then on.
    void setMeasurement(VariantId id, measure::Measurement measurement);
    /// Whether it was measured by this program, with the arguments that are given now.
    bool isMeasured(VariantId id) const;
    /// Whether it was measured with other arguments than those that are given now.
    bool hasOtherInputs(const measure::Measurement &measurement) const;

    const std::vector<support::Diagnostic> &notes() const { return m_notes; }
    /// Adds a note on how the session came about.
    void addNote(support::Diagnostic note) { m_notes.push_back(std::move(note)); }
    const std::vector<Comparison> &comparisons() const { return m_comparisons; }

    /// Applies `step` to `parent` and makes the result current; a refused step leaves the current variant
    /// alone.
    VariantId apply(VariantId parent, const schedule::Step &step);

    /// Runs a schedule script on the unscheduled program, with the numbers of the target's machine for its
    /// parameters (machine_parameters.h): its steps become variants below the root (those that are there
    /// already are reused) and the last one current. Steps before an error stay; the error is returned.
    support::Result<VariantId> importSchedule(std::string_view text, const std::string &fileName);

    /// The schedule of `id` as a script that runs in TVM and opens here again.
    support::Result<std::string> exportSchedule(VariantId id) const;

private:
    friend support::Result<Session> sessionFromJson(const support::Json &, const std::string &);
    /// The steps that ran become variants below the root; steps before an error stay.
    support::Result<VariantId> adopt(schedule::PartialRun partial);
    Session(Source source, VariantTree tree);

    Source m_source;
    VariantTree m_tree;
    analysis::StageGraph m_graph;
    target::Target m_target;
    measure::GivenInputs m_inputs;
    std::vector<support::Diagnostic> m_notes;
    std::vector<Comparison> m_comparisons;
};

} // namespace nestwright::session
