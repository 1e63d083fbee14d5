"""Definitions of the core languages: name, kind, container, signature, doc, place."""

from __future__ import annotations

import pytest

from tadoru.indexing import grammars
from tadoru.indexing.extract import extract
from tadoru.text.languages import CORE
from tadoru.types import Symbol

SAMPLES: dict[str, tuple[str, set[tuple[str, str, str]]]] = {
    "python": (
        """import os

LIMIT = 3
count: int = 0

class Cart(Base):
    '''Holds lines. Ends with a checkout.'''
    size = 1

    @property
    def total(self) -> int:
        \"\"\"Sum of all lines.\"\"\"
        def inner(): pass
        return 1

# Opens it.
async def open_cart(
    name: str,
) -> Cart:
    return Cart()
""",
        {
            ("constant", "LIMIT", ""), ("variable", "count", ""), ("class", "Cart", ""),
            ("property", "size", "Cart"), ("method", "total", "Cart"),
            ("function", "inner", "Cart.total"), ("function", "open_cart", ""),
        },
    ),
    "javascript": (
        """/** Adds two. */
export function add(a, b) { return a + b }
export default class Shop extends Base {
  #secret = 1
  open = false
  static async load(id) { return id }
  get name() { return '' }
}
const sub = (a, b) => a - b
module.exports.mul = function (a, b) { return a * b }
export const RATE = 3
function* gen() { yield 1 }
const api = { list() {}, drop: () => 1 }
""",
        {
            ("function", "add", ""), ("class", "Shop", ""), ("property", "#secret", "Shop"),
            ("property", "open", "Shop"), ("method", "load", "Shop"), ("method", "name", "Shop"),
            ("function", "sub", ""), ("function", "mul", ""), ("constant", "RATE", ""),
            ("function", "gen", ""), ("variable", "api", ""), ("method", "list", ""),
            ("method", "drop", ""),
        },
    ),
    "typescript": (
        """// Shape of a cart.
export interface Cart { id: string; add(item: Item): void }
export type Id = string | number
export enum Color { Red }
export abstract class Base<T> {
  private x: number = 1
  abstract run(): void
  constructor(readonly y: string) {}
}
namespace Inner { export function deep(): void {} }
declare function ambient(a: number): string
export const make = async <T>(x: T): Promise<T> => x
""",
        {
            ("interface", "Cart", ""), ("property", "id", "Cart"), ("method", "add", "Cart"),
            ("type", "Id", ""), ("enum", "Color", ""), ("class", "Base", ""),
            ("property", "x", "Base"), ("method", "run", "Base"), ("method", "constructor", "Base"),
            ("module", "Inner", ""), ("function", "deep", "Inner"), ("function", "ambient", ""),
            ("function", "make", ""),
        },
    ),
    "tsx": (
        """export const A = () => <div onClick={() => go<string>()}>x</div>
export function Panel({ id }: Props): JSX.Element { return <A /> }
""",
        {("function", "A", ""), ("function", "Panel", "")},
    ),
    "go": (
        """package shop

const Limit = 3
var rate, base = 1, 2

// Cart holds lines.
type Cart struct { lines []Line }
type Adder interface { Add(x int) error }
type ID string
type Pair[T any] struct { a T }

// Add puts a line.
func (c *Cart) Add(x int) error { return nil }
func (p Pair[T]) First() T { return p.a }
func Open() *Cart { return nil }
""",
        {
            ("constant", "Limit", ""), ("variable", "rate", ""), ("variable", "base", ""),
            ("struct", "Cart", ""), ("interface", "Adder", ""), ("method", "Add", "Adder"),
            ("type", "ID", ""), ("struct", "Pair", ""), ("method", "Add", "Cart"),
            ("method", "First", "Pair"), ("function", "Open", ""),
        },
    ),
    "rust": (
        """/// Holds lines.
#[derive(Debug)]
pub struct Cart { lines: u32 }
pub enum Color { Red }
pub trait Add { fn add(&self); }
impl Cart { pub fn new() -> Self { Cart { lines: 0 } } }
impl<T> Add for Vec<T> { fn add(&self) {} }
mod inner { pub const LIMIT: u32 = 3; }
macro_rules! shout { () => {} }
type Id = u32;
static NAME: &str = "";
pub async fn open<T: Add>(x: T) -> T { x }
""",
        {
            ("struct", "Cart", ""), ("enum", "Color", ""), ("trait", "Add", ""),
            ("method", "add", "Add"), ("method", "new", "Cart"), ("method", "add", "Vec"),
            ("module", "inner", ""), ("constant", "LIMIT", "inner"), ("macro", "shout", ""),
            ("type", "Id", ""), ("constant", "NAME", ""), ("function", "open", ""),
        },
    ),
    "java": (
        """package shop;
/** Holds lines. More. */
public class Cart extends Base implements Adder {
  private final int size = 1, other = 2;
  public Cart(int size) { this.size = size; }
  @Override public <T> void add(T x) throws Error { }
  enum Color { RED, GREEN }
  interface Inner { void run(); }
}
record Point(int x, int y) { }
@interface Mark { }
""",
        {
            ("class", "Cart", ""), ("property", "size", "Cart"), ("property", "other", "Cart"),
            ("method", "Cart", "Cart"), ("method", "add", "Cart"), ("enum", "Color", "Cart"),
            ("constant", "RED", "Cart.Color"), ("constant", "GREEN", "Cart.Color"),
            ("interface", "Inner", "Cart"), ("method", "run", "Cart.Inner"),
            ("class", "Point", ""), ("interface", "Mark", ""),
        },
    ),
    "c": (
        """#define LIMIT 3
#define MAX(a, b) ((a) > (b) ? (a) : (b))
struct cart { int size; };
typedef struct { int x; } point;
enum color { RED };
int total = 0;
static int helper(void);
/* Adds two. */
int add(int a, int b) { return a + b; }
char *name(void) { return 0; }
char **names(void) { return 0; }
""",
        {
            ("macro", "LIMIT", ""), ("macro", "MAX", ""), ("struct", "cart", ""),
            ("type", "point", ""), ("enum", "color", ""), ("variable", "total", ""),
            ("function", "helper", ""), ("function", "add", ""), ("function", "name", ""),
            ("function", "names", ""),
        },
    ),
    "cpp": (
        """namespace shop {
/// Holds lines.
template <typename T>
class Cart : public Base {
 public:
  explicit Cart(int n) : n_(n) {}
  ~Cart() {}
  void add(const T& x);
  T& operator[](int i) { return x_[i]; }
 private:
  int n_;
};
struct Point { int x; };
enum class Color { Red };
using Id = int;
}
void shop::Cart::add(const T& x) { }
int main() { return 0; }
""",
        {
            ("module", "shop", ""), ("class", "Cart", "shop"), ("method", "Cart", "shop.Cart"),
            ("method", "~Cart", "shop.Cart"), ("method", "add", "shop.Cart"),
            ("method", "operator[]", "shop.Cart"), ("property", "n_", "shop.Cart"),
            ("struct", "Point", "shop"), ("property", "x", "shop.Point"),
            ("enum", "Color", "shop"), ("type", "Id", "shop"), ("function", "main", ""),
        },
    ),
    "csharp": (
        """namespace Shop {
  /// <summary>Holds lines.</summary>
  public class Cart : Base {
    private readonly int _size;
    public int Size { get; set; }
    public Cart(int size) { }
    public async Task<int> Add<T>(T x) where T : class { return 1; }
    public delegate void Done(int x);
  }
  public interface IAdd { void Add(); }
  public record Point(int X, int Y);
  public struct Pair { }
  public enum Color { Red }
}
""",
        {
            ("module", "Shop", ""), ("class", "Cart", "Shop"), ("property", "_size", "Shop.Cart"),
            ("property", "Size", "Shop.Cart"), ("method", "Cart", "Shop.Cart"),
            ("method", "Add", "Shop.Cart"), ("type", "Done", "Shop.Cart"),
            ("interface", "IAdd", "Shop"), ("method", "Add", "Shop.IAdd"),
            ("class", "Point", "Shop"), ("struct", "Pair", "Shop"), ("enum", "Color", "Shop"),
            ("constant", "Red", "Shop.Color"),
        },
    ),
    "ruby": (
        """module Shop
  # Holds lines.
  class Cart < Base
    LIMIT = 3
    attr_reader :size, :lines
    def initialize(size); @size = size; end
    def self.open(name) = new(name)
    def empty?; true; end
  end
end
class Shop::Other; end
def helper; end
""",
        {
            ("module", "Shop", ""), ("class", "Cart", "Shop"), ("constant", "LIMIT", "Shop.Cart"),
            ("property", ":size", "Shop.Cart"), ("property", ":lines", "Shop.Cart"),
            ("method", "initialize", "Shop.Cart"), ("method", "open", "Shop.Cart"),
            ("method", "empty?", "Shop.Cart"), ("class", "Other", "Shop"), ("method", "helper", ""),
        },
    ),
    "php": (
        """<?php
namespace App\\Models;
/** Holds lines. */
final class Cart extends Base implements Adder {
  const LIMIT = 3;
  private int $size = 1;
  public function __construct(int $size) {}
  public static function open(string $name): self { return new self(1); }
}
interface Adder { public function add($x); }
trait Logs { }
enum Color: string { case Red = 'r'; }
function helper(int $x): int { return $x; }
""",
        {
            ("class", "Cart", ""), ("constant", "LIMIT", "Cart"), ("property", "size", "Cart"),
            ("method", "__construct", "Cart"), ("method", "open", "Cart"),
            ("interface", "Adder", ""), ("method", "add", "Adder"), ("trait", "Logs", ""),
            ("enum", "Color", ""), ("constant", "Red", "Color"), ("function", "helper", ""),
        },
    ),
}  # fmt: skip


def symbols(language: str, text: str) -> list[Symbol]:
    return list(extract("f", language, text).symbols)


@pytest.mark.parametrize("language", CORE)
def test_definitions_of_each_core_language(language: str) -> None:
    text, expected = SAMPLES[language]
    found = {(s.kind, s.name.lstrip(":"), s.container) for s in symbols(language, text)}
    assert found == {(kind, name.lstrip(":"), holder) for kind, name, holder in expected}


@pytest.mark.parametrize("language", CORE)
def test_spans_point_at_the_definition(language: str) -> None:
    text, _ = SAMPLES[language]
    for symbol in symbols(language, text):
        piece = text[symbol.span.start_char : symbol.span.end_char]
        assert symbol.name.split("::")[-1].lstrip(":~#") in piece
        assert text.count("\n", 0, symbol.span.start_char) + 1 == symbol.span.start_line


@pytest.mark.parametrize("language", CORE)
@pytest.mark.parametrize("kind", ["tags", "imports"])
def test_queries_compile_against_the_installed_grammar(language: str, kind: str) -> None:
    assert grammars.query(language, kind) is not None


@pytest.mark.parametrize(
    ("language", "name", "signature", "doc"),
    [
        ("python", "Cart", "class Cart(Base)", "Holds lines. Ends with a checkout."),
        ("python", "total", "def total(self) -> int", "Sum of all lines."),
        ("python", "open_cart", "async def open_cart( name: str, ) -> Cart", "Opens it."),
        ("javascript", "add", "function add(a, b)", "Adds two."),
        ("javascript", "sub", "const sub = (a, b)", ""),
        ("typescript", "Cart", "interface Cart", "Shape of a cart."),
        ("go", "Cart", "type Cart struct", "Cart holds lines."),
        ("go", "Open", "func Open() *Cart", ""),
        ("rust", "Cart", "pub struct Cart", "Holds lines."),
        ("rust", "open", "pub async fn open<T: Add>(x: T) -> T", ""),
        ("java", "add", "@Override public <T> void add(T x) throws Error", ""),
        ("c", "add", "int add(int a, int b)", "Adds two."),
        ("cpp", "Cart", "class Cart : public Base", "Holds lines."),
        ("csharp", "Cart", "public class Cart : Base", "Holds lines."),
        ("ruby", "Cart", "class Cart < Base", "Holds lines."),
        ("php", "helper", "function helper(int $x): int", ""),
        ("php", "Cart", "final class Cart extends Base implements Adder", "Holds lines."),
    ],
)
def test_signature_and_doc(language: str, name: str, signature: str, doc: str) -> None:
    text, _ = SAMPLES[language]
    found = next(s for s in symbols(language, text) if s.name == name)
    assert (found.signature, found.doc) == (signature, doc)


def test_tsx_is_parsed_without_an_error() -> None:
    tree = grammars.parse("tsx", SAMPLES["tsx"][0].encode())
    assert tree is not None
    assert not tree.root_node.has_error


@pytest.mark.parametrize("extension", ["vue", "svelte", "astro", "html"])
def test_script_blocks_have_symbols_on_their_lines(extension: str) -> None:
    text = (
        "<template><B/></template>\n<script setup lang=\"ts\">\nimport B from './B.vue'\n"
        "function saveDraft(): void {}\n</script>\n<style>\n.a { color: red }\n</style>\n"
    )
    found = extract(f"C.{extension}", extension, text)
    assert [(s.name, s.span.start_line) for s in found.symbols] == [("saveDraft", 4)]
    assert [(i.module, i.line) for i in found.imports] == [("./B.vue", 3)]
    assert any("saveDraft" in c.signature for c in found.chunks)


def test_a_big_typescript_file_keeps_all_its_functions() -> None:
    body = "\n".join(f"  const v{k} = a + {k};" for k in range(40))
    text = "\n".join(
        f"export function fn{i}(a: number): number {{\n{body}\n  return a;\n}}\n"
        for i in range(300)
    )
    assert len(text) > 250_000
    names = {s.name for s in extract("big.ts", "typescript", text).symbols}
    assert {f"fn{i}" for i in range(300)} <= names


def test_a_syntax_error_costs_precision_only() -> None:
    text = "def good():\n    pass\n\ndef broken(:\n\nclass Later:\n    def ok(self): pass\n"
    found = extract("x.py", "python", text)
    assert {"good", "Later", "ok"} <= {s.name for s in found.symbols}
    assert found.chunks


def test_sections_are_symbols_but_not_inside_fences() -> None:
    text = "# Top\n\n```sh\n# not a heading\n```\n\nSetext\n------\n\n### Deep ###\ntext\n"
    found = symbols("markdown", text)
    assert [(s.name, s.container, s.span.start_line) for s in found] == [
        ("Top", "", 1),
        ("Setext", "Top", 7),
        ("Deep", "Top.Setext", 10),
    ]


def test_rst_sections_nest_by_order_of_adornments() -> None:
    text = "=====\nTitle\n=====\n\nOne\n===\n\nText\n\nTwo\n---\n\nThree\n=====\n"
    assert [(s.name, s.container) for s in symbols("rst", text)] == [
        ("Title", ""), ("One", "Title"), ("Two", "Title.One"), ("Three", "Title"),
    ]  # fmt: skip
