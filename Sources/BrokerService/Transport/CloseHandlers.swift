/// Actions for the end of a connection.
struct CloseHandlers {
  private var handlers: [UInt64: () -> Void] = [:]
  private var last: UInt64 = 0

  /// - Returns: A key to remove the handler.
  mutating func add(_ handler: @escaping () -> Void) -> UInt64 {
    last += 1
    handlers[last] = handler
    return last
  }

  mutating func remove(_ key: UInt64) { handlers[key] = nil }

  /// Forgets all of them.
  mutating func takeAll() -> [() -> Void] {
    defer { handlers = [:] }
    return Array(handlers.values)
  }
}
