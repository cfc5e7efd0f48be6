// SPDX-License-Identifier: Apache-2.0
// The encoding of messages: https://protobuf.dev/programming-guides/encoding
#include "core/frontend/onnx/file/serialized_model.h"

#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

#include <array>
#include <cstdint>

namespace nestwright::graph::onnx {

namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

struct Field {
    int number = 0;
    bool holdsBytes = false;  ///< a string, bytes or a message
    std::string_view content; ///< of what holds bytes
    std::string_view whole;   ///< with its number and length
};

/// Calls `visit` for each field of the message, as long as that is true. False where one was not, and where
/// the message is none.
template <class Visit> bool visitFields(std::string_view message, const Visit &visit)
{
    enum : std::uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };
    CodedInputStream in(reinterpret_cast<const std::uint8_t *>(message.data()),
                        static_cast<int>(message.size()));
    for (;;) {
        const int begin = in.CurrentPosition();
        const std::uint32_t tag = in.ReadTag();
        if (tag == 0)
            return in.ConsumedEntireMessage();
        std::uint64_t number = 0;
        int length = 0;
        bool isRead = false;
        switch (tag & 7) {
        case Varint: isRead = in.ReadVarint64(&number); break;
        case Fixed64: isRead = in.Skip(8); break;
        case Fixed32: isRead = in.Skip(4); break;
        case Bytes: isRead = in.ReadVarintSizeAsInt(&length) && in.Skip(length); break;
        default: return false;
        }
        const auto end = static_cast<std::size_t>(in.CurrentPosition());
        if (!isRead
            || !visit(Field{
                static_cast<int>(tag >> 3), (tag & 7) == Bytes,
                message.substr(end - static_cast<std::size_t>(length), static_cast<std::size_t>(length)),
                message.substr(static_cast<std::size_t>(begin), end - static_cast<std::size_t>(begin))}))
            return false;
    }
}

void appendVarint(std::string &to, std::uint32_t value)
{
    std::array<std::uint8_t, 5> bytes{};
    const std::uint8_t *end = CodedOutputStream::WriteVarint32ToArray(value, bytes.data());
    to.append(bytes.begin(), bytes.begin() + (end - bytes.data()));
}

void appendField(std::string &to, int number, std::string_view content)
{
    appendVarint(to, static_cast<std::uint32_t>(number) << 3 | 2);
    appendVarint(to, static_cast<std::uint32_t>(content.size()));
    to.append(content);
}

/// Copies the message but for fields of this number that hold bytes, which `taken` gets, and what to copy to.
template <class Taken>
bool copyWithout(std::string_view message, std::string &to, int number, const Taken &taken)
{
    return visitFields(message, [&](const Field &field) {
        if (field.number == number && field.holdsBytes)
            return taken(field.content);
        to.append(field.whole);
        return true;
    });
}

} // namespace

std::optional<SerializedModel> withoutRawData(std::string_view bytes)
{
    using ::onnx::GraphProto, ::onnx::ModelProto, ::onnx::TensorProto;
    SerializedModel model;
    const auto tensor = [&](std::string_view content, std::string &to) {
        std::string rest;
        RawData data;
        const bool isRead =
            copyWithout(content, rest, TensorProto::kRawDataFieldNumber, [&](std::string_view raw) {
                data = std::as_bytes(std::span(raw)); // the last one counts
                return true;
            });
        model.rawData.push_back(data);
        appendField(to, GraphProto::kInitializerFieldNumber, rest);
        return isRead;
    };
    const auto graph = [&](std::string_view content) {
        std::string rest;
        const bool isRead = copyWithout(content, rest, GraphProto::kInitializerFieldNumber,
                                        [&](std::string_view each) { return tensor(each, rest); });
        appendField(model.message, ModelProto::kGraphFieldNumber, rest);
        return isRead;
    };
    if (!copyWithout(bytes, model.message, ModelProto::kGraphFieldNumber, graph))
        return std::nullopt;
    return model;
}

} // namespace nestwright::graph::onnx
