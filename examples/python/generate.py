# Part of the qcc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Continues a prompt with a decoder, and prints its speed beside what reading memory allows.

Usage: generate.py MODEL.onnx [--tokens=1,15,27] [--count=64] [--context=2048] [--temperature=0] [--seed=0] [--threads=1]

MODEL.onnx is a decoder as the model builder of ONNX Runtime GenAI writes it: its arguments are input_ids,
attention_mask, perhaps position_ids, and past_key_values.*; its results are logits and present.*, in the same order.
Tokens are numbers: what they stand for is the tokenizer's business. A temperature of 0 takes the most probable token.
Caches have room for the tokens of the context from the start, and each run writes its tokens into them in place.
"""

import argparse
import time
from typing import Any, Iterator, List

import numpy as np

import qcc

Array = np.ndarray[Any, Any]


class Decoder:
    """A model and the caches of the tokens that it has seen."""

    def __init__(self, path: str, context: int, threads: int) -> None:
        self.function = qcc.compile(path, dims={"batch_size": 1}).function(threads=threads)
        self.seen = 0
        self.context = context
        #: By the names of results; each lies in the memory of its argument.
        self.caches = {
            result.name: np.zeros([1, int(result.shape[1]), context, int(result.shape[3])], result.dtype)
            for result in self.function.results if result.name.startswith("present.")
        }

    def arguments(self, tokens: List[int]) -> List[Array]:
        """What the model takes to go on with `tokens`, in its order."""
        end = self.seen + len(tokens)
        given = {
            "input_ids": np.array([tokens], np.int64),
            "attention_mask": np.ones((1, end), np.int64),
            "position_ids": np.arange(self.seen, end, dtype=np.int64)[None],
            **{name.replace("present", "past_key_values"): cache for name, cache in self.caches.items()},
        }
        return [given[argument.name] for argument in self.function.arguments]

    def read(self, tokens: List[int]) -> Array:
        """The logits of the token after `tokens`."""
        if self.seen + len(tokens) > self.context:
            raise SystemExit(f"the context has room for {self.context} tokens; give a larger --context")
        results = self.function(*self.arguments(tokens), out=self.caches)
        self.seen += len(tokens)
        names = [result.name for result in self.function.results]
        logits: Array = results[names.index("logits")][0, -1]
        return logits

    def bytes_of_token(self) -> int:
        """What the contractions of one token read and write: weights and caches, but not the table of embeddings."""
        steps = self.function.profile(*self.arguments([0]), runs=1, out=self.caches).steps
        return sum(step.bytes for step in steps if step.name.endswith(".contract"))


def sample(logits: Array, temperature: float, random: np.random.Generator) -> int:
    """A token, as probable as the softmax of its logit over the temperature."""
    if temperature == 0:
        return int(np.argmax(logits))
    scaled = (logits - logits.max()).astype(np.float64) / temperature
    weights = np.exp(scaled)
    return int(random.choice(len(logits), p=weights / weights.sum()))


def read_bandwidth() -> float:
    """Bytes in a second that one thread reads from memory: the best of several passes."""
    memory = np.ones(1 << 26, np.int32)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        memory.max()
        seconds.append(time.perf_counter() - start)
    return memory.nbytes / min(seconds)


def generate(decoder: Decoder, prompt: List[int], options: argparse.Namespace) -> Iterator[int]:
    """The tokens after a prompt."""
    random = np.random.default_rng(options.seed)
    tokens = prompt
    for _ in range(options.count):
        tokens = [sample(decoder.read(tokens), options.temperature, random)]
        yield tokens[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--tokens", default="1", help="the prompt, numbers with commas between them")
    parser.add_argument("--count", type=int, default=64, help="how many tokens to generate")
    parser.add_argument("--context", type=int, default=2048, help="how many tokens the caches have room for")
    parser.add_argument("--temperature", type=float, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()

    decoder = Decoder(options.model, options.context, options.threads)
    times = [time.perf_counter()]
    for token in generate(decoder, [int(token) for token in options.tokens.split(",")], options):
        times.append(time.perf_counter())
        print(token, end=" ", flush=True)
    print()
    seconds = np.diff(times)
    print(f"prompt: {1000 * seconds[0]:.1f} ms")
    if len(seconds) > 1:
        rate = 1 / np.median(seconds[1:])
        bound = read_bandwidth() / decoder.bytes_of_token()
        print(f"{rate:.1f} tokens/s; one thread that only reads would allow {bound:.1f} tokens/s")


if __name__ == "__main__":
    main()
