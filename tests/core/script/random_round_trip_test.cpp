// SPDX-License-Identifier: Apache-2.0
// Random trees of raw nodes, as no text and no builder would make them: the printed text reads back as the
// same tree.
#include "core/ir/build/builder.h"
#include "core/ir/build/intrinsics.h"
#include "core/ir/node/equality.h"
#include "core/script/print/printer.h"
#include "core/script/tvmscript/parser.h"

#include <QtTest>

#include <random>

using namespace nestwright;
using ir::BinaryOp;
using ir::Buffer;
using ir::DataType;
using ir::Expr;
using ir::Stmt;
using ir::Var;

namespace {

class Generator {
public:
    explicit Generator(unsigned seed) : m_random(seed)
    {
        for (const DataType type : {DataType::int32(), DataType::int64(), DataType::uint(8),
                                    DataType::float32(), DataType::float_(16), DataType::boolean()}) {
            m_buffers.emplace_back("buf", std::vector<Expr>{8, 8}, type);
            m_scalars.emplace_back("x", type);
        }
    }

    ir::Module module()
    {
        ir::PrimFunc function;
        for (const Buffer &buffer : m_buffers)
            function.params.push_back({Var("p", DataType::handle()), buffer});
        for (const Var &var : m_scalars)
            function.params.push_back({var, {}});
        m_vars = m_scalars;
        function.body = statement(4);
        if (pick(2) == 0)
            function.attrs["global_symbol"] = std::string("main");
        return ir::Module({{"main", std::make_shared<const ir::PrimFunc>(std::move(function))}});
    }

private:
    int pick(int count) { return static_cast<int>(m_random() % static_cast<unsigned>(count)); }

    DataType scalarType()
    {
        return m_buffers[static_cast<std::size_t>(pick(static_cast<int>(m_buffers.size())))].dtype();
    }

    Expr constant(DataType type)
    {
        static const double numbers[] = {0, 1, -1, 2, 3, 127, -128, 0.5, 0.1, -2.75, 1e20, 1e-20};
        if (type.isFloating())
            return ir::floatImm(numbers[pick(12)], type);
        return ir::intImm(static_cast<std::int64_t>(numbers[pick(7)]), type);
    }

    Expr variable(DataType type)
    {
        std::vector<Var> fitting;
        for (const Var &var : m_vars) {
            if (var.dtype() == type)
                fitting.push_back(var);
        }
        return fitting.empty()
                   ? constant(type)
                   : Expr(fitting[static_cast<std::size_t>(pick(static_cast<int>(fitting.size())))]);
    }

    Expr expression(DataType type, int depth)
    {
        if (type.isVector())
            return vector(type, depth);
        if (depth <= 0)
            return pick(2) == 0 ? constant(type) : variable(type);
        switch (pick(8)) {
        case 0: return variable(type);
        case 1: {
            ir::Cast node;
            node.dtype = type;
            node.value = expression(scalarType(), depth - 1);
            return ir::make(std::move(node));
        }
        case 2:
            return ir::select(expression(DataType::boolean(), depth - 1), expression(type, depth - 1),
                              expression(type, depth - 1));
        case 3: return load(type, depth);
        case 4: {
            const Var bound("y", scalarType());
            const Expr value = expression(bound.dtype(), depth - 1);
            m_vars.push_back(bound);
            const Expr body = expression(type, depth - 1);
            m_vars.pop_back();
            return ir::let(bound, value, body);
        }
        default: return type.isBool() ? condition(depth) : arithmetic(type, depth);
        }
    }

    Expr arithmetic(DataType type, int depth)
    {
        static const BinaryOp integers[] = {BinaryOp::Add,      BinaryOp::Sub, BinaryOp::Mul,
                                            BinaryOp::Div,      BinaryOp::Mod, BinaryOp::FloorDiv,
                                            BinaryOp::FloorMod, BinaryOp::Min, BinaryOp::Max};
        static const BinaryOp floats[] = {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul,
                                          BinaryOp::Div, BinaryOp::Min, BinaryOp::Max};
        static const char *const bitwise[] = {"shift_left", "shift_right", "bitwise_and", "bitwise_or",
                                              "bitwise_xor"};
        const Expr a = expression(type, depth - 1), b = expression(type, depth - 1);
        if (pick(8) == 0)
            return type.isFloating() ? ir::call(type, "exp", {a}) : ir::call(type, bitwise[pick(5)], {a, b});
        return ir::binaryNode(type.isFloating() ? floats[pick(6)] : integers[pick(9)], a, b);
    }

    Expr condition(int depth)
    {
        if (pick(3) == 0) {
            ir::Not node;
            node.dtype = DataType::boolean();
            node.a = expression(DataType::boolean(), depth - 1);
            return ir::make(std::move(node));
        }
        const auto op = static_cast<BinaryOp>(static_cast<int>(BinaryOp::EQ) + pick(8));
        const bool logical = op == BinaryOp::And || op == BinaryOp::Or;
        const DataType type = logical ? DataType::boolean() : scalarType();
        return ir::binaryNode(op, expression(type, depth - 1), expression(type, depth - 1));
    }

    Expr vector(DataType type, int depth)
    {
        if (type.element() == DataType::int32() && pick(3) == 0)
            return ir::ramp(expression(DataType::int32(), depth - 1), expression(DataType::int32(), 0),
                            type.lanes);
        return ir::broadcast(expression(type.element(), depth - 1), type.lanes);
    }

    const Buffer &bufferOf(DataType type)
    {
        for (const Buffer &buffer : m_buffers) {
            if (buffer.dtype() == type)
                return buffer;
        }
        return m_buffers.front();
    }

    Expr load(DataType type, int depth)
    {
        return ir::load(bufferOf(type),
                        {expression(DataType::int32(), depth - 1), expression(DataType::int64(), 1)});
    }

    Stmt statement(int depth)
    {
        if (depth <= 0)
            return store();
        switch (pick(8)) {
        case 0: return store();
        case 1:
            return ir::ifThenElse(expression(DataType::boolean(), 2), statement(depth - 1),
                                  pick(2) == 0 ? Stmt() : statement(depth - 1));
        case 2: {
            ir::LetStmt node;
            node.var = Var("y", scalarType());
            node.value = expression(node.var.dtype(), 2);
            node.body = within(node.var, depth);
            return ir::make(std::move(node));
        }
        case 3: {
            ir::AttrStmt node;
            node.key = "key";
            node.value = expression(scalarType(), 1);
            node.body = statement(depth - 1);
            return ir::make(std::move(node));
        }
        case 4: {
            ir::Allocate node;
            node.dtype = scalarType();
            node.extents = {expression(DataType::int32(), 1)};
            node.data = Var("memory", DataType::handle());
            node.body = within(node.data, depth);
            return ir::make(std::move(node));
        }
        case 5: return ir::seq({statement(depth - 1), statement(depth - 1), statement(depth - 2)});
        default: return loop(depth);
        }
    }

    Stmt within(const Var &var, int depth)
    {
        m_vars.push_back(var);
        Stmt body = statement(depth - 1);
        m_vars.pop_back();
        return body;
    }

    Stmt loop(int depth)
    {
        const DataType type = pick(2) == 0 ? DataType::int32() : DataType::int64();
        ir::For node;
        node.var = Var("i", type);
        node.min = pick(2) == 0 ? ir::intImm(0, type) : expression(type, 1);
        node.extent = pick(2) == 0 ? ir::intImm(4, type) : expression(type, 1);
        node.forKind = static_cast<ir::ForKind>(pick(5));
        if (node.forKind == ir::ForKind::ThreadBinding)
            node.thread = "threadIdx.x";
        if (pick(3) == 0)
            node.annotations["key"] = expression(scalarType(), 0);
        node.body = within(node.var, depth);
        return ir::make(std::move(node));
    }

    Stmt store()
    {
        const Buffer &buffer = bufferOf(scalarType());
        if (pick(3) == 0) {
            const Expr index =
                ir::ramp(expression(DataType::int32(), 1), pick(2) == 0 ? Expr(1) : Expr(pick(7) - 3), 4);
            ir::BufferStore node =
                *ir::store(buffer, constant(buffer.dtype()), {0, index}).as<ir::BufferStore>();
            node.value = expression(buffer.dtype().withLanes(4), 3);
            return ir::make(std::move(node));
        }
        ir::BufferStore node;
        node.buffer = buffer;
        node.indices = {expression(DataType::int32(), 2), expression(DataType::int64(), 1)};
        node.value = expression(buffer.dtype(), 4);
        return ir::make(std::move(node));
    }

    std::mt19937 m_random;
    std::vector<Buffer> m_buffers;
    std::vector<Var> m_scalars, m_vars;
};

} // namespace

class RandomRoundTripTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void trees()
    {
        const int rounds = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_ROUNDS") > 0
                               ? qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_ROUNDS")
                               : 1500;
        for (int seed = 0; seed < rounds; ++seed) {
            const ir::Module module = Generator(static_cast<unsigned>(seed)).module();
            for (const script::Dialect dialect : script::allDialects) {
                const std::string text = script::print(module, dialect).text;
                const auto again = script::parseTvmScript(text, "printed.py");
                QVERIFY2(again.has_value(), again ? ""
                                                  : ("seed " + std::to_string(seed) + ": "
                                                     + again.error().render() + "\n" + text)
                                                        .c_str());
                const auto difference = ir::firstDifference(module, *again);
                QVERIFY2(!difference, ("seed " + std::to_string(seed) + ": " + difference.value_or("") + "\n"
                                       + text + "---- again\n" + script::print(*again).text)
                                          .c_str());
                QCOMPARE(ir::structuralHash(module), ir::structuralHash(*again));
            }
        }
    }
};

QTEST_GUILESS_MAIN(RandomRoundTripTest)
#include "random_round_trip_test.moc"
