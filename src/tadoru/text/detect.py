"""Which legacy encoding a file without a mark is in, when it is not UTF-8.

Decodes strictly with each candidate and scores what comes out: common characters of a language
count for it, rare ones hardly, and what no text has counts against it. General detectors need
longer text than a source file's few comments give; a handful of frequent characters decides here.
Answers None rather than guess when nothing scores.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

SAMPLE_CHARS = 4_000
"""Characters outside ASCII that are scored: more of them change no verdict."""
LEAST_SCORE = 0.2

_SHARED_HAN = (
    "的一是不了在人有我他中上大和地到以要就出也你生能而子那得自年里用道行所然家成方多去法"
    "如都同当面起看定天分好小部其些主心本前但因只想日者意力把机十第公此已工使情明性知全三"
    "又正外由很最重并物手文相利二等新己加西月特代化老位次任常先通提及比水名各入口世太再感"
    "建持件期市直表"
)
_SIMPLIFIED = frozenset(
    _SHARED_HAN
    + "这个们来为国说时会对过发后种经么学现没动进还样从实军无长民业将两高间问应战体见产或果"
    "电数总报结给门变条系气题万认计类设记达统组约级东风场标单选输让该误错处理请求响编码参"
    "函返回值配置据接口型服务端注释默缓存线程异初始搜索用户登录验证测试检查文删除更添加权"
    "限连日志任务队列"
)
_TRADITIONAL = frozenset(
    _SHARED_HAN
    + "這個們來為國說時會對過發後種經麼學現沒動進還樣從實軍無長民業將兩高間問應戰體見產或果"
    "電數總報結給門變條系氣題萬認計類設記達統組約級東風場標單選輸讓該誤錯處理請求響編碼參"
    "函傳回值配置據介面型伺服器註解預設緩存執行緒異常初始搜尋使用者登入驗證測試檢查檔案刪"
    "除更新加入權限連線日誌任務佇列"
)
_KANJI = frozenset(
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市"
    "業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表通外最言氏現理"
    "調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公持野協取都和統以機平"
    "総加思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活"
    "原先共得解名交資予向際査勝面告反元重近判認画参利組知案道信策集在件別物任引使求所次水"
    "計論情示変打各始直両式確提終果減台応必語検索管処取登録更削除追値期列字型返呼注例共送"
    "接続環境項行参照"
)
_HANGUL = frozenset(
    "이다는의가에을하고지를로한도사은기들자나라정리스인시어아부해서대그일수있주장전제여보"
    "만관무구안성국비소모원우과교신상중조으었것면며니까요할했습된되파테트입검색용확력오류"
    "설값반환함경결객체메드클래코생삭추연처목록번호문변수형식"
)
_COMMON_CYRILLIC = frozenset("оеаинтсрвлкмдпуяызьбгчйжхшюцщфэъё")
_WESTERN = frozenset("éèêëáàâäãåæíìîïóòôöõøúùûüñçßÉÈÁÀÂÄÅÖÜÓÚÑÇØ")
_QUOTES = frozenset("“”‘’–—…€•«»°·©®™£§±×½¿¡")
_CJK_MARKS = frozenset("，。：；（）“”、？！《》「」『』ー・　％－～…")
_SINGLE_BYTE = re.compile(r"[^\x00-\x7f]+")


def detect(data: bytes) -> str | None:
    """Return the codec of text that is not UTF-8 and has no mark; None when nothing fits."""
    if b"\x1b$" in data or b"\x1b(" in data:
        return _escaped(data)
    scores = [(score, -rank, name) for rank, (name, score) in enumerate(_scores(data))]
    best = max(scores, default=(0.0, 0, ""))
    return best[2] if best[0] >= LEAST_SCORE else None


def _escaped(data: bytes) -> str | None:
    for name in ("iso2022_jp", "iso2022_jp_2", "iso2022_kr"):
        try:
            if not data.decode(name).isascii():
                return name
        except UnicodeDecodeError:
            continue
    return None


def _scores(data: bytes) -> list[tuple[str, float]]:
    """Score every candidate that decodes without an error, in order of preference."""
    found: list[tuple[str, float]] = []
    for name, score in _CANDIDATES:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        runs = [run for run in _SINGLE_BYTE.findall(text) if run]
        found.append((name, score(text, "".join(runs)[:SAMPLE_CHARS])))
    return found


def _han(common: frozenset[str], kana: float) -> Callable[[str, str], float]:
    """Score text of Chinese or Japanese. `kana`: what a kana counts."""

    def score(_: str, foreign: str) -> float:
        total = 0.0
        for char in foreign:
            if char in common:
                total += 1.0
            elif char in _CJK_MARKS:
                total += 0.7
            elif "\u3041" <= char <= "\u30fe":
                total += kana
            elif "\u4e00" <= char <= "\u9fff":
                total += 0.15
            elif "\uff61" <= char <= "\uff9f" or unicodedata.category(char) in ("Co", "Cn", "Cc"):
                total -= 0.5
        return total / max(1, len(foreign))

    return score


def _korean(_: str, foreign: str) -> float:
    total = 0.0
    for char in foreign:
        if char in _HANGUL:
            total += 1.0
        elif "\uac00" <= char <= "\ud7a3":
            total += 0.4
        elif char in _CJK_MARKS:
            total += 0.5
        else:
            total -= 0.4
    return total / max(1, len(foreign))


def _cyrillic(text: str, foreign: str) -> float:
    total = 0.0
    for char in foreign:
        if char in _COMMON_CYRILLIC:
            total += 0.8
        elif "А" <= char <= "Я":
            total += 0.3
        else:
            total -= 0.4
    humps = len(re.findall(r"[а-я][А-Я]", text))
    return (total - humps) / max(1, len(foreign))


def _western(text: str, foreign: str) -> float:
    """Accented letters stand alone between ASCII letters; a run of them is another alphabet."""
    total = 0.0
    for char in foreign:
        total += 0.8 if char in _WESTERN else 0.6 if char in _QUOTES else -0.2
    runs = sum(len(run) - 2 for run in re.findall(r"[^\W\d_a-zA-Z]{3,}", text))
    inside = len(re.findall(r"[a-z][ÀÁÂÃÄÅÈÉÊËÌÍÎÏÒÓÔÕÖÙÚÛÜ][a-z]", text))
    return (total - runs - inside) / max(1, len(foreign))


_CANDIDATES: tuple[tuple[str, Callable[[str, str], float]], ...] = (
    ("cp932", _han(_KANJI, 0.9)),
    ("euc_jp", _han(_KANJI, 0.9)),
    ("gb18030", _han(_SIMPLIFIED, 0.2)),
    ("cp949", _korean),
    ("big5", _han(_TRADITIONAL, 0.2)),
    ("cp1252", _western),
    ("latin-1", _western),
    ("cp1251", _cyrillic),
    ("koi8-r", _cyrillic),
)
