/// Differences between the worker's facts and exiftool's, each with the worker's value and its
/// reason.
///
/// Keys are file and column. The test fails for a difference that is not listed and for a listed
/// one that does not occur.
enum KnownDifferences {
  struct Difference: Sendable {
    let ours: String
    let reason: String

    init(_ ours: String, _ reason: String) {
      self.ours = ours
      self.reason = reason
    }
  }

  private static let zero =
    "0, 0 is what software writes for an unknown place"
  private static let appleKey =
    "Apple's creationdate key has the local clock and its offset; the manifest lists the container's UTC"
  private static let fractionInXMP =
    "the fraction is in XMP's CreateDate, which is used; exiftool shows Photoshop's DateCreated, without a fraction"
  private static let announcedOnly =
    "XMP announces a movie that is not in the file"
  private static let makerNote =
    "Sony's MakerNote has the value, no rating of a person's"

  static let all: [String: Difference] = [
    "avif/colors-animated-8bpc-alpha-exif-xmp.avif place": .init("", zero),
    "avif/paris_icc_exif_xmp.avif place": .init("", zero),
    "damaged/nan-exif.jpg place": .init("", "the coordinates are text, one of them NaN; a place needs two numbers"),
    "dates/3dmsc.jpg date": .init("2004:05:09 16:00:21", "the same, written with slashes"),
    "dates/gps-datetime.jpg date": .init(
      "2023:11:15 12:30:00", "only the satellites' time is there, a column that the manifest lacks"),
    "dates/minolta-dimage-e223.jpg date": .init("2003:08:27 00:09:15", "the same, written with a colon in the middle"),
    "dates/short_date.jpg date": .init("2008:02:15 16:00:00", "the same, written without seconds"),
    "dates/verizon.jpg date": .init("", "05.10.2009 may be May or October"),
    "dates/verizon.jpg fraction": .init("", "the manifest test takes the date's dot for a fraction"),
    "duplicates/IMG_8943.jpg fraction": .init("46", fractionInXMP),
    "gps/IMG_9398-2.jpg fraction": .init("31", fractionInXMP),
    "unicode/its  a along directory name. with special caracters(_.-.,-.,) 1234 56789 űáéú őóüö/IMG_8943.jpg fraction":
      .init(
        "46", fractionInXMP),
    "heic/L_exif_xmp_iptc.heic rating": .init("", makerNote),
    "raw/SLT-A55V-truncated.arw rating": .init("", makerNote),
    "live/IMG_7943_HEVC.MOV date": .init("2026:03:23 15:57:19", appleKey),
    "live/IMG_7943_HEVC.MOV offset": .init("+01:00", appleKey),
    "video/dolbyVision-hdr.MOV date": .init("2023:05:09 12:41:46", appleKey),
    "video/dolbyVision-hdr.MOV offset": .init("+01:00", appleKey),
    "video/sample_with_color_info.mp4 date": .init("2021:05:25 09:21:51", appleKey),
    "video/sample_with_color_info.mp4 offset": .init("-07:00", appleKey),
    "motion/google_motion_photo_broken.jpg motion": .init("", announcedOnly),
    "motion/pixel-motion-photo-video-removed-shortened.jpg motion": .init("", announcedOnly),
    "motion/sample_MP.heic date": .init(
      "2020:10:21 12:26:18",
      "its Exif item lacks the offset that the format asks for; exiftool then finds no entry, exiv2 and we do"),
    "orientation/broken_orientation_exif.jpg burst": .init(
      "1aada2e4-4833-49f9-b4de-1a549c458f1e", "Google's XMP BurstID, which the manifest does not list"),
    "png/chelsea.png date": .init(
      "2009:02:09 09:11:30",
      "Photoshop's DateCreated, when the picture was made, goes before XMP's CreateDate, when the file was"),
    "png/paris_icc_exif_xmp.png place": .init("", zero),
    "sidecar/20240128_105420.mp4.xmp place": .init("50.0896 14.3974", "the manifest has no places of sidecars"),
    "sidecar/IMG_5910.jpg.xmp place": .init("37.8711 -122.2568", "the manifest has no places of sidecars"),
    "sidecar/orphan-2000.xmp date": .init(
      "2000:09:27 14:35:33", "Photoshop's DateCreated, which the manifest does not list"),
    "sidecar/orphan-2000.xmp offset": .init("+02:00", "Photoshop's DateCreated, which the manifest does not list"),
    "video/hello.3gp offset": .init("+00:00", "in the date itself; the manifest lists EXIF's tags alone"),
    "video/hello.3gp size": .init(
      "32x24", "stored 32 wide with narrow pixels, displayed 29 wide: the manifest has the latter"),
    "video/video_mkv.mkv duration": .init("13.7", "the same, written in hours, minutes and seconds"),
  ]
}
