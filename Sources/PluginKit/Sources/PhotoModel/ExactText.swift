/// A text that is compared by its UTF-8 bytes, for locators as dictionary keys.
///
/// Swift's `String` treats `é` as one letter and `e` with an accent as equal. File systems, and
/// most remotes, treat them as two names.
@frozen public struct ExactText: Sendable, Hashable {
  public let text: String

  @inlinable public init(_ text: some StringProtocol) { self.text = String(text) }

  public static func == (a: Self, b: Self) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
