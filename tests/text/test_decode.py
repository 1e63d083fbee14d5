"""Bytes become text in the encoding they were written in, and binary stays binary."""

from __future__ import annotations

import os
import random

import pytest

from tadoru.text.decode import decode, decode_as

SAMPLES = [
    ("shift_jis", "// 日本語のコメント\nint main(){ return 0; }\n"),
    ("shift_jis", "# 設定\n"),
    ("euc_jp", "セッションの管理を行うクラスです。\n"),
    ("gbk", "// 用户登录验证\nint main(){ return 0; }\n"),
    ("gbk", "// 搜索\n"),
    ("gb18030", "// 用户登录验证 𠀀\nint x;\n"),
    ("big5", "這是一個測試檔案，用來檢查編碼\n"),
    ("euc_kr", "// 사용자 로그인 확인\nint main(){ return 0; }\n"),
    ("euc_kr", "// 검색\n"),
    ("latin-1", "// Größe übermäßig\nint x;\n"),
    ("latin-1", 'café = "déjà vu"\n'),
    ("latin-1", "# naïve\n"),
    ("cp1252", "“quoted” – dash café\n"),
    ("cp1251", "// Привет мир, это комментарий\nint x;\n"),
    ("koi8-r", "// Привет мир, это комментарий\nint x;\n"),
    ("iso2022_jp", "日本語のコメント\n"),
    ("utf-8", "漢字 é 😀\n"),
    ("utf-8-sig", "漢字 é 😀\n"),
    ("utf-16", "hello 日本語\n"),
    ("utf-32", "hello 日本語\n"),
    ("utf-16-le", "class WideClass {}\n"),
    ("utf-16-be", "class WideClass {}\n"),
]


@pytest.mark.parametrize(("encoding", "text"), SAMPLES)
def test_text_comes_out_as_it_was_written(encoding: str, text: str) -> None:
    data = text.encode(encoding)
    decoded = decode(data)
    assert decoded is not None
    assert decoded.text == text
    assert decoded.exact
    assert decode_as(data, decoded.encoding) == decoded
    assert data[decoded.mark :].decode(decoded.encoding) == text


def test_utf8_with_a_stray_byte_stays_utf8() -> None:
    data = ("good é text\n" * 20).encode() + b"caf\xe9\n"
    decoded = decode(data)
    assert decoded is not None
    assert (decoded.encoding, decoded.exact) == ("utf-8", False)
    assert decoded.text.count("\ufffd") == 1


def test_line_ends_stay_as_they_are() -> None:
    data = b"a\r\nb\rc\n"
    decoded = decode(data)
    assert decoded is not None
    assert decoded.text == "a\r\nb\rc\n"


@pytest.mark.parametrize(
    "data",
    [
        b"abc\0def",
        b"\x89PNG\r\n\x1a\n" + b"\xc3\x28 text" * 50,
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
        b"\xff\xd8\xff\xe0 jfif" * 10,
        random.Random(1).randbytes(5_000).replace(b"\0", b"\1"),
        b"\0" * 100,
    ],
    ids=["nul", "png", "pdf", "jpeg", "random", "zeros"],
)
def test_binary_is_no_text(data: bytes) -> None:
    assert decode(data) is None


def test_anything_decodes_or_is_binary() -> None:
    for size in range(200):
        decoded = decode(os.urandom(size))
        assert decoded is None or isinstance(decoded.text, str)


def test_a_large_legacy_file_is_decided_quickly() -> None:
    text = "// 用户登录验证\nint main(){ return 0; }\n" * 40_000
    decoded = decode(text.encode("gbk"))
    assert decoded is not None
    assert decoded.text == text
