/// A problem that the worker found in a file.
package enum MediaProblem: String, Sendable, Hashable, CaseIterable {
  case unreadable
  case truncated
  case tooLarge = "too-large"
  case unsupported
  case metadataDamaged = "metadata-damaged"
  case sidecarDamaged = "sidecar-damaged"
  case noEncoder = "no-encoder"

  /// For people.
  package var explanation: String {
    switch self {
    case .unreadable: "its format is unknown here, or it is too damaged to read"
    case .truncated: "the end of the file is missing"
    case .tooLarge: "it has more pixels than are decoded here, or needs more memory than a worker may use"
    case .unsupported: "its format is known, but cannot be shown"
    case .metadataDamaged: "a part of its metadata cannot be read"
    case .sidecarDamaged: "its XMP sidecar cannot be read"
    case .noEncoder: "this machine's libavcodec was built without libvpx, so videos have no thumbnails"
    }
  }
}
