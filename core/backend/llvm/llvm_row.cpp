// SPDX-License-Identifier: Apache-2.0
// The row of LLVM in the table of backends.
#include "core/backend/codes.h"
#include "core/backend/llvm/jit.h"
#include "core/backend/llvm/llvm_backend.h"
#include "core/backend/llvm/llvm_ptx.h"
#include "core/backend/llvm/read/disassembler.h"
#include "core/backend/llvm/read/edited_llvm.h"
#include "core/backend/llvm/read/object_file.h"
#include "core/backend/table/backend_table.h"

#include <array>

namespace nestwright::backend {

const Backend &llvmRow()
{
    static constexpr std::array loaders{Loader{Format::Object, loadObject}};
    static constexpr std::array edited{SourceKind::LlvmIr, SourceKind::Asm, SourceKind::IntelAsm,
                                       SourceKind::UnoptimizedLlvmIr};
    static constexpr Backend row{
        .kind = target::TargetKind::Llvm,
        .source = llvmSource,
        .compile = llvmCompile,
        .version = llvmVersion,
        .check = llvmCheck,
        .loaders = loaders,
        .loops = llvmLoopCode,
        .vectors = llvmVectorUnit,
        .exports = {.askingSource = llvmAskingSource, .object = llvmExportedObject},
        .edited = {.kinds = edited, .source = llvmEditableSource, .compile = llvmCompileText},
        .processors = {.check = llvmCheck, .needs = llvmNeeds, .system = llvmSystem},
        .reader = {.functions = llvmFunctionsIn, .names = llvmFunctionNames, .disassemble = llvmDisassemble},
        .substitute = {.kind = SourceKind::Ptx, .missing = codes::noCudaCompiler, .source = llvmPtx},
    };
    return row;
}

} // namespace nestwright::backend
