/// The allow list of XMP properties.
///
/// Source: https://developer.adobe.com/xmp/docs/XMPNamespaces/
enum XMPRules {
  enum Rule { case keep, caption, drop }

  static let xml = "http://www.w3.org/XML/1998/namespace"
  static let meta = "adobe:ns:meta/"
  static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

  /// Namespaces whose names only occur inside allowed properties.
  static let structures: Set<String> = [
    xml, rdf, "http://ns.google.com/photos/1.0/container/item/", "http://ns.adobe.com/xmp/sType/Area#",
    "http://ns.adobe.com/xap/1.0/sType/Dimensions#",
  ]

  static func rule(_ uri: String, _ local: String) -> Rule {
    if whole.contains(uri) { return .keep }
    if wholeCaptions.contains(uri) { return .caption }
    if kept[uri]?.contains(local) == true { return .keep }
    if captions[uri]?.contains(local) == true { return .caption }
    return .drop
  }

  /// Namespaces of picture data alone: gain maps and the parts of a file.
  private static let whole: Set<String> = [
    "http://ns.adobe.com/hdr-gain-map/1.0/", "http://ns.apple.com/HDRGainMap/1.0/",
    "http://ns.google.com/photos/1.0/container/",
  ]

  /// Regions with persons' names.
  private static let wholeCaptions: Set<String> = ["http://www.metadataworkinggroup.com/schemas/regions/"]

  private static let exif = "http://ns.adobe.com/exif/1.0/"
  private static let tiff = "http://ns.adobe.com/tiff/1.0/"

  private static func names(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }

  private static let kept: [String: Set<String>] = [
    exif: names(
      """
      ExifVersion FlashpixVersion ColorSpace ComponentsConfiguration CompressedBitsPerPixel PixelXDimension \
      PixelYDimension DateTimeOriginal DateTimeDigitized ExposureTime FNumber ExposureProgram SpectralSensitivity \
      ISOSpeedRatings ShutterSpeedValue ApertureValue BrightnessValue ExposureBiasValue MaxApertureValue \
      SubjectDistance MeteringMode LightSource Flash Fired Return Mode Function RedEyeMode FocalLength SubjectArea \
      FlashEnergy FocalPlaneXResolution FocalPlaneYResolution FocalPlaneResolutionUnit ExposureIndex SensingMethod \
      FileSource SceneType CFAPattern CustomRendered ExposureMode WhiteBalance DigitalZoomRatio \
      FocalLengthIn35mmFilm SceneCaptureType GainControl Contrast Saturation Sharpness SubjectDistanceRange \
      ImageUniqueID OffsetTime OffsetTimeOriginal OffsetTimeDigitized SubSecTime SubSecTimeOriginal \
      SubSecTimeDigitized
      """),
    tiff: names(
      """
      ImageWidth ImageLength BitsPerSample Compression PhotometricInterpretation Orientation SamplesPerPixel \
      PlanarConfiguration YCbCrSubSampling YCbCrPositioning XResolution YResolution ResolutionUnit \
      TransferFunction WhitePoint PrimaryChromaticities YCbCrCoefficients ReferenceBlackWhite DateTime Make Model \
      Software
      """),
    "http://cipa.jp/exif/1.0/": names(
      """
      PhotographicSensitivity SensitivityType StandardOutputSensitivity RecommendedExposureIndex ISOSpeed \
      ISOSpeedLatitudeyyy ISOSpeedLatitudezzz BodySerialNumber LensSpecification LensMake LensModel \
      LensSerialNumber Gamma InteroperabilityIndex
      """),
    "http://ns.adobe.com/exif/1.0/aux/": names(
      "Lens LensInfo LensID LensSerialNumber SerialNumber Firmware FlashCompensation ImageNumber"),
    "http://ns.adobe.com/xap/1.0/": names("CreateDate ModifyDate MetadataDate CreatorTool Rating"),
    "http://ns.adobe.com/photoshop/1.0/": names("DateCreated ColorMode ICCProfile"),
    "http://purl.org/dc/elements/1.1/": names("format"),
    "http://ns.google.com/photos/1.0/camera/": names(
      """
      MotionPhoto MotionPhotoVersion MotionPhotoPresentationTimestampUs MicroVideo MicroVideoVersion \
      MicroVideoOffset MicroVideoPresentationTimestampUs BurstID BurstPrimary
      """),
    "http://ns.google.com/photos/1.0/panorama/": names(
      """
      UsePanoramaViewer ProjectionType CroppedAreaImageWidthPixels CroppedAreaImageHeightPixels \
      FullPanoWidthPixels FullPanoHeightPixels CroppedAreaLeftPixels CroppedAreaTopPixels CaptureSoftware \
      StitchingSoftware SourcePhotosCount ExposureLockUsed LargestValidInteriorRectLeft \
      LargestValidInteriorRectTop LargestValidInteriorRectWidth LargestValidInteriorRectHeight
      """),
  ]

  private static let captions: [String: Set<String>] = [
    exif: names("UserComment"),
    tiff: names("ImageDescription Artist Copyright"),
    "http://cipa.jp/exif/1.0/": names("CameraOwnerName"),
    "http://ns.adobe.com/exif/1.0/aux/": names("OwnerName"),
    "http://ns.adobe.com/xap/1.0/": names("Label"),
    "http://ns.adobe.com/photoshop/1.0/": names(
      "Headline AuthorsPosition Credit Source Instructions TransmissionReference CaptionWriter"),
    "http://purl.org/dc/elements/1.1/": names("title description creator rights subject"),
    "http://iptc.org/std/Iptc4xmpExt/2008-02-29/": names("PersonInImage"),
  ]
}
