import Foundation
import Glibc
import Synchronization

/// A seccomp filter on one thread that makes a system call fail; it ends with the thread.
private enum Refusing {
  #if arch(x86_64)
    static let fsync: UInt32 = 74
  #else
    static let fsync: UInt32 = 82
  #endif
  private typealias Prctl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
  private static let (noNewPrivileges, setFilter, filterMode): (Int32, Int32, UInt) = (38, 22, 2)

  /// - Returns: whether the kernel took the filter.
  static func call(_ number: UInt32, with error: Int32) -> Bool {
    guard let found = dlsym(nil, "prctl") else { return false }
    let prctl = unsafeBitCast(found, to: Prctl.self)
    guard prctl(noNewPrivileges, 1, 0, 0, 0) == 0 else { return false }
    // BPF: load the call's number; skip the error for any other; return the error; allow.
    let program: [(code: UInt16, yes: UInt8, no: UInt8, value: UInt32)] = [
      (0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x0005_0000 | UInt32(bitPattern: error)),
      (0x06, 0, 0, 0x7fff_0000),
    ]
    return program.withUnsafeBytes { code in
      var header = (UInt16(program.count), code.baseAddress)
      return withUnsafeBytes(of: &header) { prctl(setFilter, filterMode, UInt(bitPattern: $0.baseAddress), 0, 0) == 0 }
    }
  }
}

struct NoFilter: Error {}

/// Runs a body whose fsync calls fail as on a full disk.
func withoutRoomToSave<R: Sendable>(_ body: @escaping @Sendable () throws -> R) throws -> R {
  let result = Mutex<Result<R, any Error>>(.failure(NoFilter()))
  let done = DispatchSemaphore(value: 0)
  return try withExtendedLifetime(result) {
    let keep: @Sendable (Result<R, any Error>) -> Void = { value in result.withLock { $0 = value } }
    Thread.detachNewThread {
      if Refusing.call(Refusing.fsync, with: ENOSPC) { keep(Result { try body() }) }
      done.signal()
    }
    done.wait()
    return try result.withLock { $0 }.get()
  }
}
