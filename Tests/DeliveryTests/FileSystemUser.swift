import Glibc

/// Runs a body with another user's file system identity on this thread, so that its files belong to
/// that user.
enum FileSystemUser {
  private typealias Call = @convention(c) (UInt32) -> Int32
  // Swift's Glibc module hides setfsuid.
  private static let set = unsafeBitCast(dlsym(nil, "setfsuid"), to: Call?.self)

  static func run<R>(as uid: UInt32, _ body: () throws -> R) rethrows -> R {
    guard geteuid() == 0 else { return try body() }
    _ = set?(uid)
    defer { _ = set?(0) }
    return try body()
  }
}
