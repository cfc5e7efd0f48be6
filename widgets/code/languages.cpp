// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/languages.h"

#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Repository>

namespace nestwright::code {

namespace {

const char *nameOf(Language language)
{
    switch (language) {
    case Language::Plain: return "";
    case Language::TvmScript:
    case Language::Python: return "TVMScript";
    case Language::C: return "C";
    case Language::Cuda: return "Nestwright CUDA";
    case Language::OpenCl: return "OpenCL";
    case Language::LlvmIr: return "LLVM";
    case Language::Assembly: return "Nestwright Assembly";
    case Language::Ptx: return "Nestwright PTX";
    case Language::Sass: return "Nestwright SASS";
    case Language::Json: return "JSON";
    }
    return "";
}

} // namespace

Languages::Languages() : m_repository(std::make_unique<KSyntaxHighlighting::Repository>()) {}

Languages::~Languages() = default;

KSyntaxHighlighting::Definition Languages::definition(Language language) const
{
    return m_repository->definitionForName(QLatin1String(nameOf(language)));
}

} // namespace nestwright::code
