// SPDX-License-Identifier: GPL-3.0-or-later
/// Measures variants, or checks them on the rungs of trust, one after the other on a thread of its own, in
/// the worker process.
#pragma once

#include "core/measure/machine/machine_peak.h"
#include "core/workbench/measuring/choice.h"

#include <QObject>
#include <QString>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nestwright::measure {
struct MeasureJob;
struct Progress;
} // namespace nestwright::measure

namespace nestwright::jobs {
class Mailbox;
}

namespace nestwright::document {

class Document;
using session::VariantId;
using workbench::MeasureEffort;

/// A variant that was timed in turns with another program of its kernel.
struct ComparedRun {
    VariantId variant;
    support::Result<std::vector<measure::Measurement>>
        result; ///< of the base and of the variant, in this order
};

/// Variants that were timed in turns.
struct RankedRun {
    std::vector<VariantId> variants;
    std::optional<VariantId> best{}; ///< nothing where none ran
    std::vector<VariantId> tied{};   ///< others whose difference from the best is not significant
};

class Measuring : public QObject {
    Q_OBJECT
public:
    explicit Measuring(Document &document, QObject *parent = nullptr);
    ~Measuring() override;

    void setEffort(MeasureEffort effort) { m_effort = effort; }

    /// Shared libraries whose functions the open program may call. They are the user's to name: nothing in a
    /// file does, none is kept, and another program that is opened begins without. Stops measurements at
    /// work.
    void setLibraries(std::vector<std::string> paths);
    const std::vector<std::string> &libraries() const { return m_libraries; }

    /// A job that runs the variant as it is measured here, but for inputs and effort. Of edited code, one
    /// that may be run.
    measure::MeasureJob jobOf(VariantId id) const;

    /// Puts variants into the queue; those in it already are not added again. The unscheduled program is
    /// measured after them if it has not been yet: the others are compared with it.
    void measure(const std::vector<VariantId> &ids);
    /// All variants that were not measured by this program with the arguments that are given now.
    void measureAll();
    /// Puts the variant into the queue to be checked on every rung of trust that the target has.
    void check(VariantId id);
    /// Puts the variant into the queue to be timed in turns with `base`, another program of the same kernel.
    /// Ends with `compared`, and changes no measurement.
    void compare(VariantId id, const ir::Module &base);
    /// Puts variants into the queue to be timed in turns in one run, and ranked (explore::rank). Their
    /// measurements are set at its end, then comes `ranked`.
    void rank(const std::vector<VariantId> &ids);
    /// Stops the one at work, for which the figure before stands again, and empties the queue.
    void cancel();

    bool isRunning() const { return m_current.has_value(); }
    std::optional<VariantId> current() const
    {
        return m_current ? std::optional(m_current->id) : std::nullopt;
    }
    bool isWaiting(VariantId id) const;
    int waiting() const { return static_cast<int>(m_queue.size()); }
    /// The finished part of all that were asked for since nothing was measured, 0 … 1.
    double fraction() const;
    /// The phase: "verifying", "measuring", "OpenCL".
    const QString &phase() const { return m_phase; }

    /// The peaks of the machine that runs the target's code, once they are known.
    const std::optional<measure::MachinePeak> &peak() const { return m_peak; }

Q_SIGNALS:
    /// Queue, progress or phase changed.
    void changed();
    void peakChanged();
    void compared(const nestwright::document::ComparedRun &run);
    void ranked(const nestwright::document::RankedRun &run);
    /// A variant is edited code of a file that nobody has agreed to run: it is not measured.
    void agreementNeeded();

private:
    class Thread;
    struct Order {
        VariantId id;
        bool isCheck = false;                        ///< on the rungs of trust, not a measurement
        std::shared_ptr<const ir::Module> base = {}; ///< of a comparison
        std::vector<VariantId> ranked = {};          ///< timed in turns; `id` is the first of them
        bool operator==(const Order &) const = default;
    };

    void add(Order order);
    /// Says why where edited code of `variant` cannot be run.
    bool canRun(const session::Variant &variant);
    /// The job, with the libraries of the program, and its edited code agreed to (canRun).
    measure::MeasureJob withLibraries(support::Result<measure::MeasureJob> job) const;
    void startNext();
    void startMeasuring(VariantId id);
    void startChecking(VariantId id);
    void startRanking(const std::vector<VariantId> &ids);
    void finishRanking(const RankedRun &run, const std::optional<support::Diagnostic> &why);
    void measureRoot();
    void setPeak(std::optional<measure::MachinePeak> peak);
    /// Adopts the peak that is known without measuring, for the target; a GPU's drivers are asked first, on
    /// the thread.
    void adoptKnownPeak();
    void reported(VariantId id, const measure::Progress &progress);
    void restoreFigure();
    void finishCheck(VariantId id, support::Result<std::vector<measure::RungResult>> result);
    void finish(VariantId id, const measure::GivenInputs &given,
                support::Result<std::vector<measure::Measurement>> result);

    Document &m_document;
    std::shared_ptr<jobs::Mailbox> m_mailbox;
    std::unique_ptr<Thread> m_thread;
    std::deque<Order> m_queue;
    std::optional<Order> m_current;
    /// Figure of the variant at work, while figures of an unfinished measurement are shown in its place.
    struct FigureBefore {
        VariantId id;
        target::Target target;
        std::optional<measure::Measurement> measurement;
    };
    std::optional<FigureBefore> m_before;
    std::optional<measure::MachinePeak> m_peak;
    std::map<std::string, measure::MachinePeak> m_peaks; ///< by the targets' texts, as far as they are known
    MeasureEffort m_effort;
    std::vector<std::string> m_libraries;
    std::size_t m_variantsInRun = 1;
    int m_finished = 0;    ///< of those asked for
    double m_fraction = 0; ///< of the order at work
    QString m_phase;
    int m_serial = 0; ///< of the session: results of one before are dropped
};

} // namespace nestwright::document
