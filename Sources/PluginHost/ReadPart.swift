/// The part of a file that a call reads. Plugins get no other offsets and lengths.
enum ReadPart {
  /// From the offset to the end.
  case rest
  case range(Range<Int64>)

  static let rule = "The offset is negative, or the length is not positive or too large."

  /// Nil for a part that no file can have.
  init?(from offset: Int64, length: Int64?) {
    guard offset >= 0 else { return nil }
    guard let length else {
      self = .rest
      return
    }
    let (end, overflow) = offset.addingReportingOverflow(length)
    guard length > 0, !overflow else { return nil }
    self = .range(offset..<end)
  }
}
