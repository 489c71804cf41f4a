/// The size of a track's sound samples. In QuickTime's older form the table of sizes counts samples
/// of one byte, and the description of the sound has their real size.
///
/// Source: https://developer.apple.com/documentation/quicktime-file-format/sound_sample_descriptions
struct SoundDescription {
  struct Unit {
    /// The bytes of one packet.
    let bytes: Int
    /// The samples of one packet.
    let samples: Int

    /// The bytes of some samples, by this description or by the table of sizes, whichever are more.
    func bytes(_ count: Int, size: Int) throws(Uncleanable) -> Int {
      let (described, overflow) = ((count + samples - 1) / samples).multipliedReportingOverflow(by: bytes)
      let (listed, overflow2) = count.multipliedReportingOverflow(by: size)
      guard !overflow, !overflow2 else { throw .damaged }
      return max(described, listed)
    }
  }

  let unit: Unit

  private static let bitsPerSample: [FourCC: Int] = [
    "ulaw": 8, "alaw": 8, "in24": 24, "in32": 32, "fl32": 32, "fl64": 64,
  ]

  init(_ entries: [Box]) throws(Uncleanable) {
    var unit = Unit(bytes: 0, samples: 1)
    for entry in entries {
      let payload = entry.payload
      guard payload.count >= 28 else { throw .damaged }
      let channels = try payload.number(16, 2)
      let stated = try payload.number(18, 2)
      let bits = Self.bitsPerSample[entry.type] ?? stated
      if entry.type == "ima4" {
        unit = Unit(bytes: 34 * channels, samples: 64)
      } else if try payload.number(8, 2) == 1, payload.count >= 44, try payload.number(28, 4) > 0 {
        unit = Unit(bytes: try payload.number(36, 4), samples: try payload.number(28, 4))
      } else if ["raw ", "twos", "sowt", "NONE"].contains(entry.type) || Self.bitsPerSample[entry.type] != nil {
        unit = Unit(bytes: channels * ((bits + 7) / 8), samples: 1)
      } else if try payload.number(8, 2) == 2, payload.count >= 64 {
        unit = Unit(bytes: try payload.number(56, 4), samples: max(1, try payload.number(60, 4)))
      }
    }
    self.unit = unit
  }
}
