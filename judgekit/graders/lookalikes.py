"""Letters that look like Latin ones: a small table of real homoglyphs, by script.

Picked from the kinds of Unicode TR39's confusables that mixed-script spoofing uses: whole words can
be written with each row. Compatibility forms (full-width, mathematical, circled) are not here:
NFKC folds those.
"""

from __future__ import annotations

import re
import unicodedata

_LETTERS = {
    # Cyrillic
    "АВЕЅІЈКМНОРСТУХЗԌԚԜҮ": "ABESIJKMHOPCTYX3GQWY",
    "авеѕіјкмнорстухһԁԛԝӏүґгпьзё": "abesijkmhopctyxhdqwlyrrnb3e",
    # Greek
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳ": "ABEZHIKMNOPTYXCj",
    "αβγεηικνορτυχωϲ": "abyeniKvoptuxwc",
    # Armenian and Hebrew
    "հոսցքՕՏՍԼօ": "hnugqOSULo",
    "ס": "o",
    # Cherokee
    "ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᎩᏃ": "ABCDEGHIJKLMPRSTVWYZ",
    # Latin letters of other alphabets
    "ıɩɑɡʏʀɪɴʟᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜱøłđħŧØŁĐĦŦ": "iiagyrinlacdejkmoptuvwzsoldhtOLDHT",
    # Marks used as letters
    "ǀ∣│⎮": "llll",
}

_TABLE = {
    ord(odd): plain
    for row, plains in _LETTERS.items()
    for odd, plain in zip(row, plains, strict=True)
}

# The blocks of combining marks that are laid over letters of any script.
_DIACRITICS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")

_DIGITS = str.maketrans("013457@$", "oleastas")


def plain_letters(text: str) -> str:
    """Return `text` with look-alike letters, and letters under diacritics, as plain Latin ones."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text.translate(_TABLE))
    return _DIACRITICS.sub("", decomposed)


def digits_as_letters(text: str) -> str:
    """Return `text` with digits and signs read as the letters that they look like."""
    return text.translate(_DIGITS)
