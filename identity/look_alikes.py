"""How a name looks rather than how it is spelled: letters of other scripts, small capitals and digits as Latin.

Enough to catch a reserved word in disguise; it decides nothing else (00-product.md, "Names").
"""

from __future__ import annotations

import unicodedata

# Read as the letter at the left: Greek, Cyrillic, Armenian, Cherokee, Lisu, Coptic, Latin variants, Roman numerals.
_DOUBLES = {
    "a": "αаɑᴀꓮꭺ4",
    "b": "вЬɓʙꓐᏼꞵ",
    "c": "сϲᴄꓚꮯⲥↄ",
    "d": "ԁɗᴅꓓꭰ",
    "e": "еєεҽᴇꓰꭼ3ɛ",
    "f": "ƒꜰꓝϝ",
    "g": "ɡցɢꓖꮐԍ9",
    "h": "һհнηʜꓧꮋ",
    "i": "іιıɪꓲꭵ1ӏlіǀ|!",
    "j": "јϳᴊꓙꭻ",
    "k": "кκᴋꓗꮶⲕ",
    "m": "мμʍᴍꓟꮇⲙ",
    "n": "пոռɴꓠⲛиᴎ",
    "o": "оοօσᴏꓳ0ⲟ",
    "p": "рρᴘꓑꮲⲣ",
    "q": "ԛգ",
    "r": "гʀꓣꭱꮢяᴦ",
    "s": "ѕꜱꓢꮪ5ꮥ",
    "t": "тτᴛꓔꭲ7ⲧ",
    "u": "υսᴜꓴцս",
    "v": "ѵνᴠꓦꮩ",
    "w": "ԝшωᴡꓪꮃա",
    "x": "хχꓫⲭ",
    "y": "уγʏꓬүყ",
    "z": "ᴢꓜꮓ",
}
_AS_LATIN = str.maketrans(
    {double: letter for letter, doubles in _DOUBLES.items() for double in doubles.casefold() + doubles}
)
# Two letters that are read as one.
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_MIXABLE = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU")


def skeletons(name: str) -> set[str]:
    """`name` as the eye reads it: doubles folded to Latin, marks and separators dropped.

    Two readings: an exclamation mark is an i in `adm!n`, and nothing at the end of `admin!`.
    """
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    return {_read(decomposed), _read(_letters_of(decomposed))}


def mixes_scripts(name: str) -> bool:
    """Whether one word of `name` is written in letters of two scripts that look alike."""
    words = "".join(character if character.isalpha() else " " for character in name).split()
    return any(len({script for character in word if (script := _script_of(character))}) > 1 for word in words)


def _script_of(character: str) -> str | None:
    name = unicodedata.name(character, "")
    return next((script for script in _MIXABLE if name.startswith(script)), None)


def _read(text: str) -> str:
    letters = _letters_of(text.translate(_AS_LATIN))
    for pair, single in _PAIRS:
        letters = letters.replace(pair.translate(_AS_LATIN), single)
    return letters


def _letters_of(text: str) -> str:
    return "".join(character for character in text if character.isalnum())
