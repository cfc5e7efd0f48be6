// SPDX-License-Identifier: Apache-2.0
/// Questions to a process of nestc's own, for work that may crash or hang; they and the answers are files of
/// a temporary folder.
#pragma once

#include "core/support/errors/result.h"
#include "core/support/text/json.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace nestwright::process {

struct Question {
    std::string command; ///< of nestc, which gets the folder
    support::Json content;
    std::chrono::seconds patience{60};
    bool runsCompiler = false; ///< of text of a stranger: with an environment that says nothing of the person
    /// The error of a process that gave no answer; `how` it ended: "crashed: Segmentation fault".
    std::function<support::Diagnostic(const std::string &how)> ended;
};

/// The answer. Errors: the one that it holds, "process.none", "cancelled", those of `ended`; where the
/// question has texts that are no UTF-8, an exception of the library of JSON.
support::Result<support::Json> ask(const Question &asked, const std::stop_token &stop);

/// An answer that is an error.
support::Json errorAnswer(const support::Diagnostic &error);

/// The other end: reads the question in the folder and writes what `answerTo(content, folder)` gives. The
/// exit status.
int answer(
    const std::string &folder,
    const std::function<support::Json(const support::Json &, const std::filesystem::path &)> &answerTo);

} // namespace nestwright::process
