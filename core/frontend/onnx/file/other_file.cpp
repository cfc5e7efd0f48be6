// SPDX-License-Identifier: Apache-2.0
// Signatures as the formats' own descriptions state them: the Git LFS specification, RFC 1952 (gzip), APPNOTE
// (ZIP), the HDF5 file format, GGUF, FlatBuffers' file identifiers of TensorFlow Lite and ONNX Runtime.
#include "core/frontend/onnx/file/other_file.h"

#include "core/support/errors/errors.h"

#include <algorithm>
#include <cctype>
#include <format>

namespace nestwright::graph::onnx {

namespace {

struct Form {
    std::string_view signature;
    std::size_t place; ///< of the signature in the file
    std::string_view name;
    std::string_view remedy;
};

constexpr std::string_view exportIt = "export the model: torch.onnx.export, skl2onnx, tf2onnx, …";

constexpr Form forms[] = {
    {"version https://git-lfs.github.com/spec/", 0, "a pointer of Git LFS, which stands for the model",
     "fetch the model itself: git lfs pull in its repository, or the download of the file, not of its text"},
    {"PK\x03\x04", 0, "a ZIP archive, as PyTorch keeps checkpoints", exportIt},
    {"\x1f\x8b", 0, "compressed by gzip", "unpack it: gunzip"},
    {"\x89HDF\r\n", 0, "an HDF5 file, as Keras keeps weights", exportIt},
    {"GGUF", 0, "a GGUF file of llama.cpp", "export the model that it was made from as ONNX"},
    {"TFL3", 4, "a model of TensorFlow Lite", "convert it: tf2onnx --tflite"},
    {"ORTM", 4, "a model in ONNX Runtime's own format (.ort)", "give the .onnx file that it was made from"},
    {"\x80\x02", 0, "a Python pickle", exportIt},
    {"\x80\x03", 0, "a Python pickle", exportIt},
    {"\x80\x04", 0, "a Python pickle", exportIt},
    {"\x80\x05", 0, "a Python pickle", exportIt},
    {"\x93NUMPY", 0, "an array of NumPy", "give arrays as inputs: nestc run-model MODEL --in X=x.npy"},
};

/// Whether the first of the bytes are text.
bool isText(std::string_view bytes)
{
    return std::ranges::all_of(bytes.substr(0, 512), [](unsigned char c) {
        return c >= 0x20 ? c != 0x7f : c == '\n' || c == '\r' || c == '\t';
    });
}

/// Whether text begins with that, after spaces and a byte order mark, in small or capital letters.
bool beginsWith(std::string_view text, std::string_view small)
{
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    return std::ranges::equal(text.substr(0, small.size()), small, {},
                              [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

} // namespace

std::optional<support::Diagnostic> otherFile(std::string_view bytes, const std::string &path,
                                             std::string_view what)
{
    const auto told = [&](std::string_view form, std::string_view remedy) {
        return support::diagnostic("onnx.format", std::format("\"{}\" is no {}: it is {}", path, what, form))
            .withHint(std::string(remedy));
    };
    if (bytes.empty())
        return told("empty", "download or export the file again");
    for (const Form &form : forms) {
        if (bytes.size() >= form.place && bytes.substr(form.place).starts_with(form.signature))
            return told(form.name, form.remedy);
    }
    if (beginsWith(bytes, "<!doctype html") || beginsWith(bytes, "<html") || beginsWith(bytes, "<head"))
        return told("an HTML page",
                    "a site answered with a page, perhaps one to sign in, instead of the file: download the "
                    "file itself");
    if (isText(bytes))
        return told("text", "ONNX models are binary files; give the one that an exporter wrote");
    return std::nullopt;
}

} // namespace nestwright::graph::onnx
