#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes transformer_encoder.onnx and transformer_decoder.onnx beside this file with PyTorch, and a run
of each.

Two layers of an encoder and one of a decoder with random weights: what language models are made of, small
enough to read.
"""

import pathlib

import onnx
import torch

HERE = pathlib.Path(__file__).parent
WIDTH, HEADS, TOKENS = 64, 4, 16


class Encoder(torch.nn.Module):
    """Self-attention and a feed-forward part, twice; written out: the exporter shows each operator."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(causal=False) for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x, x)
        return x


class Layer(torch.nn.Module):
    def __init__(self, causal):
        super().__init__()
        self.causal = causal
        self.query, self.key, self.value, self.out = (torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.first, self.second = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.wide, self.narrow = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, memory):
        x = self.first(x + self.attention(x, memory))
        return self.second(x + self.narrow(torch.nn.functional.gelu(self.wide(x))))

    def attention(self, x, memory):
        def heads(y):
            return y.reshape(y.shape[0], y.shape[1], HEADS, WIDTH // HEADS).transpose(1, 2)

        q, k, v = heads(self.query(x)), heads(self.key(memory)), heads(self.value(memory))
        scores = q @ k.transpose(2, 3) / (WIDTH // HEADS) ** 0.5
        if self.causal:
            later = torch.triu(torch.ones(x.shape[1], memory.shape[1], dtype=torch.bool), 1)
            scores = torch.where(later, torch.tensor(float("-inf")), scores)
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        return self.out(mixed)


class Decoder(torch.nn.Module):
    """A causal layer over embedded tokens, then one that attends to the encoder's result."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(100, WIDTH)
        self.own, self.cross = Layer(causal=True), Layer(causal=False)
        self.head = torch.nn.Linear(WIDTH, 100)

    def forward(self, tokens, memory):
        x = self.embedding(tokens)
        return self.head(self.cross(self.own(x, x), memory)).log_softmax(-1)


def export(name, model, inputs, output):
    """The model, and a run of it: NAME.onnx, and NAME_INPUT.pb and NAME_OUTPUT.pb as serialized tensors."""
    model.eval()
    torch.onnx.export(model, tuple(inputs.values()), str(HERE / f"{name}.onnx"), input_names=list(inputs),
                      output_names=[output], opset_version=17, dynamo=False)
    with torch.no_grad():
        tensors = inputs | {output: model(*inputs.values())}
    for key, tensor in tensors.items():
        proto = onnx.numpy_helper.from_array(tensor.numpy(), key)
        (HERE / f"{name}_{key}.pb").write_bytes(proto.SerializeToString())


def main():
    torch.manual_seed(7)
    memory = torch.randn(1, TOKENS, WIDTH)
    export("transformer_encoder", Encoder(), {"x": memory}, "y")
    tokens = torch.randint(0, 100, (1, TOKENS))
    export("transformer_decoder", Decoder(), {"tokens": tokens, "memory": memory}, "probabilities")


if __name__ == "__main__":
    main()
