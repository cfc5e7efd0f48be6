// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program/model_source.h"

#include <algorithm>
#include <format>
#include <map>

namespace nestwright::graph {

namespace {

/// Memory layout of a model: weights in one piece of memory; results of nodes, inputs and outputs in another.
class Places {
public:
    explicit Places(const Program &program) : m_program(program), m_memory(wholeLines(program.memory.bytes))
    {
        std::int64_t weights = 0;
        const Function &function = program.function;
        const auto place = [&](int node) {
            for (std::size_t k = 0; k < function.at(node).types.size(); ++k) {
                m_own[{node, static_cast<int>(k)}] = m_memory;
                m_memory += wholeLines(bytesOf(function.at(node).types[k]));
            }
        };
        for (std::size_t i = 0; i < function.nodes.size(); ++i) {
            const Node &node = function.nodes[i];
            if (node.isConstant()) {
                weights = wholeLines(weights);
                m_weights[static_cast<int>(i)] = weights;
                weights += bytesOf(node.types[0]);
            } else if (node.kind == NodeKind::Input) {
                place(static_cast<int>(i));
            }
        }
        for (const Value output : function.outputs) {
            if (!m_own.contains(output) && !function.at(output).isConstant())
                place(output.node);
        }
        m_weightBytes = weights;
    }

    std::int64_t memory() const { return m_memory; }
    std::int64_t weightBytes() const { return m_weightBytes; }

    /// The address of a value as an expression of C.
    std::string address(Value value) const
    {
        const StorageLocation storage = storageOf(m_program.function, value);
        value = storage.value;
        if (const auto weight = m_weights.find(value.node); weight != m_weights.end())
            return std::format("(void *)(model->weights + {})", weight->second + storage.bytes);
        if (const auto own = m_own.find(value); own != m_own.end())
            return std::format("model->memory + {}", own->second + storage.bytes);
        const std::int64_t offset =
            m_program.memory
                .offsets[static_cast<std::size_t>(value.node)][static_cast<std::size_t>(value.output)];
        return std::format("model->memory + {}", std::max<std::int64_t>(0, offset) + storage.bytes);
    }

private:
    const Program &m_program;
    std::map<Value, std::int64_t> m_own;
    std::map<int, std::int64_t> m_weights;
    std::int64_t m_memory;
    std::int64_t m_weightBytes = 0;
};

/// {code, bits} of DLPack.
std::string typeCode(ir::DataType type)
{
    int code = 0;
    switch (type.code) {
    case ir::TypeCode::UInt: code = 1; break;
    case ir::TypeCode::Float: code = 2; break;
    case ir::TypeCode::BFloat: code = 4; break;
    case ir::TypeCode::Bool: code = 6; break;
    default: break;
    }
    return std::format("{{{}, {}, 1}}", code, type.isBool() ? 8 : type.bits);
}

/// The table of a model's inputs or outputs.
std::string placeTable(const Program &program, const Places &places, const std::vector<Value> &values,
                       const std::string &name)
{
    std::string rows, shapes;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const TensorType &type = program.function.typeOf(values[i]);
        std::string sizes;
        const std::vector<std::int64_t> shape = type.constantShape().value();
        for (const std::int64_t size : shape)
            sizes += std::format("{}{}", sizes.empty() ? "" : ", ", size);
        shapes +=
            std::format("static int64_t {}_shape{}[] = {{{}}};\n", name, i, sizes.empty() ? "0" : sizes);
        std::string address = places.address(values[i]);
        const bool isWeight = address.starts_with("(void");
        rows += std::format("    {{{}, {}, {}, {}_shape{}, {}, {}}},\n", isWeight ? 1 : 0,
                            address.substr(address.find("+ ") + 2,
                                           address.find(')', address.find("+ ")) - address.find("+ ") - 2),
                            type.rank(), name, i, bytesOf(type), typeCode(type.dtype));
    }
    return shapes + std::format("static const struct place {}[] = {{\n{}}};\n", name, rows);
}

std::vector<Value> inputsOf(const Function &function)
{
    std::vector<Value> values;
    for (const int place : function.inputs())
        values.push_back({place, 0});
    return values;
}

std::string declarations(const Program &program, const std::string &stem)
{
    std::string text;
    for (std::size_t i = 0; i < program.kernels.size(); ++i) {
        const Node &node = program.function.at(program.kernels[i].nodes.front());
        std::string parameters;
        const std::size_t count =
            node.inputs.size() + node.types.size() + program.kernels[i].workspace.size();
        for (std::size_t k = 0; k < count; ++k)
            parameters += parameters.empty() ? "void *" : ", void *";
        text += std::format("int32_t {}({});\n", kernelSymbol(stem, static_cast<int>(i)), parameters);
    }
    return text;
}

std::string calls(const Program &program, const Places &places, const std::string &stem)
{
    std::string text;
    for (const ProgramStep &step : program.steps) {
        const Node &node = program.function.at(step.node);
        std::string arguments;
        for (const Value input : node.inputs)
            arguments += (arguments.empty() ? "" : ", ") + places.address(input);
        for (std::size_t k = 0; k < node.types.size(); ++k)
            arguments += (arguments.empty() ? "" : ", ") + places.address({step.node, static_cast<int>(k)});
        for (const std::int64_t place : program.kernels[static_cast<std::size_t>(step.kernel)].workspace)
            arguments += std::format(", model->memory + {}", place);
        text += std::format("    if ((code = {}({})) != 0)\n        return code;\n",
                            kernelSymbol(stem, step.kernel), arguments);
    }
    return text;
}

constexpr std::string_view dlpack = R"(
/* The tensors of DLPack, unless dlpack.h was included before. */
#ifndef DLPACK_DLPACK_H_
typedef struct { int32_t device_type; int32_t device_id; } DLDevice; /* 1, 0: this machine's memory */
/* Codes: 0 int, 1 uint, 2 float, 4 bfloat, 6 bool */
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides; /* null: compact, row-major, which it must be */
    uint64_t byte_offset;
} DLTensor;
#endif
)";

constexpr std::string_view functions = R"(
int32_t STEM_input_count(void) { return (int32_t)(sizeof inputs / sizeof *inputs); }
int32_t STEM_output_count(void) { return (int32_t)(sizeof outputs / sizeof *outputs); }

int32_t STEM_set_input(STEM_model *model, int32_t index, const DLTensor *tensor)
{
    if (!model || !tensor)
        return -4;
    if (index < 0 || index >= STEM_input_count())
        return -1;
    const struct place *place = &inputs[index];
    if (tensor->device.device_type != 1)
        return -5;
    if (tensor->ndim != place->ndim || tensor->dtype.code != place->dtype.code
        || tensor->dtype.bits != place->dtype.bits || tensor->dtype.lanes != 1)
        return -2;
    if ((!tensor->shape && place->ndim > 0) || (!tensor->data && place->bytes > 0))
        return -4;
    int64_t stride = 1;
    for (int32_t i = place->ndim; i-- > 0; stride *= place->shape[i]) {
        if (tensor->shape[i] != place->shape[i])
            return -2;
        if (tensor->strides && place->shape[i] != 1 && tensor->strides[i] != stride)
            return -3;
    }
    if (tensor->byte_offset > (uint64_t)PTRDIFF_MAX - (uint64_t)place->bytes)
        return -6;
    memcpy(model->memory + place->offset, (const char *)tensor->data + tensor->byte_offset,
           (size_t)place->bytes);
    return 0;
}

int32_t STEM_get_output(STEM_model *model, int32_t index, DLTensor *tensor)
{
    if (!model || !tensor)
        return -4;
    if (index < 0 || index >= STEM_output_count())
        return -1;
    const struct place *place = &outputs[index];
    tensor->data = (place->weight ? (char *)model->weights : model->memory) + place->offset;
    tensor->device.device_type = 1;
    tensor->device.device_id = 0;
    tensor->ndim = place->ndim;
    tensor->dtype = place->dtype;
    tensor->shape = place->shape;
    tensor->strides = NULL;
    tensor->byte_offset = 0;
    return 0;
}
)";

constexpr std::string_view memory = R"(
/* Large models lie in large pages, so that fewer translations of addresses are missed. */
static void *take(size_t bytes)
{
    const size_t page = (size_t)2 << 20, whole = (bytes + page - 1) / page * page;
    void *memory = bytes < 2 * page ? aligned_alloc(64, bytes) : aligned_alloc(page, whole);
#ifdef MADV_HUGEPAGE
    if (memory && bytes >= 2 * page)
        madvise(memory, whole, MADV_HUGEPAGE); /* a wish */
#endif
    return memory;
}
)";

constexpr std::string_view lacking = R"(
const char *STEM_lacking(void) { return nw_lacking(); }
)";

constexpr std::string_view createInside = R"(
extern const char STEM_weights[];

STEM_model *STEM_create(void)
{
    STEM_model *model = nw_lacking() ? NULL : take(HEAD + MEMORY);
    if (!model)
        return NULL;
    model->memory = (char *)model + HEAD;
    model->weights = STEM_weights;
    memset(model->memory, 0, MEMORY);
    return model;
}
)";

constexpr std::string_view createBeside = R"(
STEM_model *STEM_create(const char *weights)
{
    STEM_model *model = nw_lacking() ? NULL : take(HEAD + MEMORY + WEIGHT_ROOM);
    FILE *file = weights ? fopen(weights, "rb") : NULL;
    if (!model || !file || fread((char *)model + HEAD + MEMORY, 1, WEIGHT_BYTES, file) != WEIGHT_BYTES
        || fgetc(file) != EOF) { /* a longer file is another model's */
        if (file)
            fclose(file);
        free(model);
        return NULL;
    }
    fclose(file);
    model->memory = (char *)model + HEAD;
    model->weights = model->memory + MEMORY;
    memset(model->memory, 0, MEMORY);
    return model;
}
)";

std::string withStem(std::string_view text, const std::string &stem)
{
    std::string result(text);
    for (std::size_t at = 0; (at = result.find("STEM", at)) != std::string::npos; at += stem.size())
        result.replace(at, 4, stem);
    return result;
}

std::string signature(const Program &program)
{
    std::string text;
    const Function &function = program.function;
    const std::vector<Value> inputs = inputsOf(function);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        text += std::format("   input {}   {}: {}\n", i, displayName(function, inputs[i].node),
                            function.typeOf(inputs[i]).str());
    for (std::size_t i = 0; i < function.outputs.size(); ++i)
        text += std::format("   output {}  {}: {}\n", i, function.outputNames[i],
                            function.typeOf(function.outputs[i]).str());
    for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
        text.erase(at, 1);
    return text;
}

} // namespace

std::string kernelSymbol(const std::string &stem, int kernel)
{
    return std::format("{}_kernel_{}", stem, kernel);
}

std::string modelHeader(const Program &program, const std::string &stem, bool weightsInside,
                        const backend::ProcessorNeeds &needs)
{
    const std::string made = backend::describe(needs);
    std::string guard = stem + "_H";
    std::ranges::transform(guard, guard.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return withStem(
        std::format(
            "/* Made by Nestwright.{}\n{}*/\n#ifndef {}\n#define {}\n\n#include <stdint.h>\n{}\n#ifdef "
            "__cplusplus\n"
            "extern \"C\" {{\n#endif\n\ntypedef struct STEM_model STEM_model;\n\n"
            "/* The first extension that this processor lacks of those that the model was made with; null "
            "where "
            "it has all. */\nconst char *STEM_lacking(void);\n"
            "/* Takes all the memory that the model needs{}. Null when that cannot be had, and\n * where "
            "STEM_lacking() names something. STEM_destroy takes null, too. */\n"
            "STEM_model *STEM_create({});\nvoid STEM_destroy(STEM_model *model);\n\n"
            "int32_t STEM_input_count(void);\nint32_t STEM_output_count(void);\n"
            "/* Copies an input. 0; -1: there is no such input; -2: another type or shape; -3: its strides "
            "are not compact;\n * -4: a null pointer (the model, the tensor, its data or shape); -5: it lies "
            "on another device than the CPU;\n * -6: its byte_offset is beyond any memory. */\n"
            "int32_t STEM_set_input(STEM_model *model, int32_t index, const DLTensor *tensor);\n"
            "/* Runs the model once. 0; 1: an integer was divided by 0; 2: no memory; 3: an "
            "assertion failed; -4: a null pointer. */\n"
            "int32_t STEM_run(STEM_model *model);\n"
            "/* Fills `tensor` in; its data belong to the model and are valid until the next run. 0; "
            "-1: there is none; -4: a null pointer. */\n"
            "int32_t STEM_get_output(STEM_model *model, int32_t index, DLTensor *tensor);\n\n"
            "#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
            made.empty() ? "" : " For the processor " + made + ".", signature(program), guard, guard, dlpack,
            weightsInside ? "" : ", and reads the weights from a file (STEM.weights, of that length)",
            weightsInside ? "void" : "const char *weights"),
        stem);
}

std::string modelSource(const Program &program, const std::string &stem, bool weightsInside,
                        const backend::ProcessorNeeds &needs)
{
    const Places places(program);
    std::string text = std::format(
        "/* Made by Nestwright. */\n#ifndef _DEFAULT_SOURCE\n#define _DEFAULT_SOURCE /* madvise */\n#endif\n"
        "#include \"{}.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n"
        "#include <string.h>\n#ifdef __linux__\n#include <sys/mman.h>\n#endif\n\n#define HEAD 64\n#define "
        "MEMORY {}\n#define WEIGHT_ROOM {}\n"
        "#define WEIGHT_BYTES {}\n\n",
        stem, std::max<std::int64_t>(64, places.memory()), wholeLines(places.weightBytes()) + 64,
        places.weightBytes());
    text += "struct STEM_model {\n    char *memory;\n    const char *weights;\n};\n\n"
            "struct place {\n    int weight; /* whether it lies among the weights */\n    int64_t offset;\n  "
            "  int32_t ndim;\n"
            "    int64_t *shape;\n    int64_t bytes;\n    DLDataType dtype;\n};\n\n";
    text += placeTable(program, places, inputsOf(program.function), "inputs");
    text +=
        placeTable(program, places, program.function.outputs, "outputs") + "\n" + declarations(program, stem);
    text += memory;
    text += '\n' + backend::lackingSource(needs);
    text += lacking;
    text += weightsInside ? createInside : createBeside;
    text += "\nvoid STEM_destroy(STEM_model *model) { free(model); }\n";
    text += functions;
    text += "\nint32_t STEM_run(STEM_model *model)\n{\n    int32_t code = 0;\n    if (!model)\n        "
            "return -4;\n"
            + calls(program, places, stem) + "    return code;\n}\n";
    return withStem(text, stem);
}

} // namespace nestwright::graph
