// SPDX-License-Identifier: Apache-2.0
#include "core/frontend/te_script/no_kernel.h"

#include <format>

namespace nestwright::te {

namespace {

/// The first string of `text` that names a model, without its quotes; empty when there is none.
std::string_view modelNamed(std::string_view text)
{
    static constexpr std::string_view extension = ".onnx";
    for (std::size_t at = text.find(extension); at != std::string_view::npos;
         at = text.find(extension, at + extension.size())) {
        const std::size_t end = at + extension.size();
        const bool isClosed = end < text.size() && (text[end] == '"' || text[end] == '\'');
        const std::size_t open = isClosed ? text.rfind(text[end], at) : std::string_view::npos;
        if (open != std::string_view::npos
            && text.substr(open, at - open).find('\n') == std::string_view::npos)
            return text.substr(open + 1, end - open - 1);
    }
    return {};
}

struct Reason {
    std::string message, hint;
};

Reason reasonFor(const script::py::Module &module, std::string_view text)
{
    const std::string_view model = modelNamed(text);
    if (text.contains("fn (%")
        || (model.empty() && text.contains("relay.") && !text.contains("torch.onnx.export")))
        return {
            "the text describes a model in Relay, which is not read",
            "export the model as ONNX and open the .onnx, or describe one of its kernels with te.compute"};
    if (module.body.empty())
        return {"the file holds no program", "open a kernel, or a model as .onnx"};
    if (text.contains("torch.onnx.export"))
        return {std::format("the script exports a model{}; it describes no kernel itself",
                            model.empty() ? "" : std::format(" to \"{}\"", model)),
                "run it with Python, then open the .onnx that it writes"};
    if (!model.empty())
        return {std::format("the script loads the model \"{}\"; it describes no kernel itself", model),
                std::format("open \"{}\": its graph, passes and kernels are shown", model)};
    if (text.contains("graph_executor") || text.contains("executor."))
        return {"the script runs a model that another one builds",
                "open the model's .onnx: nestc bench-model and the window time it"};
    if (text.contains("tvm.lower(") || text.contains("tvm.build(") || text.contains("te.create_schedule("))
        return {"the script goes on from a kernel that other lines describe",
                "put the lines with te.placeholder and te.compute before it"};
    if (text.contains("np."))
        return {"the script calculates with NumPy and describes no kernel",
                "describe the computation with te.compute, or as a T.prim_func"};
    return {"the script computes no tensor",
            "describe one with te.compute and finish with te.create_prim_func([A, B, C])"};
}

} // namespace

support::Diagnostic whyNoKernel(const script::py::Module &module, std::string_view text)
{
    Reason reason = reasonFor(module, text);
    return support::diagnostic("te.no-kernel", std::move(reason.message))
        .at(module.fileName, 1, 1)
        .withHint(std::move(reason.hint));
}

} // namespace nestwright::te
