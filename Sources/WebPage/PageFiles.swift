import CWebPage

/// The page's own files as responses, by URL path.
package enum PageFiles {
  package static let all: [String: Response] = {
    var files: [String: Response] = [:]
    for index in 0..<cwebpage_count {
      var length = 0
      guard let path = cwebpage_path(index), let type = cwebpage_type(index), let bytes = cwebpage_bytes(index, &length)
      else { continue }
      files[String(cString: path)] = Response(
        200, String(cString: type), Array(UnsafeBufferPointer(start: bytes, count: length)))
    }
    return files
  }()
}
