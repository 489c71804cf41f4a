/// The wanted form of a thumbnail.
package struct ThumbnailRequest: Sendable, Hashable {
  package enum Encoding: String, Sendable { case jpeg, webp }
  /// `fit` keeps the whole picture inside the box; `fill` covers the box and cuts the rest evenly.
  /// Neither enlarges.
  package enum ContentMode: String, Sendable { case fit, fill }

  /// The longest side of any thumbnail in pixels.
  package static let maximumPixels = 2_560

  package var width: Int
  package var height: Int
  package var encoding: Encoding
  package var mode: ContentMode

  package init(width: Int, height: Int, encoding: Encoding = .jpeg, mode: ContentMode = .fit) {
    self.width = width
    self.height = height
    self.encoding = encoding
    self.mode = mode
  }

  var isValid: Bool { (1...Self.maximumPixels).contains(width) && (1...Self.maximumPixels).contains(height) }
}
