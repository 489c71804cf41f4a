"""Places and captions that tests seed into files, and the search for what is left of them."""

import json
import pathlib
import re
import struct
import subprocess

LATITUDE, LONGITUDE = 47.376887, 8.541694
TOWN, TITLE = "Seedwyl", "Seedtitle"
PLACES = {
    "GPSLatitude": LATITUDE,
    "GPSLatitudeRef": "N",
    "GPSLongitude": LONGITUDE,
    "GPSLongitudeRef": "E",
    "GPSAltitude": 408.25,
    "GPSDateStamp": "2019:09:19",
    "GPSTimeStamp": "19:19:19",
    "GPSAreaInformation": TOWN,
    "XMP-exif:GPSLatitude": LATITUDE,
    "XMP-exif:GPSLongitude": LONGITUDE,
    "XMP-photoshop:City": TOWN,
    "XMP-photoshop:Country": TOWN,
    "XMP-iptcCore:Location": TOWN,
    "XMP-iptcExt:LocationCreatedCity": TOWN,
    "XMP-iptcExt:LocationShownGPSLatitude": LATITUDE,
    "XMP-dc:Subject": f"geo:lat={LATITUDE}",
    "XMP-lr:HierarchicalSubject": f"Places|{TOWN}",
    "XMP-digiKam:TagsList": f"Places/{TOWN}",
    "IPTC:City": TOWN,
    "IPTC:Sub-location": TOWN,
    "IPTC:Country-PrimaryLocationName": TOWN,
    "IPTC:Keywords": f"geo:lon={LONGITUDE}",
    "EXIF:UserComment": f"{LATITUDE}, {LONGITUDE}",
    "Comment": f"lat {LATITUDE} {TOWN}",
    "PNG:Comment": f"lat {LATITUDE} {TOWN}",
    "Keys:GPSCoordinates": f"{LATITUDE} {LONGITUDE} 408.25",
    "UserData:GPSCoordinates": f"{LATITUDE} {LONGITUDE} 408.25",
    "ItemList:GPSCoordinates": f"{LATITUDE} {LONGITUDE} 408.25",
}
CAPTIONS = {
    "EXIF:ImageDescription": TITLE,
    "EXIF:Artist": TITLE,
    "EXIF:XPComment": TITLE,
    "EXIF:OwnerName": TITLE,
    "XMP-dc:Title": TITLE,
    "XMP-dc:Description": TITLE,
    "XMP-dc:Creator": TITLE,
    "XMP-iptcExt:PersonInImage": TITLE,
    "XMP-mwg-rs:RegionName": TITLE,
    "IPTC:Caption-Abstract": TITLE,
    "IPTC:By-line": TITLE,
    "PNG:Title": TITLE,
    "Keys:Title": TITLE,
    "UserData:Title": TITLE,
    "ItemList:Comment": TITLE,
}
LOCATION_TAG = re.compile(
    r"GPS|Latitude|Longitude|City$|Country|State$|Sub-?location|Province|^Location|ISO6709|Geolocation|Hierarchical",
    re.IGNORECASE,
)


def encodings():
    """Every form in which exiftool and cameras store the seeded coordinates."""
    forms = [b"47.376", b"47,22.61", b"+47.37", b"8.541", b"8,32.50", TOWN.encode(), TOWN.encode("utf-16-le")]
    for order in "<>":
        forms += [struct.pack(f"{order}4I", 47, 1, 22, 1), struct.pack(f"{order}4I", 8, 1, 32, 1)]
        forms += [struct.pack(f"{order}d", value) for value in (LATITUDE, LONGITUDE)]
    return forms


def seeds_in(data):
    """The seeded forms in these bytes."""
    return [form for form in encodings() if form in data]


def tags(folder):
    """exiftool's reading of every file, with embedded data, by file name."""
    said = subprocess.run(
        ["exiftool", "-j", "-ee", "-G1", "-a", "-n", str(folder)],
        capture_output=True,
        text=True,
    ).stdout
    return {pathlib.Path(one["SourceFile"]).name: one for one in json.loads(said)}


def told_places(told):
    """The tags of places with a value in exiftool's reading of a file."""
    return [key for key in told if LOCATION_TAG.search(key.split(":")[-1]) and told[key] not in ("", 0)]
