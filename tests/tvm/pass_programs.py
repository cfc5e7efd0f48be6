#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the programs out of Apache TVM's tests of its lowering passes that concern a processor.

    pass_programs.py TVM FOLDER

TVM is a checkout of TVM 0.23, FOLDER gets CASE.before.py and, where the test names what the pass gives,
CASE.after.py. NESTWRIGHT_TVM_PASSES=FOLDER has test_lower_tvm_programs read, lower and run them. Programs
that Python makes while it runs are left out, and the few in MADE; of values that a test is run with, the
first is taken.
"""

import argparse
import ast
import pathlib
import re
import textwrap

PASSES = """annotate_irregular_loop bf16_legalize canonicalize_loop common_subexpr_elim compact_buffer_region
convert_blocks_to_opaque convert_for_loops_serial convert_ssa flatten_buffer force_narrow_index_to_i32
fp8_legalize hoist_expression hoist_if inject_double_buffer inject_rolling_buffer inject_software_pipeline
inject_virtual_thread loop_partition lower_init_block lower_intrin lower_match_buffer lower_opaque_block
narrow_datatype plan_update_buffer_allocation_location reduce_branching_through_overcompute remove_assume
remove_no_op remove_undef remove_weight_layout_rewrite_block renormalize_split_pattern rewrite_unsafe_select
simplify storage_rewrite unroll_loop vectorize""".split()

# Programs in which a name stands for what Python makes, that are joined from several by Python, or that TVM
# refuses.
MADE = ["intrin_test", "priors", "iter_var", "threadIdx_x", "sve_target", "num_stages"]
MADE_TESTS = re.compile(
    r"convert_ssa\.(TestReusedParameter|TestReusedBufferParameter|TestReusedVarAcrossModule)"
    r"|fp8_legalize\.|vectorize\.test_vectorize_if_scalable_extent|\w+\.fail_"
)

HEAD = "from tvm.script import ir as I, tir as T\n\n"
# What a program of a test is called before its pass and behind it.
BEFORE = re.compile(r"before|original|func|mod|main", re.IGNORECASE)
AFTER = re.compile(r"expected|after|transformed", re.IGNORECASE)


def text_of(source, node):
    lines = source.split("\n")
    first = min([each.lineno for each in node.decorator_list] + [node.lineno]) - 1
    return textwrap.dedent("\n".join(lines[first : node.end_lineno]))


def is_decorated(node, name):
    return any(name in ast.unparse(each) for each in node.decorator_list)


def first_values(node):
    """The values that pytest calls a test with first, by their names."""
    values = {}
    for each in node.decorator_list:
        if isinstance(each, ast.Call) and ast.unparse(each.func).endswith("parametrize"):
            names = [name.strip() for name in ast.literal_eval(each.args[0]).split(",")]
            cases = each.args[1]
            first = cases.elts[0] if isinstance(cases, (ast.List, ast.Tuple)) and cases.elts else None
            parts = first.elts if isinstance(first, ast.Tuple) and len(names) > 1 else [first]
            values |= {name: ast.unparse(part) for name, part in zip(names, parts) if part is not None}
    return values


def constants_of(body):
    found = {}
    for node in body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if isinstance(node.value, (ast.Constant, ast.Tuple)):
                found[node.targets[0].id] = ast.unparse(node.value)
    return found


class Programs:
    """The programs of one file, by the test that they stand in."""

    def __init__(self, source):
        self.source, self.cases = source, {}
        self.scan(ast.parse(source).body, "", {}, False)

    def scan(self, body, case, constants, in_class):
        constants = constants | constants_of(body)
        for node in body:
            if isinstance(node, ast.FunctionDef):
                self.function(node, case, constants, in_class)
            elif isinstance(node, ast.ClassDef):
                self.module(node, case, constants, in_class)
            elif isinstance(node, (ast.If, ast.With, ast.For)):
                self.scan(node.body, case, constants, in_class)

    def function(self, node, case, constants, in_class):
        if "pytest.raises" in ast.unparse(node):
            return  # TVM refuses the program
        is_program = in_class and BEFORE.fullmatch(node.name) or in_class and AFTER.fullmatch(node.name)
        takes_buffers = not node.args.args or node.args.args[0].annotation is not None
        if is_decorated(node, "prim_func"):
            self.add(case, node.name, text_of(self.source, node), constants)
        elif is_program and takes_buffers and not is_decorated(node, "fixture"):
            self.add(case, node.name, "@T.prim_func\n" + text_of(self.source, node), constants)
        else:
            self.scan(node.body, f"{case}-{node.name}".strip("-"), constants | first_values(node), False)

    def module(self, node, case, constants, in_class):
        if re.search(r"^ *expected = \S*Error", text_of(self.source, node), re.MULTILINE):
            return
        is_program = in_class and (BEFORE.fullmatch(node.name) or AFTER.fullmatch(node.name))
        if is_decorated(node, "ir_module"):
            self.add(case, node.name, text_of(self.source, node), constants)
        elif is_program:
            self.add(case, node.name, "@I.ir_module\n" + text_of(self.source, node), constants)
        else:
            self.scan(node.body, f"{case}-{node.name}".strip("-"), constants, True)

    def add(self, case, name, text, constants):
        for constant, value in constants.items():
            if not re.search(rf"\b{constant}\s*(:|=[^=])|for [^:]*\b{constant}\b[^:]* in", text):
                text = re.sub(rf"(?<![\w.\"]){constant}(?![\w\"]|\s*=[^=])", lambda _, v=value: v, text)
        # Tests that make their programs in methods before() and expected().
        owner = re.sub(r"-(before|expected)$", "", case)
        kind = "after" if case.endswith("-expected") or AFTER.search(name) else "before"
        # Programs that stand beside each other in a file: compacted_X for X.
        label = re.sub(r"^(transformed|compacted|flattened|expected|after|substituted)_", "", name)
        if label != name or not owner:
            kind = "after" if label != name else kind
            owner = f"{owner}-{label}".strip("-")
        self.cases.setdefault(owner, {}).setdefault(kind, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tvm", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    before = after = 0
    for name in PASSES:
        path = arguments.tvm / f"tests/python/tir-transform/test_tir_transform_{name}.py"
        for case, texts in Programs(path.read_text()).cases.items():
            made = any(re.search(rf"\b{each}\b", text) for each in MADE for text in texts.values())
            if "before" not in texts or made or MADE_TESTS.match(f"{name}.{case}"):
                continue
            before += 1
            after += "after" in texts
            for kind, text in texts.items():
                (arguments.folder / f"{name}.{case}.{kind}.py").write_text(HEAD + text + "\n")
    print(f"{before} programs, {after} of them with what the pass gives")


if __name__ == "__main__":
    main()
