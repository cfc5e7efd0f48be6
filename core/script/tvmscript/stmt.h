// SPDX-License-Identifier: Apache-2.0
/// Reading statements of TVMScript.
#pragma once

#include "core/ir/node/function.h"
#include "core/script/tvmscript/buffers.h"

#include <functional>
#include <map>
#include <set>

namespace nestwright::script {

/// A block while its statements are read. The outermost frame stands for the root block that is only implied.
struct BlockFrame {
    ir::Block block;
    bool isImplied = false;
    bool hasReads = false;
    bool hasWrites = false;
    bool hasPredicate = false;
};

/// Wraps the statements that follow, as T.allocate does.
using Wrap = std::function<ir::Stmt(ir::Stmt body)>;

class StmtReader {
public:
    explicit StmtReader(Context &context) : m_context(context), m_exprs(context) {}

    ir::Function function(const py::FunctionDef &def);
    /// The type after `->`, as in `-> T.int32`; void where there is none.
    ir::DataType returnType(const py::FunctionDef &def);

private:
    // Functions (function.cpp).
    ir::Param parameter(const py::Param &param);
    void functionAttrs(const py::Call &call);
    /// The value of a keyword such as `private=True` in the decorator of a function.
    bool decoratorSays(const py::FunctionDef &def, std::string_view wanted, bool absent = false);
    ir::Stmt withRoot(BlockFrame root, ir::Stmt body) const;

    // Sizes (sizes.cpp).
    void noteSizeTypes(const py::FunctionDef &def);
    void typeParameters(const py::FunctionDef &def, const std::set<std::string> &parameters);
    void symbolicSizes(const py::Call &call);
    void nameSizes(const py::Expr &e, bool isText);
    bool makesVariable(const py::Call &call);
    ir::Expr declaredVariable(const std::string &name, const ir::Var &made, py::Position at);

    // Statements.
    ir::Stmt body(const py::Body &statements);
    ir::Stmt loopBody(const py::Body &statements);
    ir::Stmt rest(const py::Body &statements, std::size_t from);
    /// Nothing when the statement makes no node of its own.
    ir::Stmt statement(const py::StmtNode &node);
    ir::Stmt assign(const py::Assign &node);
    ir::Stmt assignOne(const py::Expr &target, const py::Expr &value);
    void assignName(const std::string &name, const py::Expr &value);
    ir::Stmt store(const py::Subscript &target, const Value &value, py::Position at);
    ir::Stmt augmented(const py::AugAssign &node);
    ir::Stmt exprStatement(const py::ExprStmt &node);
    ir::Stmt storeCall(const py::Call &call);
    ir::Stmt storeTo(const Argument &target, CallArgs &args);
    ir::Stmt storeAt(const ir::Buffer &buffer, const std::vector<ir::Expr> &indices, const ir::Expr &stored,
                     py::Position at);
    ir::Stmt forLoop(const py::For &node);
    ir::Stmt gridLoop(const py::For &node, CallArgs args);
    std::vector<std::string> gridNames(const py::Expr &target, std::size_t count) const;
    ir::Stmt with(const py::With &node, std::size_t item);
    ir::Stmt ifThenElse(const py::If &node);
    bool isPythonConstant(const py::Expr &e) const;
    std::optional<Wrap> assignment(const py::Assign &node, const std::string &name);

    // Variables that are assigned (scalars.cpp).
    void noteReassignments(const py::Body &statements);
    const ir::Buffer *scalar(const std::string &name) const;
    ir::Stmt assignScalar(const ir::Buffer &scalar, const Value &value, py::Position at);
    Wrap declareScalar(const std::string &name, ir::DataType type, const Value *value, py::Position at);
    Wrap annotated(const py::AnnAssign &node);

    // Functions of the file (definitions.cpp).
    /// The function that `call` calls, and its object where it is a method (else None); no definition where
    /// it is no function of the file.
    std::pair<FunctionValue, Value> macro(const py::Call &call) const;
    ir::Stmt expandMacro(const FunctionValue &function, const Value &object, const py::Call &call);
    void defineInside(const py::FunctionDef &definition);

    // Objects of classes of the file (classes.cpp).
    /// The call of a class in `Class(…)` or `T.meta_var(Class(…))`, or null.
    const py::Call *construction(const py::Expr &value);
    /// Runs the class's __init__; its definitions for the statements that follow are added to `wraps`.
    Value construct(const py::Call &call, std::vector<Wrap> &wraps);
    void initialize(const py::Body &statements, const InstanceValue &object, std::vector<Wrap> &wraps);
    void initializeOne(const py::Assign &node, const InstanceValue &object, std::vector<Wrap> &wraps);
    /// The value of a name or a chain of members of objects, or null.
    const Value *known(const py::Expr &e) const;

    // Statements that hold for all that follows them (scopes.cpp).
    /// Nothing when `node` is no such statement.
    std::optional<Wrap> scopeStatement(const py::StmtNode &node);
    std::optional<Wrap> scopeCall(const py::Call &call, const std::string &target);
    /// `like`: a variable of the type that the text gives, or null.
    Wrap let(const std::string &name, const Value &value, const ir::Var &like, py::Position at);
    Wrap bind(const ir::Var &var, const Value &value, py::Position at);
    Wrap allocate(CallArgs args, const std::string &target);
    Wrap allocateConst(CallArgs args, const std::string &target);
    Wrap realize(CallArgs args);
    /// `scope` is that of T.alloc_shared and T.alloc_local, else null.
    Wrap declBuffer(CallArgs args, const std::string &target, const char *scope = nullptr);
    Wrap allocation(const ir::Buffer &buffer, ir::Attrs annotations);
    const Value *viewed(const py::Call &call) const;
    Wrap view(const ir::Buffer &buffer, CallArgs args, const std::string &target);
    void viewAs(ir::BufferNode &node, ir::DataType type, py::Position at);
    void viewIn(ir::BufferNode &node, const std::vector<Argument> &given, py::Position at);
    Wrap launchThread(CallArgs args, const std::string &target);
    Wrap threadLoop(const ir::Var &var, const std::string &thread, const ir::Expr &extent, py::Position at);
    Wrap attribute(CallArgs args);
    Wrap attributesOfNothing(const DictValue &dict, py::Position at);
    Wrap letStmt(CallArgs args, const std::string &target);
    Wrap assertion(const ir::Expr &condition, std::string message);
    ir::Var annotatedType(const py::Expr &annotation);

    // Blocks (block.cpp).
    ir::Stmt block(const py::Call &call, const py::Body &statements);
    ir::Stmt init(const py::Body &statements, py::Position at);
    /// Whether `function` was one of those that describe the block they stand in.
    bool blockCall(const std::string &function, const py::Call &call);
    void mergeAttrs(ir::Attrs &attrs, const ir::Attrs &added, py::Position at);
    void regions(const py::Call &call, const std::string &function, bool isReads);
    void axis(const std::string &name, const std::string &function, const py::Call &call);
    void remap(const std::vector<std::string> &names, const py::Call &call);
    void addIterVar(const std::string &name, ir::IterKind kind, ir::Range domain, ir::Expr value,
                    py::Position at);
    void requireShape(const ir::MatchBuffer &match, py::Position at) const;
    ir::IterKind iterKind(const std::string &function, py::Position at) const;
    void matchBuffer(const std::string &name, const py::Call &call);
    /// The block that the present statement describes; an error where there is none.
    BlockFrame &currentBlock(const std::string &function, py::Position at);

    Context &m_context;
    ExprReader m_exprs;
    std::vector<BlockFrame *> m_blocks;
    std::vector<ir::Param> *m_params = nullptr;
    ir::Attrs *m_attrs = nullptr;
    std::map<std::string, ir::DataType> m_sizeTypes; ///< of scalar parameters and of `n = T.int32()`, which
                                                     ///< may follow a parameter of size "n"
    std::map<std::string, ir::Var> m_sizes; ///< type parameters, and those that strings name in shapes
    ir::VarMap<std::string> m_threads;      ///< thread axes of the variables of T.env_thread
    bool m_isLater = false; ///< in TVM 0.27 and later T.alloc_buffer allocates here and now, not in the block
    bool m_isPrivate = false;
    bool m_hasScalars = false; ///< a type alone makes a variable that can be assigned, as from TVM 0.25 on
    std::set<std::string> m_reassigned; ///< names that get another value, in a function of later versions
    std::unordered_set<ir::Buffer, ir::BufferHash> m_scalars;
    std::string m_blockSuffix; ///< of the names of blocks
    int m_loopDepth = 0;
    int m_depth = 0; ///< of wraps; each nests the rest of its block
};

/// The names that `target` (a name, or a tuple or list of names) gives values to; empty when it is something
/// else.
std::vector<std::string> targetNames(const py::Expr &target);

} // namespace nestwright::script
