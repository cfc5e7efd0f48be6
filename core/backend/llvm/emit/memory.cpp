// SPDX-License-Identifier: Apache-2.0
#include "core/arith/lane_places.h"
#include "core/backend/llvm/emit/emitter.h"
#include "core/ir/build/builder.h"
#include "core/support/errors/errors.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>

namespace nestwright::backend {

using ir::Buffer;
using ir::DataType;
using ir::Expr;
using llvm::Value;

namespace {

/// The flat index; flat programs have exactly one.
const Expr &onlyIndex(const Buffer &buffer, const std::vector<Expr> &indices)
{
    NW_ASSERT(indices.size() == 1, "the buffer '" + buffer.name() + "' is not flat");
    return indices.front();
}

} // namespace

Value *Emitter::address(const Buffer &buffer, Value *index)
{
    const auto data = m_frame.values.find(buffer->data);
    NW_ASSERT(data != m_frame.values.end(), "the buffer '" + buffer.name() + "' has no memory here");
    if (buffer->elemOffset && !ir::isConstInt(buffer->elemOffset, 0))
        index = m_builder.CreateNSWAdd(index, this->index(buffer->elemOffset));
    if (buffer.dtype().lanes > 1)
        index = m_builder.CreateNSWMul(index, m_builder.getInt64(buffer.dtype().lanes));
    return m_builder.CreateInBoundsGEP(memoryType(buffer.dtype()), data->second, index);
}

Value *Emitter::load(const ir::BufferLoad &node)
{
    const Expr &index = onlyIndex(node.buffer, node.indices);
    const DataType type = node.buffer.dtype();
    Value *mask = node.predicate ? value(node.predicate) : nullptr;
    if (Value *running = runningLanes(std::max<int>(index.dtype().lanes, type.lanes)))
        mask = mask ? m_builder.CreateAnd(mask, running) : running;
    if (!index.dtype().isVector() && type.lanes == 1 && mask) {
        Value *one = m_builder.CreateVectorSplat(1, mask);
        Value *raw = m_builder.CreateExtractElement(loadLanes(node.buffer, index, one), std::uint64_t{0});
        return type.isBool() ? m_builder.CreateICmpNE(raw, m_builder.getInt8(0)) : raw;
    }
    if (!index.dtype().isVector() && type.lanes == 1) {
        Value *raw = m_builder.CreateAlignedLoad(memoryType(type), address(node.buffer, this->index(index)),
                                                 llvm::Align(type.bytes()));
        return type.isBool() ? m_builder.CreateICmpNE(raw, m_builder.getInt8(0)) : raw;
    }
    if (index.dtype().isVector() && type.lanes > 1)
        unsupported("a vector of the vectors of '" + node.buffer.name() + "'");
    Value *raw = loadLanes(node.buffer, index, mask);
    return type.isBool() ? m_builder.CreateICmpNE(raw, llvm::Constant::getNullValue(raw->getType())) : raw;
}

void Emitter::store(const ir::BufferStore &node)
{
    const Expr &index = onlyIndex(node.buffer, node.indices);
    const DataType type = node.buffer.dtype();
    Value *mask = node.predicate ? value(node.predicate) : nullptr;
    Value *combined = m_frame.reassociates ? reassociated(node) : nullptr;
    Value *stored = combined ? combined : value(node.value);
    if (type.isBool())
        stored = m_builder.CreateZExt(stored, valueType(DataType::uint(8, node.value.dtype().lanes)));
    if (!index.dtype().isVector() && type.lanes == 1 && !mask) {
        m_builder.CreateAlignedStore(stored, address(node.buffer, this->index(index)),
                                     llvm::Align(type.bytes()));
        return;
    }
    if (index.dtype().isVector() && type.lanes > 1)
        unsupported("a vector of the vectors of '" + node.buffer.name() + "'");
    storeLanes(node.buffer, index, stored, mask);
}

namespace {

/// Whether the buffer is made of groups of `lanes` elements: one of which an element is there is there whole.
bool wholeGroups(const Buffer &buffer, int lanes)
{
    std::int64_t elements = 1;
    for (const Expr &extent : buffer->shape) {
        const std::int64_t *size = ir::asInt(extent);
        if (!size)
            return false;
        elements *= *size;
    }
    return elements % lanes == 0;
}

} // namespace

Value *Emitter::loadLanes(const Buffer &buffer, const Expr &index, Value *mask)
{
    const int lanes = std::max<int>(index.dtype().lanes, buffer.dtype().lanes);
    const llvm::Align align(buffer.dtype().bytes());
    llvm::Type *type = llvm::FixedVectorType::get(memoryType(buffer.dtype()), lanes);
    const auto *steps = index.as<ir::Ramp>();
    const bool isDense = !index.dtype().isVector() || (steps && ir::isConstInt(steps->stride, 1));
    if (isDense) {
        Value *place = address(buffer, this->index(steps ? steps->base : index));
        if (mask)
            return m_builder.CreateMaskedLoad(type, place, align, mask, llvm::Constant::getNullValue(type));
        return m_builder.CreateAlignedLoad(type, place, align);
    }
    if (const auto *same = index.as<ir::Broadcast>(); same && !mask) {
        Value *one = m_builder.CreateAlignedLoad(memoryType(buffer.dtype()),
                                                 address(buffer, this->index(same->value)), align);
        return m_builder.CreateVectorSplat(lanes, one);
    }
    if (!mask && wholeGroups(buffer, lanes)) {
        if (const auto group = arith::laneGroup(index)) {
            Value *whole =
                m_builder.CreateAlignedLoad(type, address(buffer, this->index(group->begin)), align);
            return m_builder.CreateShuffleVector(whole, group->places);
        }
    }
    // Lanes that are left out are 0 here, too: a condition that they fail may not hide what is undefined.
    return m_builder.CreateMaskedGather(type, address(buffer, this->index(index)), align, mask,
                                        llvm::Constant::getNullValue(type));
}

void Emitter::storeLanes(const Buffer &buffer, const Expr &index, Value *lanes, Value *mask)
{
    const llvm::Align align(buffer.dtype().bytes());
    const auto *steps = index.as<ir::Ramp>();
    const bool isDense = !index.dtype().isVector() || (steps && ir::isConstInt(steps->stride, 1));
    if (!isDense) {
        m_builder.CreateMaskedScatter(lanes, address(buffer, this->index(index)), align, mask);
        return;
    }
    Value *place = address(buffer, this->index(steps ? steps->base : index));
    if (mask)
        m_builder.CreateMaskedStore(lanes, place, align, mask);
    else if (std::ranges::contains(m_frame.streamed, buffer) && fillsLines(buffer, index))
        storeLine(lanes, place);
    else
        m_builder.CreateAlignedStore(lanes, place, align);
}

} // namespace nestwright::backend
