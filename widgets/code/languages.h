// SPDX-License-Identifier: GPL-3.0-or-later
/// The syntax definitions, shared by all code panes.
#pragma once

#include "widgets/code/source.h"

#include <memory>

namespace KSyntaxHighlighting { // NOLINT(readability-identifier-naming): not ours
class Definition;
class Repository;
} // namespace KSyntaxHighlighting

namespace nestwright::code {

/// Reads the index of definitions once; a definition itself is read when it is first asked for.
class Languages {
public:
    Languages();
    ~Languages();

    /// An invalid definition (nothing is coloured) where there is none.
    KSyntaxHighlighting::Definition definition(Language language) const;

private:
    std::unique_ptr<KSyntaxHighlighting::Repository> m_repository;
};

} // namespace nestwright::code
