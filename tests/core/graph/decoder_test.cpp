// SPDX-License-Identifier: Apache-2.0
// Generating token by token: the example model, and models that cannot.
#include "core/graph/run/decoder.h"

#include "core/frontend/model_graph.h"
#include "core/frontend/onnx/decoding_inputs.h"
#include "core/graph/program/compile.h"
#include "tests/core/graph/made_models.h"

#include <QtTest>

using namespace nestwright;
using namespace nestwright::graph;
using namespace nestwright::tests;

namespace {

const std::string modelPath = "examples/models/language_model.onnx";
/// Tokens that ONNX Runtime 1.32 generates behind token 0.
const std::vector<std::int64_t> expected{62, 17,  10, 86,  38, 119, 94, 111, 95, 67, 94, 111,
                                         95, 119, 94, 111, 95, 64,  64, 97,  97, 99, 12, 89};

support::Result<Decoder> decoderWith(std::int64_t places)
{
    auto opened = frontend::openGraph(modelPath, {}, {.decodingPlaces = places});
    if (!opened)
        return support::fail(opened.error());
    auto program = makeProgram(std::move(opened->function));
    if (!program)
        return support::fail(program.error());
    auto executor = makeExecutor(std::move(*program), {});
    if (!executor)
        return support::fail(executor.error());
    return Decoder::make(std::move(*executor), *opened->decoding);
}

OnnxValue integers(std::string name, std::vector<std::variant<std::int64_t, std::string>> shape)
{
    OnnxValue value = floats(std::move(name), std::move(shape));
    value.dtype = ir::DataType::int64();
    return value;
}

graph::onnx::OnnxModel languageModel()
{
    graph::onnx::OnnxModel made = tests::model({}, {});
    made.inputs = {integers("input_ids", {"b", "n"}), integers("position_ids", {"b", "n"}),
                   integers("attention_mask", {"b", "all"}),
                   floats("past_key_values.0.key", {"b", 2, "past", 4}),
                   floats("past_key_values.0.value", {"b", 2, "past", 4})};
    made.outputs = {floats("logits", {}), floats("present.0.key", {}), floats("present.0.value", {})};
    return made;
}

std::string refusal(const graph::onnx::OnnxModel &made)
{
    const auto found = graph::onnx::decodingInputs(made, 8);
    return found ? std::string() : found.error().message;
}

} // namespace

class DecoderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tokensAreThoseOfAnotherProgram()
    {
        for (const std::int64_t places : {24, 100}) { // unused places make no difference
            auto decoder = decoderWith(places);
            QVERIFY2(decoder, decoder ? "" : decoder.error().message.c_str());
            std::int64_t token = 0;
            for (const std::int64_t wanted : expected) {
                const auto next = decoder->step(token);
                QVERIFY2(next, next ? "" : next.error().message.c_str());
                QCOMPARE(*next, wanted);
                token = *next;
            }
            QCOMPARE(decoder->position(), 24);
        }
    }

    void placesEnd()
    {
        auto decoder = decoderWith(2);
        QVERIFY(decoder);
        QVERIFY(decoder->step(1) && decoder->step(2));
        const auto third = decoder->step(3);
        QCOMPARE(third.error().code, "decoding.full");
        QCOMPARE(third.error().message, "all 2 places for tokens are taken");
    }

    void rolesOfInputs()
    {
        const auto found = graph::onnx::decodingInputs(languageModel(), 8);
        QVERIFY(found);
        const DecodingRoles &roles = found->roles;
        QCOMPARE(roles.tokens, "input_ids");
        QCOMPARE(roles.positions, "position_ids");
        QCOMPARE(roles.mask, "attention_mask");
        QCOMPARE(roles.logits, "logits");
        QCOMPARE(roles.places, 8);
        QCOMPARE(roles.caches.size(), std::size_t{2});
        QCOMPARE(roles.caches[1].input, "past_key_values.0.value");
        QCOMPARE(roles.caches[1].output, "present.0.value");
        QCOMPARE(roles.caches[1].axis, std::size_t{2});
        const std::map<std::string, std::int64_t> sizes{{"b", 1}, {"n", 1}, {"past", 8}, {"all", 9}};
        QCOMPARE(found->sizes, sizes);
        graph::onnx::OnnxModel fixed = languageModel(); // the model says how many places there are
        for (const std::size_t i : {3, 4})
            fixed.inputs[i].shape[2] = std::int64_t{5};
        QCOMPARE(graph::onnx::decodingInputs(fixed, 8)->roles.places, 5);
        fixed.inputs.erase(fixed.inputs.begin() + 1); // positions need not be given
        QCOMPARE(graph::onnx::decodingInputs(fixed, 8)->roles.positions, "");
        QVERIFY(!roles.inOrder);
        OnnxNode attention =
            node("GroupQueryAttention", {}, {}); // by lengths: new keys behind those that count
        attention.domain = "com.microsoft";
        fixed.nodes.push_back(std::move(attention));
        QVERIFY(graph::onnx::decodingInputs(fixed, 8)->roles.inOrder);
    }

    void modelsThatCannot()
    {
        const auto without = [](std::size_t input) {
            graph::onnx::OnnxModel made = languageModel();
            made.inputs.erase(made.inputs.begin() + static_cast<std::ptrdiff_t>(input));
            return refusal(made);
        };
        QCOMPARE(without(0), "the model has no input of tokens");
        QCOMPARE(without(2),
                 "the model has no attention mask, which keeps it from places that no token has taken yet");
        QCOMPARE(without(3), "the model has 1 inputs of past and 2 outputs of present keys and values");
        graph::onnx::OnnxModel made = languageModel();
        made.inputs.push_back(integers("token_type_ids", {"b", "n"}));
        QCOMPARE(refusal(made), "nothing is known to give for the input \"token_type_ids\"");
        made = languageModel();
        made.inputs[2].shape[1] = std::string("n");
        QCOMPARE(refusal(made), "the size \"n\" would have to be 1 and 9");
        made = languageModel();
        made.inputs[0].shape[0] = std::int64_t{2};
        QCOMPARE(refusal(made), "the input \"input_ids\" is made for 2 sequences, not 1");
        made = languageModel();
        made.outputs.erase(made.outputs.begin());
        QCOMPARE(refusal(made), "the model has no output of numbers for each token");
        QCOMPARE(refusal(tests::model({}, {})),
                 "the model has 0 inputs of past and 0 outputs of present keys and values");
    }

    void namesThatTheProgramLacks()
    {
        auto opened = frontend::openGraph(modelPath, {}, {.decodingPlaces = 4});
        QVERIFY(opened);
        DecodingRoles roles = *opened->decoding;
        roles.logits = "chances";
        auto program = makeProgram(std::move(opened->function));
        auto executor = makeExecutor(std::move(*program), {});
        QCOMPARE(Decoder::make(std::move(*executor), roles).error().message,
                 "the program has no input or output \"chances\"");
    }
};

QTEST_GUILESS_MAIN(DecoderTest)
#include "decoder_test.moc"
