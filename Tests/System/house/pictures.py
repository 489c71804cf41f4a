"""Makes JPEG files with a known date, size and content, and finds the real photographs."""

import datetime
import os
import pathlib
import struct
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
REAL = pathlib.Path(os.environ.get("PHOTOS") or ROOT.parent / "shared/photos")


def segment(marker, body):
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def exif(date):
    """An APP1 segment with DateTimeOriginal and, unless the date is naive, its offset from UTC."""
    texts = [(0x9003, date.strftime("%Y:%m:%d %H:%M:%S"))]
    if date.tzinfo:
        texts.append((0x9011, date.isoformat()[-6:]))
    place = 26 + 2 + len(texts) * 12 + 4
    entries, rest = b"", b""
    for tag, text in texts:
        text = text.encode() + b"\0"
        entries += struct.pack("<HHII", tag, 2, len(text), place + len(rest))
        rest += text
    directory = struct.pack("<HHHIII", 1, 0x8769, 4, 1, 26, 0)
    inner = struct.pack("<H", len(texts)) + entries + struct.pack("<I", 0) + rest
    return segment(0xE1, b"Exif\0\0" + b"II*\0" + struct.pack("<I", 8) + directory + inner)


def jpeg(date, note=b"", width=64, height=48, padding=0, detail=0):
    """A grey picture; without a date if that is None. `note` makes its bytes unique. `padding` adds
    bytes before the picture data, and `detail` bytes of such data."""
    blocks = ((width + 7) // 8) * ((height + 7) // 8)
    bits = 2 * blocks
    scan = bytes((bits + 7) // 8 - (1 if bits % 8 else 0)) + (bytes([0xFF >> bits % 8]) if bits % 8 else b"")
    # Grows in place: a photo of 60 MB has a thousand pieces.
    data = bytearray(b"\xff\xd8" + (exif(date) if date else b""))
    rest = padding
    while rest > 0:
        piece = min(rest, 60_000)
        data += segment(0xFE, (note + bytes(range(256)) * (piece // 256 + 1))[:piece])
        rest -= piece
    return bytes(
        data
        + segment(0xFE, note or b"-")
        + segment(0xDB, b"\0" + b"\x40" * 64)
        + segment(0xC0, struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\0")
        + segment(0xC4, b"\x00\x01" + bytes(15) + b"\0")
        + segment(0xC4, b"\x10\x01" + bytes(15) + b"\0")
        + segment(0xDA, b"\x01\x01\0\0\x3f\0")
        + scan
        + (note + bytes(range(255)) * (detail // 255 + 1))[:detail]
        + b"\xff\xd9"
    )


def directory(at, entries, order="<"):
    """A TIFF directory for the place `at`, by tag: a number, a text, or a type, a count and a place."""
    rows, rest = b"", b""
    behind = at + 2 + len(entries) * 12 + 4
    for tag, value in sorted(entries.items()):
        if isinstance(value, str):
            text = value.encode() + b"\0"
            value = (2, len(text), behind + len(rest))
            rest += text
        kind, count, place = value if isinstance(value, tuple) else (4, 1, value)
        rows += struct.pack(order + "HHII", tag, kind, count, place)
    return struct.pack(order + "H", len(entries)) + rows + struct.pack(order + "I", 0) + rest


def iiq(date, width=64, height=48, order="<", turn=None):
    """A raw file of a Phase One back: the sensor's data before all directories, which have a preview
    of a quarter of the size. `turn` is EXIF's orientation."""
    pack = lambda form, *values: struct.pack(order + form, *values)
    across, down = width // 2, height // 2
    mark, identifier = (b"II*\0", b"IIIITwaR") if order == "<" else (b"MM\0*", b"MMMMRawT")
    data = bytes(width * height * 2)
    own = {0x108: width + 20, 0x109: height + 10, 0x10C: width, 0x10D: height, 0x10E: 3}
    rows = b"".join(pack("IIII", tag, 4, 4, value) for tag, value in own.items())
    note = identifier + pack("I", 12 + len(data)) + data + pack("II", len(own), 0) + rows
    photo_at = 8 + len(note)
    photo = directory(
        photo_at,
        {0x9003: f"{date:%Y:%m:%d %H:%M:%S}", 0xA002: width, 0xA003: height, 0x927C: (7, len(note), 8)},
        order,
    )
    bits = pack("HHH", 8, 8, 8)
    bits_at = photo_at + len(photo)
    preview_at = bits_at + len(bits)
    preview = bytes(across * down * 3)
    entries = {0x100: across, 0x101: down, 0x102: (3, 3, bits_at), 0x106: 2, 0x10F: "Phase One A/S", 0x110: "P65+"}
    entries |= {0x111: preview_at, 0x115: 3, 0x116: down, 0x117: len(preview), 0x8769: photo_at}
    if turn:
        entries[0x112] = (3, 1, turn if order == "<" else turn << 16)
    at = preview_at + len(preview)
    return mark + pack("I", at) + note + photo + bits + preview + directory(at, entries, order)


def png(text=b"", note=b"-"):
    """A black pixel without a date, with a chunk of text: its type and content."""

    def chunk(body):
        return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))

    parts = [b"IHDR" + struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0), b"tEXtComment\0" + note]
    parts += [text] if text else []
    parts += [b"IDAT" + zlib.compress(b"\0\0"), b"IEND"]
    return b"\x89PNG\r\n\x1a\n" + b"".join(map(chunk, parts))


def bmp(note=b""):
    """A picture of a format that photobroker-clean does not clean."""
    pixels = b"\x10\x20\x30\x00" * 4
    header = b"BM" + (54 + len(pixels)).to_bytes(4, "little") + b"\0" * 4 + (54).to_bytes(4, "little")
    info = [40, 2, 2, 1 | 24 << 16, 0, len(pixels), 2835, 2835, 0, 0]
    return header + b"".join(n.to_bytes(4, "little") for n in info) + pixels + note


def described(picture, description):
    """Add an XMP description to a JPEG."""
    packet = (
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        b'<rdf:Description rdf:about="" ' + description + b"</rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    return picture[:2] + segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + packet) + picture[2:]


def placed(picture):
    """Add a place to a JPEG, in XMP."""
    return described(
        picture, b'xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="47,22.5N" exif:GPSLongitude="8,32.5E">'
    )


def captioned(picture, words):
    """Add a caption to a JPEG, in XMP."""
    return described(
        picture,
        b'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt><rdf:li xml:lang="x-default">'
        + words
        + b"</rdf:li></rdf:Alt></dc:description>",
    )


def day(number):
    return datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=number)


def microseconds(date):
    return int(date.timestamp()) * 1_000_000


def real_photographs():
    """The folder of photographs beside the checkout; None if missing, which fails in CI."""
    if REAL.is_dir():
        return REAL
    if os.environ.get("CI"):
        raise AssertionError(f"no photographs at {REAL}; CI must have them")
    print(f"\n-- no photographs at {REAL}: made pictures stand in for them")
    return None
