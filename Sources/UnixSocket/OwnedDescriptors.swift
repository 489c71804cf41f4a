import Glibc

/// Several descriptors that belong together, in the order in which a message carries them; all are closed with it.
package struct OwnedDescriptors: ~Copyable, Sendable {
  /// The numbers, in order, for system calls while the owner lives.
  package private(set) var numbers: [Int32]

  /// None; allocates nothing.
  package init() { numbers = [] }

  /// One.
  package init(_ descriptor: consuming FileDescriptor) { numbers = [descriptor.release()] }

  deinit { for number in numbers { _ = Glibc.close(number) } }

  package var isEmpty: Bool { numbers.isEmpty }
  package var count: Int { numbers.count }

  /// Adds one at the end.
  package mutating func append(_ descriptor: consuming FileDescriptor) { numbers.append(descriptor.release()) }

  /// Moves all of `others` to the end.
  package mutating func append(contentsOf others: consuming OwnedDescriptors) {
    numbers.append(contentsOf: others.numbers)
    others.numbers = []
  }

  /// Takes the first one out; nil when none is left.
  package mutating func takeFirst() -> FileDescriptor? {
    numbers.isEmpty ? nil : FileDescriptor(owning: numbers.removeFirst())
  }

  /// Takes the first `count` out; fewer when fewer are left.
  package mutating func takeFirst(_ count: Int) -> OwnedDescriptors {
    var taken = OwnedDescriptors()
    taken.numbers = Array(numbers.prefix(max(count, 0)))
    numbers.removeFirst(taken.numbers.count)
    return taken
  }

  /// Takes all out.
  package mutating func takeAll() -> OwnedDescriptors {
    var taken = OwnedDescriptors()
    swap(&taken.numbers, &numbers)
    return taken
  }

  /// Closes all now.
  package mutating func closeAll() { _ = takeAll() }
}
