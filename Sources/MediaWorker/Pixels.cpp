#include "Pixels.hpp"

#include <dlfcn.h>
#include <gmodule.h>
#include <vips/vips.h>
// Needs the header above.
#include <vips/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "Orientation.hpp"
#include "WebPContainer.hpp"

namespace media {

namespace {

struct Unreference {
  void operator()(VipsImage* image) const { g_object_unref(image); }
};
using Picture = std::unique_ptr<VipsImage, Unreference>;

void discardLog(const char*, GLogLevelFlags, const char*, void*) {}

/// Loads a libvips module from the folder beside the library, where distributions install them. A
/// libvips with the loader built in has no such file.
void loadModule(const std::string& name) {
  Dl_info library;
  if (!dladdr(reinterpret_cast<void*>(&vips_init), &library) || !library.dli_fname) return;
  std::string folder(library.dli_fname);
  folder.resize(folder.rfind('/') + 1);
  folder += "vips-modules-" + std::to_string(vips_version(0)) + "." + std::to_string(vips_version(1)) + "/";
  if (GModule* module = g_module_open((folder + name).c_str(), G_MODULE_BIND_LOCAL)) g_module_make_resident(module);
}

Picture turned(Picture in, uint8_t orientation) {
  Turn turn = turnOf(orientation);
  if (turn.mirrored) {
    VipsImage* out = nullptr;
    if (vips_flip(in.get(), &out, VIPS_DIRECTION_HORIZONTAL, nullptr)) return nullptr;
    in.reset(out);
  }
  if (turn.quarters) {
    VipsImage* out = nullptr;
    if (vips_rot(in.get(), &out, static_cast<VipsAngle>(turn.quarters), nullptr)) return nullptr;
    in.reset(out);
  }
  return in;
}

/// Puts white behind transparent pixels, because JPEG has no transparency.
Picture opaque(Picture in) {
  if (!vips_image_hasalpha(in.get())) return in;
  double white[] = {255, 255, 255};
  VipsArrayDouble* background = vips_array_double_new(white, 3);
  VipsImage* out = nullptr;
  int failed = vips_flatten(in.get(), &out, "background", background, nullptr);
  vips_area_unref(VIPS_AREA(background));
  return failed ? nullptr : Picture(out);
}

/// Removes all metadata. The savers' `strip` is not enough: libvips 8.14 still writes EXIF, with
/// the location, and the colour profile into WebP.
Picture bare(Picture in) {
  VipsImage* copy = nullptr;
  // Pictures share metadata by reference, so only a copy may lose it.
  if (vips_copy(in.get(), &copy, nullptr)) return nullptr;
  Picture out(copy);
  gchar** names = vips_image_get_fields(out.get());
  for (gchar** name = names; name && *name; ++name) {
    if (vips_image_get_typeof(out.get(), *name) != 0) vips_image_remove(out.get(), *name);
  }
  g_strfreev(names);
  return out;
}

bool encode(Picture picture, Encoding encoding, EncodedThumbnail& out) {
  if (picture && encoding == Encoding::jpeg) picture = opaque(std::move(picture));
  if (picture) picture = bare(std::move(picture));
  if (!picture) return false;
  void* bytes = nullptr;
  size_t size = 0;
  int failed =
      encoding == Encoding::jpeg
          ? vips_jpegsave_buffer(picture.get(), &bytes, &size, "Q", 82, "strip", TRUE, "optimize_coding", TRUE, nullptr)
          : vips_webpsave_buffer(picture.get(), &bytes, &size, "Q", 80, "strip", TRUE, "effort", 2, nullptr);
  if (failed) return false;
  out.bytes.assign(static_cast<char*>(bytes), size);
  out.width = static_cast<uint32_t>(picture->Xsize);
  out.height = static_cast<uint32_t>(picture->Ysize);
  g_free(bytes);
  if (encoding == Encoding::webp) out.bytes = pictureOnly(out.bytes);
  return !out.bytes.empty();
}

VipsInteresting cropOf(ContentMode mode) {
  return mode == ContentMode::fill ? VIPS_INTERESTING_CENTRE : VIPS_INTERESTING_NONE;
}

}  // namespace

bool startPixels(const char* program) {
  // libvips would load every module of its folder, ImageMagick and PDF among them. A nonexistent
  // folder prevents that; the modules of HEIC, AVIF and JPEG XL are loaded by name.
  setenv("VIPSHOME", "/nonexistent", 1);
  g_log_set_default_handler(discardLog, nullptr);
  if (VIPS_INIT(program)) return false;
  g_log_set_default_handler(discardLog, nullptr);
  for (const char* name : {"vips-heif.so", "vips-jxl.so"}) loadModule(name);
  vips_block_untrusted_set(TRUE);
  vips_operation_block_set("VipsForeignLoad", TRUE);
  for (const char* loader : {"VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp", "VipsForeignLoadTiff",
                             "VipsForeignLoadNsgif", "VipsForeignLoadHeif", "VipsForeignLoadJxl"}) {
    vips_operation_block_set(loader, FALSE);
  }
  vips_cache_set_max(0);
  vips_cache_set_max_mem(0);
  vips_concurrency_set(1);
  // Its run-time compiler needs memory that is writable and executable.
  vips_vector_set_enabled(FALSE);
  return true;
}

PixelHeader readPixelHeader(std::string_view file) {
  Picture image(vips_image_new_from_buffer(file.data(), file.size(), "", nullptr));
  vips_error_clear();
  if (!image) return {};
  const char* loader = "";
  vips_image_get_string(image.get(), VIPS_META_LOADER, &loader);
  bool shrinks = vips_isprefix("jpegload", loader) || vips_isprefix("webpload", loader);
  return {true, static_cast<uint32_t>(image->Xsize), static_cast<uint32_t>(image->Ysize),
          static_cast<uint32_t>(std::max(1, vips_image_get_n_pages(image.get()))),
          shrinks ? maximumShrunkPixels : maximumImagePixels};
}

PixelMetadata readPixelMetadata(std::string_view file) {
  Picture image(vips_image_new_from_buffer(file.data(), file.size(), "", nullptr));
  auto field = [&](const char* name) {
    const void* bytes = nullptr;
    size_t size = 0;
    bool isThere = image && vips_image_get_typeof(image.get(), name) != 0 &&
                   vips_image_get_blob(image.get(), name, &bytes, &size) == 0;
    return isThere ? std::string(static_cast<const char*>(bytes), size) : std::string();
  };
  PixelMetadata found = {field(VIPS_META_EXIF_NAME), field(VIPS_META_XMP_NAME)};
  vips_error_clear();
  return found;
}

bool makeThumbnail(std::string_view file, uint8_t orientation, const ThumbnailRequest& request, EncodedThumbnail& out,
                   Problem& problem) {
  problem = Problem::unreadable;
  PixelHeader header = readPixelHeader(file);
  if (!header.isKnown) return false;
  if (static_cast<uint64_t>(header.width) * header.height > maximumImagePixels) problem = Problem::tooLarge;
  if (header.isTooLarge()) return false;
  int width = request.width, height = request.height;
  bool own = orientation == 0;
  if (!own && isSideways(orientation)) std::swap(width, height);
  VipsImage* raw = nullptr;
  int failed = vips_thumbnail_buffer(const_cast<char*>(file.data()), file.size(), &raw, width, "height", height, "size",
                                     VIPS_SIZE_DOWN, "crop", cropOf(request.mode), "no_rotate", own ? FALSE : TRUE,
                                     "export_profile", "srgb", "fail_on", VIPS_FAIL_ON_NONE, nullptr);
  Picture picture(raw);
  if (!failed && !own) picture = turned(std::move(picture), orientation);
  bool made = !failed && encode(std::move(picture), request.encoding, out);
  vips_error_clear();
  return made;
}

bool makeThumbnailOfPreview(std::string_view heif, const ThumbnailRequest& request, EncodedThumbnail& out) {
  VipsImage *preview = nullptr, *small = nullptr;
  // Without a small picture this is the large one, which was refused before.
  bool isOpen = vips_heifload_buffer(const_cast<char*>(heif.data()), heif.size(), &preview, "thumbnail", TRUE,
                                     nullptr) == 0;
  Picture opened(preview);
  bool made = isOpen && static_cast<uint64_t>(preview->Xsize) * preview->Ysize <= maximumImagePixels &&
              vips_thumbnail_image(preview, &small, request.width, "height", request.height, "size", VIPS_SIZE_DOWN,
                                   "crop", cropOf(request.mode), "export_profile", "srgb", nullptr) == 0;
  made = made && encode(Picture(small), request.encoding, out);
  vips_error_clear();
  return made;
}

bool makeThumbnail(const Frame& frame, const ThumbnailRequest& request, EncodedThumbnail& out, Problem& problem) {
  problem = Problem::unreadable;
  Picture memory(vips_image_new_from_memory(frame.pixels.data(), frame.pixels.size(), static_cast<int>(frame.width),
                                            static_cast<int>(frame.height), 3, VIPS_FORMAT_UCHAR));
  if (!memory) return false;
  VipsImage* copy = nullptr;
  if (vips_copy(memory.get(), &copy, "interpretation", VIPS_INTERPRETATION_sRGB, nullptr)) return false;
  Picture upright = turned(Picture(copy), frame.orientation);
  VipsImage* small = nullptr;
  if (!upright || vips_thumbnail_image(upright.get(), &small, request.width, "height", request.height, "size",
                                       VIPS_SIZE_DOWN, "crop", cropOf(request.mode), nullptr)) {
    vips_error_clear();
    return false;
  }
  return encode(Picture(small), request.encoding, out);
}

}  // namespace media
