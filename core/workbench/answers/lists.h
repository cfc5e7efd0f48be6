// SPDX-License-Identifier: Apache-2.0
/// Everything that there is to choose from, and facts about the machine: `nestc list`.
#pragma once

#include "core/support/errors/result.h"
#include "core/support/text/json_fwd.h"

#include <span>
#include <string_view>

namespace nestwright::workbench {

/// [{"name", "title", "group", "key", "summary", "documentation", "lemmas": [{"says", "given", "then"}],
/// "fields": [{"name", "label", "help", "kind", "required", "default", "choices"}]}]; a field has the last
/// two where there are some.
support::Json listPrimitives();

/// [{"name", "title", "summary", "parameters": [{"name", "default", "help"}]}]
support::Json listPresets();

/// [{"name", "summary", "built", "tool", "sources": [names], "devices": [{"name", "driver", "architecture",
/// "gpu", "compute-units", "memory-bytes", "shared-memory-bytes", "threads-in-a-block"}]}]. Asks for devices.
support::Json listTargets();

/// Passes of lowering: [{"name", "summary"}]
support::Json listPasses();

/// [{"name", "title", "value", "summary"}], with the machine that schedules are made for where code is for
/// `target`.
support::Json listMachine(const target::Target &target = {});

/// Operators of models, with the operator sets of their domain: [{"name", "domain", "versions", "read",
/// "summary", "reason"}]; the reason where it is not read.
support::Json listOnnx();

/// [{"name", "title", "summary", "parameters": [{"name", "default"}], "file"}], with the numbers of that
/// machine. Errors: those of session::recipes.
support::Result<support::Json> listRecipes(const target::Target &target = {});

/// A list by the name that `nestc list` has for it; few depend on the target.
struct List {
    std::string_view name;
    support::Result<support::Json> (*make)(const target::Target &target);
};
std::span<const List> lists();

} // namespace nestwright::workbench
