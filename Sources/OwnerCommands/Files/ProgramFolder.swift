import Glibc

/// The folder of this program and its sister programs.
enum ProgramFolder {
  static func path() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path = count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/usr/bin"
  }
}
