import CWebPage

/// The page's own files as responses, by URL path.
package enum PageFiles {
  package static let all: [String: Response] = {
    var files: [String: Response] = [:]
    var modules: [String: [UInt8]] = [:]
    for index in 0..<cwebpage_count {
      var length = 0
      guard let path = cwebpage_path(index), let bytes = cwebpage_bytes(index, &length) else { continue }
      let content = Array(UnsafeBufferPointer(start: bytes, count: length))
      if let type = cwebpage_type(index) {
        files[String(cString: path)] = Response(200, String(cString: type), content)
      } else {
        modules[String(cString: path)] = content
      }
    }
    files["/main.js"] = Response(200, "text/javascript; charset=utf-8", PageScript(modules, main: "main.js").bytes)
    return files
  }()
}
