#include "Boxes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "Orientation.hpp"

namespace media {

uint64_t big(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value = value << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
  return value;
}

void eachBox(std::string_view data, uint64_t offset, const std::function<bool(const Box&)>& visit) {
  size_t at = 0;
  while (at + 8 <= data.size()) {
    uint64_t size = big(data, at, 4), header = 8;
    if (size == 1) { size = big(data, at + 8, 8); header = 16; }
    if (size == 0) size = data.size() - at;
    if (size < header || at + header > data.size()) return;
    uint64_t available = data.size() - at;
    uint64_t end = size < available ? size : available;
    if (!visit({std::string(data.substr(at + 4, 4)), offset + at, size, data.substr(at + header, end - header)}))
      return;
    if (size >= available) return;
    at += size;
  }
}

namespace {

constexpr size_t maximumItems = 4096;

struct Meta {
  uint32_t primary = 0;
  std::vector<uint32_t> exifItems, xmpItems;
  std::set<uint32_t> codedItems;
  std::map<uint32_t, std::vector<uint32_t>> descriptions;  // `cdsc`: from metadata to pictures
  std::vector<Box> properties;
  std::map<uint32_t, std::vector<uint16_t>> associations;
  struct Extent { unsigned method; uint64_t offset, length; };
  std::map<uint32_t, Extent> extents;  // the first of each item
  std::string_view data;               // `idat`
};

void readItemInformation(std::string_view p, Meta& meta) {
  size_t skip = p.empty() || p[0] == 0 ? 6 : 8;
  if (p.size() < skip) return;
  eachBox(p.substr(skip), 0, [&](const Box& box) {
    int version = box.payload.empty() ? 0 : box.payload[0];
    size_t idBytes = version == 3 ? 4 : 2;
    if (box.type != "infe" || version < 2 || box.payload.size() < 4 + idBytes + 6) return true;
    auto id = static_cast<uint32_t>(big(box.payload, 4, idBytes));
    std::string_view type = box.payload.substr(4 + idBytes + 2, 4);
    if (type == "Exif") meta.exifItems.push_back(id);
    bool isXMP = type == "mime" && box.payload.find("application/rdf+xml") != std::string_view::npos;
    if (isXMP) meta.xmpItems.push_back(id);
    if (type == "hvc1" || type == "av01" || type == "jpeg" || type == "avc1" || type == "j2k1")
      meta.codedItems.insert(id);
    return meta.codedItems.size() < maximumItems;
  });
}

void readLocations(std::string_view p, Meta& meta) {
  if (p.size() < 8) return;
  unsigned version = static_cast<unsigned char>(p[0]);
  size_t offsetBytes = big(p, 4, 1) >> 4, lengthBytes = big(p, 4, 1) & 15, baseBytes = big(p, 5, 1) >> 4;
  size_t indexBytes = version > 0 ? big(p, 5, 1) & 15 : 0, idBytes = version < 2 ? 2 : 4;
  size_t at = 6, count = big(p, at, idBytes);
  at += idBytes;
  for (size_t i = 0; i < count && i < maximumItems && at < p.size(); ++i) {
    auto id = static_cast<uint32_t>(big(p, at, idBytes));
    at += idBytes;
    unsigned method = 0;
    if (version > 0) { method = big(p, at, 2) & 15; at += 2; }
    at += 2;
    uint64_t base = big(p, at, baseBytes);
    at += baseBytes;
    size_t extents = big(p, at, 2);
    at += 2;
    for (size_t e = 0; e < extents && at < p.size(); ++e) {
      at += indexBytes;
      uint64_t offset = big(p, at, offsetBytes), length = big(p, at + offsetBytes, lengthBytes);
      at += offsetBytes + lengthBytes;
      if (e == 0) meta.extents[id] = {method, base + offset, length};
    }
  }
}

void readReferences(std::string_view p, Meta& meta) {
  size_t idBytes = !p.empty() && p[0] ? 4 : 2;
  if (p.size() < 4) return;
  eachBox(p.substr(4), 0, [&](const Box& box) {
    if (box.type != "cdsc") return true;
    auto from = static_cast<uint32_t>(big(box.payload, 0, idBytes));
    size_t count = big(box.payload, idBytes, 2);
    for (size_t i = 0; i < count && i < maximumItems; ++i) {
      size_t at = idBytes + 2 + i * idBytes;
      if (at + idBytes > box.payload.size()) break;
      meta.descriptions[from].push_back(static_cast<uint32_t>(big(box.payload, at, idBytes)));
    }
    return true;
  });
}

/// The first of these items that describes the primary picture. Without descriptions the first item;
/// 0 for none.
uint32_t itemOfPrimary(const Meta& meta, const std::vector<uint32_t>& items) {
  for (uint32_t item : items) {
    auto described = meta.descriptions.find(item);
    if (described == meta.descriptions.end()) continue;
    for (uint32_t picture : described->second) {
      if (picture == meta.primary) return item;
    }
  }
  return items.empty() || !meta.descriptions.empty() ? 0 : items.front();
}

void readAssociations(std::string_view p, Meta& meta) {
  if (p.size() < 8) return;
  size_t idBytes = p[0] == 0 ? 2 : 4, indexBytes = p[3] & 1 ? 2 : 1, at = 8, count = big(p, 4, 4);
  for (size_t i = 0; i < count && i < maximumItems && at < p.size(); ++i) {
    auto id = static_cast<uint32_t>(big(p, at, idBytes));
    at += idBytes;
    size_t properties = big(p, at++, 1);
    for (size_t k = 0; k < properties && at < p.size(); ++k, at += indexBytes) {
      meta.associations[id].push_back(big(p, at, indexBytes) & (indexBytes == 2 ? 0x7fff : 0x7f));
    }
  }
}

Meta readMeta(std::string_view payload) {
  Meta meta;
  if (payload.size() < 4) return meta;
  eachBox(payload.substr(4), 0, [&](const Box& box) {
    if (box.type == "pitm")
      meta.primary = static_cast<uint32_t>(big(box.payload, 4, !box.payload.empty() && box.payload[0] ? 4 : 2));
    else if (box.type == "iinf")
      readItemInformation(box.payload, meta);
    else if (box.type == "iloc")
      readLocations(box.payload, meta);
    else if (box.type == "iref")
      readReferences(box.payload, meta);
    else if (box.type == "idat")
      meta.data = box.payload;
    else if (box.type == "iprp") {
      eachBox(box.payload, 0, [&](const Box& inner) {
        if (inner.type == "ipma") readAssociations(inner.payload, meta);
        else if (inner.type == "ipco") {
          eachBox(inner.payload, 0, [&](const Box& property) {
            meta.properties.push_back(property);
            return meta.properties.size() < maximumItems;
          });
        }
        return true;
      });
    }
    return true;
  });
  return meta;
}

void applyProperty(const Box& property, StillBoxes& still) {
  std::string_view p = property.payload;
  if (property.type == "ispe") {
    still.codedWidth = static_cast<uint32_t>(big(p, 4, 4));
    still.codedHeight = static_cast<uint32_t>(big(p, 8, 4));
    still.width = still.codedWidth;
    still.height = still.codedHeight;
  } else if (property.type == "clap") {
    // Width and height as quotients.
    uint64_t width = big(p, 0, 4) / std::max<uint64_t>(1, big(p, 4, 4));
    uint64_t height = big(p, 8, 4) / std::max<uint64_t>(1, big(p, 12, 4));
    if (width > 0 && width <= still.width) still.width = static_cast<uint32_t>(width);
    if (height > 0 && height <= still.height) still.height = static_cast<uint32_t>(height);
  } else if (property.type == "irot") {
    // Quarter turns counter-clockwise; EXIF 8 is one of them.
    static constexpr uint8_t turns[] = {1, 8, 3, 6};
    still.orientation = combined(still.orientation, turns[big(p, 0, 1) & 3]);
    if (big(p, 0, 1) & 1) std::swap(still.width, still.height);
  } else if (property.type == "imir") {
    // Axis 0 flips top and bottom, axis 1 left and right (ISO/IEC 23008-12:2022, 6.5.12).
    still.orientation = combined(still.orientation, big(p, 0, 1) & 1 ? 2 : 4);
  } else if (property.type == "colr" && p.substr(0, 4) == "nclx") {
    uint64_t curve = big(p, 6, 2);
    still.isHighDynamicRange = curve == 16 || curve == 18;
  }
}

}  // namespace

StillBoxes readStillBoxes(std::string_view file) {
  StillBoxes still;
  Meta meta;
  eachBox(file, 0, [&](const Box& box) {
    if (box.size > file.size() - box.offset) still.isTruncated = true;
    if (box.type == "ftyp") {
      for (size_t i = 0; i + 4 <= box.payload.size(); i += 4) {
        auto brand = box.payload.substr(i, 4);
        if (i != 4 && (brand == "avis" || brand == "msf1")) still.isSequence = true;
      }
    } else if (box.type == "meta") {
      meta = readMeta(box.payload);
    } else if (box.type == "mpvd" && box.payload.size() > 8 && box.payload.substr(4, 4) == "ftyp") {
      still.movie = {box.offset + static_cast<uint64_t>(box.payload.data() - (file.data() + box.offset)),
                     box.payload.size()};
    }
    return true;
  });
  auto own = meta.associations.find(meta.primary);
  if (own != meta.associations.end()) {
    for (uint16_t index : own->second) {
      if (index >= 1 && index <= meta.properties.size()) applyProperty(meta.properties[index - 1], still);
    }
  }
  uint32_t exif = itemOfPrimary(meta, meta.exifItems), xmp = itemOfPrimary(meta, meta.xmpItems);
  for (auto& [id, extent] : meta.extents) {
    std::string_view source = extent.method == 1 ? meta.data : file;
    if (extent.method > 1) continue;
    bool fits = extent.offset <= source.size() && extent.length <= source.size() - extent.offset;
    if (!fits) still.isTruncated = true;
    if (fits && extent.method == 0)
      (meta.codedItems.count(id) ? still.pictures : still.items).emplace_back(extent.offset, extent.length);
    if (fits && id == xmp && id != 0) still.xmp = source.substr(extent.offset, extent.length);
    // The item begins with the distance to the TIFF header.
    if (fits && id == exif && id != 0 && extent.length > 4) {
      std::string_view item = source.substr(extent.offset, extent.length);
      uint64_t skip = big(item, 0, 4) + 4;
      if (skip < item.size()) still.exif = std::string(item.substr(skip));
    }
  }
  return still;
}

std::string mended(std::string_view file) {
  constexpr uint64_t limitBytes = 256 << 20;
  constexpr size_t versionBytes = 4;
  std::string copy;
  auto own = [&]() -> std::string& { return copy.empty() ? copy = file : copy; };
  auto omitReferences = [&](std::string_view references) {
    eachBox(references, static_cast<uint64_t>(references.data() - file.data()), [&](const Box& box) {
      if (box.type == "auxl" || box.type == "cdsc") own().replace(box.offset + 4, 4, "skip");
      return true;
    });
  };
  eachBox(file, 0, [&](const Box& box) {
    bool isCut = box.size > file.size() - box.offset;
    if (isCut && box.offset < limitBytes && box.size <= limitBytes - box.offset) own().resize(box.offset + box.size);
    if (box.type != "meta" || box.payload.size() < versionBytes) return true;
    eachBox(box.payload.substr(versionBytes), 0, [&](const Box& inner) {
      if (inner.type == "iref" && inner.payload.size() >= versionBytes)
        omitReferences(inner.payload.substr(versionBytes));
      return true;
    });
    return true;
  });
  return copy;
}

bool isMovieTruncated(const std::function<size_t(uint64_t, void*, size_t)>& read, uint64_t size) {
  static const std::set<std::string_view> known = {"ftyp", "moov", "mdat", "moof", "mfra", "sidx", "styp",
                                                   "free", "skip", "wide", "uuid", "meta", "udta", "pnot"};
  uint64_t at = 0;
  bool hasMovie = false, hasMedia = false;
  for (int boxes = 0; at + 8 <= size && boxes < 1000; ++boxes) {
    char header[16];
    size_t got = read(at, header, sizeof header);
    if (got < 8) return true;
    std::string_view view(header, got), type = view.substr(4, 4);
    uint64_t length = big(view, 0, 4);
    if (length == 1) length = big(view, 8, 8);
    if (length == 0) return false;
    if (length < 8) return false;  // rubbish behind the movie, or zero padding
    // Unknown box names behind a complete movie are rubbish, too.
    if (length > size - at) return known.count(type) || !hasMovie || !hasMedia;
    hasMovie |= type == "moov";
    hasMedia |= type == "mdat";
    at += length;
  }
  // At the end, a movie without its index or media lacks a box.
  return at + 8 > size && (!hasMovie || !hasMedia);
}

}  // namespace media
