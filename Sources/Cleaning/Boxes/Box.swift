/// A box of an ISO media file, or an atom of QuickTime.
struct Box {
  let type: FourCC
  /// With the header.
  let whole: Window
  let payload: Window
  /// Whether the file ends before the box does.
  let isCut: Bool

  /// Reads the box at an offset; nil if no box can be there.
  init?(in parent: Window, at offset: Int) throws(Uncleanable) {
    guard parent.count - offset >= 8 else { return nil }
    type = FourCC(try parent.number(offset + 4, 4))
    var size = try parent.number(offset, 4)
    var header = 8
    if size == 1 {
      guard parent.count - offset >= 16, let long = try? parent.long(offset + 8) else { return nil }
      size = long
      header = 16
    } else if size == 0 {
      size = parent.count - offset
    }
    guard size >= header, type.isPrintable else { return nil }
    isCut = size > parent.count - offset
    whole = try parent.part(offset, min(size, parent.count - offset))
    payload = try whole.from(header)
  }

  /// The payload behind version and flags, or other fields.
  func content(_ skipped: Int) throws(Uncleanable) -> Window { try payload.from(skipped) }
}

/// The boxes inside another box, in order.
struct Boxes {
  private static let limit = 65_536

  /// - Throws: `damaged` if they do not fill the window. QuickTime may end a list with zeros.
  static func all(in parent: Window) throws(Uncleanable) -> [Box] {
    var boxes: [Box] = []
    var offset = 0
    while offset < parent.count {
      if let box = try Box(in: parent, at: offset), !box.isCut {
        guard boxes.count < limit else { throw .tooComplex }
        boxes.append(box)
        offset += box.whole.count
      } else {
        let rest = try parent.from(offset)
        guard rest.count <= 8, try rest.all().allSatisfy({ $0 == 0 }) else { throw .damaged }
        return boxes
      }
    }
    return boxes
  }
}

extension Draft {
  /// Turns a box into free space.
  func blank(_ box: Box) throws(Uncleanable) {
    try write(FourCC("free").bytes, at: box.whole.start + 4)
    try fill(box.payload.range)
  }
}
