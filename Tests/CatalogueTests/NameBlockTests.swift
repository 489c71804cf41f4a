import Testing

@testable import Catalogue

struct NameBlockTests {
  private static let long = String(repeating: "x", count: 255)
  static let lists: [[String]] = [
    [""], ["a.JPG"], ["IMG_1.JPG", "IMG_2.JPG", "IMG_2.jpeg"], ["same.png", "same.png"], [".", "..", ".a", "a."],
    ["IMG.JPG", "IMG.JPEG", "IMG"], (0..<256).map { "n\($0).\($0)" }, (0..<256).map { _ in long },
    (0..<256).map { "." + String(repeating: "y", count: 250) + "\($0)" },
  ]

  @Test(arguments: lists) func `A block returns its names and a replaced one`(names: [String]) {
    let block = NameBlock(names.map { Array($0.utf8) })
    for (row, name) in names.enumerated() {
      #expect(block.withBytes(row) { String(decoding: $0, as: UTF8.self) } == name)
    }
    let other = block.setting(names.count - 1, to: Array("new.x.MOV".utf8))
    for (row, name) in (names.dropLast() + ["new.x.MOV"]).enumerated() {
      #expect(other.withBytes(row) { String(decoding: $0, as: UTF8.self) } == name)
    }
  }
}
