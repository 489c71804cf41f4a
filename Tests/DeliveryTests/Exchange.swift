import Glibc

/// renameat2 with RENAME_EXCHANGE, which Swift's Glibc module hides.
enum Exchange {
  private typealias Call = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
  private static let call = unsafeBitCast(dlsym(nil, "renameat2"), to: Call?.self)

  static func swap(_ a: String, _ b: String) { _ = call?(AT_FDCWD, a, AT_FDCWD, b, 2) }
}
