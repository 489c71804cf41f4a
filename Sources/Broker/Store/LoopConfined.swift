/// Passes values of the broker's thread through a `@Sendable` completion that runs on the same
/// thread.
package final class LoopConfined<Value>: @unchecked Sendable {
  package let value: Value
  package init(_ value: Value) { self.value = value }
}

/// A completion that another thread passes back to the broker's. It carries one closure and never a
/// tuple: Swift 6.3.1 frees the parts of a tuple once too often when such a closure destructures it.
package func confined<Value>(_ completion: @escaping (Value) -> Void) -> @Sendable (Value) -> Void {
  let carried = LoopConfined(completion)
  return { carried.value($0) }
}
