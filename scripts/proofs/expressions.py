# SPDX-License-Identifier: Apache-2.0
"""Expressions as people write them, in Python's syntax, to trees (formulas.py) and back; and their values.

`//` and `%` round towards minus infinity; tdiv and tmod, min and max are functions.
"""

import ast

from formulas import DIVISIONS, LOGICAL

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%", ast.And: "&&",
             ast.Or: "||", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
             ast.GtE: ">="}
FUNCTIONS = {"min": 2, "max": 2, "tdiv": 2, "tmod": 2}


def read(text):
    """The tree of a text, whose lines hold all; ValueError says what cannot be read."""
    try:
        return joined("&&", [tree_of(ast.parse(line.strip(), mode="eval").body)
                             for line in text.splitlines()])
    except (SyntaxError, KeyError) as error:
        raise ValueError(f"no expression that can be proved: {text!r}") from error


def tree_of(node):
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.Name(id=name):
            return name
        case ast.BinOp(left=left, op=op, right=right):
            return [OPERATORS[type(op)], tree_of(left), tree_of(right)]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ["-", 0, tree_of(operand)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ["!", tree_of(operand)]
        case ast.IfExp(test=test, body=body, orelse=other):
            return ["select", tree_of(test), tree_of(body), tree_of(other)]
        case ast.Call(func=ast.Name(id=name), args=args) if FUNCTIONS.get(name) == len(args):
            return [name, *map(tree_of, args)]
        case ast.BoolOp(op=op, values=values):
            return joined(OPERATORS[type(op)], map(tree_of, values))
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [tree_of(left), *map(tree_of, others)]
            pairs = zip(ops, sides, sides[1:])
            return joined("&&", [[OPERATORS[type(op)], a, b] for op, a, b in pairs])
    raise KeyError(node)


def joined(operator, trees):
    first, *rest = trees
    for tree in rest:
        first = [operator, first, tree]
    return first


def substituted(tree, values):
    """The tree with trees in place of letters."""
    if isinstance(tree, list):
        return [tree[0], *(substituted(operand, values) for operand in tree[1:])]
    return values.get(tree, tree) if isinstance(tree, str) else tree


def shown(tree):
    """The tree in the language of rules, with all parentheses."""
    if not isinstance(tree, list):
        return str(tree)
    operands = [shown(operand) for operand in tree[1:]]
    if tree[0][0].isalpha():
        return f"{tree[0]}({', '.join(operands)})"
    inner = [f"({text})" if isinstance(operand, list) and not operand[0][0].isalpha() else text
             for text, operand in zip(operands, tree[1:])]
    return f"!{inner[0]}" if tree[0] == "!" else f" {tree[0]} ".join(inner)


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


ACTIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "tdiv": truncated,
    "tmod": lambda a, b: a - b * truncated(a, b),
    "min": min,
    "max": max,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def value(tree, letters):
    """The value of the tree where the letters have these; nothing where it divides by 0."""
    if not isinstance(tree, list):
        return letters[tree] if isinstance(tree, str) else tree
    operator = tree[0]
    a = value(tree[1], letters)
    if a is None:
        return None
    if operator == "!":
        return not a
    if operator in LOGICAL and bool(a) == (operator == "||"):
        return bool(a)
    b = value(tree[2], letters)
    if b is None:
        return None
    if operator == "select":
        c = value(tree[3], letters)
        return None if c is None else b if a else c
    if operator in LOGICAL:
        return bool(b)
    return None if operator in DIVISIONS and b == 0 else ACTIONS[operator](a, b)
