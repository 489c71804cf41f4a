/// Tags of EXIF, TIFF and DNG, and the rule of each.
///
/// Source: https://www.cipa.jp/std/documents/download_e.html?DC-008-Translation-2023-E,
/// https://helpx.adobe.com/camera-raw/digital-negative.html
enum TIFFTag {
  static let compression = 259
  static let photometric = 262
  static let stripOffsets = 273
  static let stripCounts = 279
  static let tileOffsets = 324
  static let tileCounts = 325
  static let subdirectories = 330
  static let thumbnailOffset = 513
  static let thumbnailCount = 514
  static let xmp = 700
  static let exif = 34_665
  static let location = 34_853
  static let interoperability = 40_965
  static let dngVersion = 50_706

  static let dates: Set<Int> = [306, 36_867, 36_868]

  /// Free text of people: description, artist, host computer, rights, comment, Windows' five texts,
  /// camera's owner, title, photographer, editor.
  static let captions: Set<Int> = [
    270, 315, 316, 33_432, 37_510, 40_091, 40_092, 40_093, 40_094, 40_095, 42_032, 42_038, 42_039, 42_040, 50_827,
    51_081,
  ]

  private static let main: Set<Int> = [
    // The picture's structure; make, model, software.
    254, 255, 256, 257, 258, 259, 262, 263, 264, 265, 266, 271, 272, 273, 274, 277, 278, 279, 280, 281, 282, 283, 284,
    290, 291, 292, 293, 296, 297, 301, 305, 317, 318, 319, 320, 321, 322, 323, 324, 325, 330, 332, 334, 336, 338,
    339, 340, 341, 347, 513, 514, 529, 530, 531, 532, 700, 18_246, 18_249, 33_421, 33_422, 34_665, 34_675,
    // Exposure and dates.
    33_434, 33_437, 34_850, 34_855, 34_858, 34_864, 34_865, 34_866, 34_867, 34_868, 34_869, 36_864,
    36_880, 36_881, 36_882, 37_121, 37_122, 37_377, 37_378, 37_379, 37_380, 37_381, 37_382, 37_383, 37_384, 37_385,
    37_386, 37_393, 37_396, 37_398, 37_399, 37_520, 37_521, 37_522, 40_960, 40_961, 40_962, 40_963, 40_965, 41_483,
    41_486, 41_487, 41_488, 41_492, 41_493, 41_495, 41_728, 41_729, 41_730, 41_985, 41_986, 41_987, 41_988, 41_989,
    41_990, 41_991, 41_992, 41_993, 41_994, 41_995, 41_996, 42_016, 42_033, 42_034, 42_035, 42_036, 42_037, 42_041,
    42_042, 42_043, 42_044, 42_080, 42_081, 42_082, 42_240,
    // DNG: decoding and colour.
    50_706, 50_707, 50_708, 50_709, 50_710, 50_711, 50_712, 50_713, 50_714, 50_715, 50_716, 50_717, 50_718, 50_719,
    50_720, 50_721, 50_722, 50_723, 50_724, 50_725, 50_726, 50_727, 50_728, 50_729, 50_730, 50_731, 50_732, 50_733,
    50_734, 50_735, 50_736, 50_737, 50_738, 50_739, 50_778, 50_779, 50_780, 50_781, 50_829, 50_830, 50_831, 50_832,
    50_833, 50_834, 50_879, 50_931, 50_932, 50_934, 50_936, 50_937, 50_938, 50_939, 50_940, 50_941, 50_964, 50_965,
    50_966, 50_967, 50_968, 50_969, 50_970, 50_971, 50_972, 50_973, 50_974, 50_975, 50_981, 50_982, 51_008, 51_009,
    51_022, 51_041, 51_044, 51_058, 51_089, 51_090, 51_091, 51_105, 51_107, 51_108, 51_109, 51_110, 51_111, 51_112,
    51_125, 51_177, 51_178, 51_179, 51_180, 51_181, 52_525, 52_529, 52_530, 52_531, 52_532, 52_533, 52_534, 52_536,
    52_537, 52_543, 52_544, 52_547, 52_548, 52_549,
  ]

  /// The number, kind and place of a JPEG's further images, and their angles to each other.
  private static let images: Set<Int> = [
    0xb000, 0xb001, 0xb002, 0xb004, 0xb101, 0xb201, 0xb202, 0xb203, 0xb204, 0xb205, 0xb206, 0xb207, 0xb208, 0xb209,
  ]

  private static let interoperabilityTags: Set<Int> = [1, 2, 4096, 4097, 4098]

  static func isAllowed(_ tag: Int, in role: TIFFTree.Role) -> Bool {
    switch role {
    case .main: main.contains(tag)
    case .images: images.contains(tag)
    case .interoperability: interoperabilityTags.contains(tag)
    }
  }
}
