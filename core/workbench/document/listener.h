// SPDX-License-Identifier: Apache-2.0
/// Changes of a document as they are told to whoever shows it.
#pragma once

#include "core/session/history/variant_tree.h"
#include "core/support/errors/diagnostic.h"

#include <optional>

namespace nestwright::workbench {

/// Something the person should know of.
struct Problem {
    enum class Kind : std::uint8_t { Note, Refused, Failed };
    Kind kind = Kind::Note;
    support::Diagnostic diagnostic;
    std::optional<session::VariantId> variant;        ///< the variant concerned
    std::optional<session::VariantId> comparedWith{}; ///< where it is about the difference from that one
};

/// Each is called on the thread of the document, when what it tells of is there.
class Listener {
public:
    virtual ~Listener() = default;

    /// The session differs from what was opened or saved.
    virtual void edited() {}
    /// Another variant has become current: its view is there. `from` was current before.
    virtual void currentChanged(session::VariantId /*from*/) {}
    /// The tree of variants has grown, or its edits were agreed to.
    virtual void variantsChanged() {}
    /// Also when the trust of the variant did.
    virtual void measurementChanged(session::VariantId /*id*/) {}
    virtual void marksChanged() {}
    virtual void targetChanged() {}
    virtual void inputsChanged() {}
    virtual void problemsChanged() {}
    virtual void busyChanged() {}

    virtual void stepRefused(const support::Diagnostic & /*why*/) {}
    /// Something that was waiting will not be done, and why.
    virtual void dropped(const support::Diagnostic & /*why*/) {}
    /// An edit of the history came to a step that cannot be made; Document::rest begins with it.
    virtual void editStopped(const support::Diagnostic & /*why*/) {}
    /// Edited code that was carried along and the new schedule changed the same lines.
    virtual void editConflicts(session::VariantId /*id*/) {}
    virtual void failed(const support::Diagnostic & /*why*/) {}
};

} // namespace nestwright::workbench
