import Glibc

/// The folder of this program's file, where the product's other programs lie.
package enum ProgramFolder {
  package static func path() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path = count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/usr/lib/photobroker"
  }

  /// The path of a program in this program's folder, else its name, for a search in PATH.
  package static func program(_ name: String) -> String {
    let beside = path() + "/" + name
    return access(beside, X_OK) == 0 ? beside : name
  }
}
