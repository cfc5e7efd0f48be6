// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/model_forms.h"

#include "core/support/files/reading.h"

#include <algorithm>
#include <format>
#include <tuple>

namespace nestwright::frontend {

using support::fail;
using support::Result;

namespace {

constexpr std::string_view notBuilt = "model.not-built";

/// The first front end whose `extension` ends the path, else the first; null: there is none.
const ModelForm *formOfFile(const std::string &path, std::string_view ModelForm::*extension)
{
    const auto forms = modelForms();
    const auto found =
        std::ranges::find_if(forms, [&](const ModelForm *each) { return path.ends_with(each->*extension); });
    return found != forms.end() ? *found : forms.empty() ? nullptr : forms.front();
}

support::Diagnostic noTensors(const std::string &path)
{
    return support::diagnostic(
               notBuilt, std::format("this program was built without a front end for models: '{}' is a file "
                                     "of one",
                                     path))
        .withHint("give the array as .npy");
}

} // namespace

Sizes suggestedSizes(const std::string &path)
{
    const ModelForm *form = formOfFile(path, &ModelForm::extension);
    return form ? form->suggestedSizes(path) : Sizes();
}

Result<ModelGraph> openGraph(const std::string &path, const ModelSettings &settings,
                             const GraphRequest &request)
{
    const ModelForm *form = formOfFile(path, &ModelForm::extension);
    if (!form)
        return fail(
            notBuilt,
            std::format("\"{}\" cannot be opened: this program was built without the reader for ONNX", path));
    return support::withinMemory(path, [&] { return form->open(path, settings, request); });
}

std::vector<ModelOperator> modelOperators()
{
    std::vector<ModelOperator> operators;
    for (const ModelForm *form : modelForms())
        std::ranges::move(form->operators(), std::back_inserter(operators));
    std::ranges::sort(operators, {},
                      [](const ModelOperator &each) { return std::tie(each.domain, each.name); });
    return operators;
}

Result<ir::NdArray> readTensorFile(const std::string &path)
{
    const ModelForm *form = formOfFile(path, &ModelForm::tensorExtension);
    return form ? form->readTensor(path) : fail(noTensors(path));
}

Result<void> writeTensorFile(const std::string &path, const ir::NdArray &array, const std::string &name,
                             ir::DataType type)
{
    const ModelForm *form = formOfFile(path, &ModelForm::tensorExtension);
    return form ? form->writeTensor(path, array, name, type) : fail(noTensors(path));
}

} // namespace nestwright::frontend
