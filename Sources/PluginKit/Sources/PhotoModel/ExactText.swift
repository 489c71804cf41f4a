/// A text that is another one's equal only where its bytes are.
///
/// Swift takes texts for equal that people read alike: `é` as one letter, and as an `e` with an
/// accent. To a file system, and to most remotes, these are two names. Whoever keeps locators as
/// keys keeps them as this.
@frozen public struct ExactText: Sendable, Hashable {
  public let text: String

  @inlinable public init(_ text: some StringProtocol) { self.text = String(text) }

  public static func == (a: Self, b: Self) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
