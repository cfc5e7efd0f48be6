// SPDX-License-Identifier: Apache-2.0
/// Edited sessions: what they read as, or the error.
#include "core/session/files/project_file.h"
#include "core/session/model/model_project.h"
#include "tests/support/edited_outcomes.h"
#include "tests/support/outcomes.h"

using namespace nestwright;
using namespace nestwright::tests;

namespace {

template <class Project>
std::string written(const support::Result<Project> &project, std::string (*write)(const Project &))
{
    return project ? "read " + write(*project) : project.error().code + ' ' + project.error().render();
}

QString outcomeOf(const QString &seed)
{
    static const EditedOutcomes outcomes(textsIn({"tests/fuzz/corpus/nest"}, "*.nest"));
    return outcomes.of(seed, [](const std::string &text) {
        return text.contains("nestwright-model-session")
                   ? written(session::readModelProject(text, "edited.nest"), session::writeModelProject)
                   : written(session::readProject(text, "edited.nest"), session::writeProject);
    });
}

} // namespace

NW_OUTCOMES_TEST("tests/core/session/edited_texts.txt", outcomeOf)
