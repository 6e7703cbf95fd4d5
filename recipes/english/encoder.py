"""MiniLM-L6, a small pre-trained transformer, with the case of words beside its uncased pieces."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn

CASES = 9
FIXED_LAYERS = 2  # the lowest, which are not tuned: a quarter of the time, for hardly anything lost


class Dropout(nn.Module):
    """Dropout whose draws take a twentieth of the time of torch's on a CPU."""

    chance = np.random.Generator(np.random.SFC64(0))

    def __init__(self, share: float):
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or not self.share:
            return x
        left_out = round(256 * self.share)
        drawn = torch.from_numpy(self.chance.integers(0, 256, x.shape, dtype=np.uint8))
        return x * (drawn >= left_out) * (256 / (256 - left_out))


def case_of(word: str) -> int:
    """How a word is written: the encoder knows words in lower case only."""
    letters = [character for character in word if character.isalpha()]
    if not letters:
        return 1 if any(character.isdigit() for character in word) else 2
    if any(character.isdigit() for character in word):
        return 3
    if all(character.islower() for character in letters):
        return 4
    if all(character.isupper() for character in letters):
        return 5 if len(letters) > 1 else 6
    return 7 if letters[0].isupper() and all(character.islower() for character in letters[1:]) else 8


class Pieces:
    """Cuts words into the encoder's pieces."""

    def __init__(self, folder: Path):
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._start, self._end, self._unknown = (
            self._tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]", "[UNK]")
        )
        self._known: dict[str, list[int]] = {}

    def of_word(self, word: str) -> list[int]:
        if word not in self._known:
            ids = self._tokenizer.encode(word, add_special_tokens=False).ids
            self._known[word] = (ids or [self._unknown])[:12]
        return self._known[word]

    def of_sentence(self, words: list[str]) -> tuple[list[int], list[int]]:
        """The pieces of a sentence, and at which place the first piece of each word is."""
        ids, first = [self._start], []
        for word in words:
            first.append(len(ids))
            ids.extend(self.of_word(word))
        return [*ids, self._end], first


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, inner: int, dropout: float):
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.attention_norm = nn.LayerNorm(width, eps=1e-12)
        self.inner = nn.Linear(width, inner)
        self.outer = nn.Linear(inner, width)
        self.output_norm = nn.LayerNorm(width, eps=1e-12)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        batch, length, width = x.shape
        parts = self.query_key_value(x).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        seen = self.attended(seen.transpose(1, 2).reshape(batch, length, width))
        x = self.attention_norm(x + self.dropout(seen))
        return self.output_norm(x + self.dropout(self.outer(functional.gelu(self.inner(x)))))


class Encoder(nn.Module):
    """What each layer makes of the first piece of each word."""

    def __init__(self, folder: Path, dropout: float = 0.1):
        super().__init__()
        config = json.loads((folder / "config.json").read_text())
        self.width, self.layer_count = config["hidden_size"], config["num_hidden_layers"]
        self.pieces = nn.Embedding(config["vocab_size"], self.width)
        self.places = nn.Embedding(config["max_position_embeddings"], self.width)
        self.kinds = nn.Embedding(config["type_vocab_size"], self.width)
        self.cases = nn.Embedding(CASES, self.width)
        self.norm = nn.LayerNorm(self.width, eps=1e-12)
        self.dropout = Dropout(dropout)
        self.layers = nn.ModuleList(
            Layer(
                self.width,
                config["num_attention_heads"],
                config["intermediate_size"],
                dropout if number >= FIXED_LAYERS else 0.0,
            )
            for number in range(self.layer_count)
        )
        self._read(load_file(folder / "model.safetensors"))
        nn.init.zeros_(self.cases.weight)
        # Steps of Adam over half of all weights would take longer than they are worth.
        for fixed in (self.pieces, self.places, self.kinds, self.norm, *self.layers[:FIXED_LAYERS]):
            fixed.requires_grad_(False)

    def _read(self, stored: dict[str, Tensor]) -> None:
        def copy(module: nn.Module, name: str) -> None:
            for part in ("weight", "bias"):
                if hasattr(module, part):
                    getattr(module, part).data.copy_(stored[f"{name}.{part}"])

        copy(self.pieces, "embeddings.word_embeddings")
        copy(self.places, "embeddings.position_embeddings")
        copy(self.kinds, "embeddings.token_type_embeddings")
        copy(self.norm, "embeddings.LayerNorm")
        for number, layer in enumerate(self.layers):
            name = f"encoder.layer.{number}"
            for part in ("weight", "bias"):
                three = [stored[f"{name}.attention.self.{one}.{part}"] for one in ("query", "key", "value")]
                getattr(layer.query_key_value, part).data.copy_(torch.cat(three))
            copy(layer.attended, f"{name}.attention.output.dense")
            copy(layer.attention_norm, f"{name}.attention.output.LayerNorm")
            copy(layer.inner, f"{name}.intermediate.dense")
            copy(layer.outer, f"{name}.output.dense")
            copy(layer.output_norm, f"{name}.output.LayerNorm")

    def forward(self, ids: Tensor, cases: Tensor, lengths: Tensor, first: Tensor) -> list[Tensor]:
        length = ids.shape[1]
        x = self.norm(self.pieces(ids) + self.places.weight[:length] + self.kinds.weight[0])
        here = torch.arange(length)[None] < lengths[:, None]
        mask = torch.zeros(len(ids), 1, 1, length).masked_fill(~here[:, None, None], -math.inf)
        chosen = first.unsqueeze(-1).expand(-1, -1, self.width)
        seen = [torch.gather(x, 1, chosen)]
        for number, layer in enumerate(self.layers):
            if number == FIXED_LAYERS:
                x = self.dropout(x + self.cases(cases))
            x = layer(x, mask)
            seen.append(torch.gather(x, 1, chosen))
        return seen
