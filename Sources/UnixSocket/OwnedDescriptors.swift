import Glibc

/// An ordered set of descriptors, such as those of one message, all closed together.
package struct OwnedDescriptors: ~Copyable, Sendable {
  /// The numbers in order, for system calls during the owner's life.
  package private(set) var numbers: [Int32]

  /// Creates an empty set, without allocation.
  package init() { numbers = [] }

  package init(_ descriptor: consuming FileDescriptor) { numbers = [descriptor.release()] }

  deinit { for number in numbers { _ = Glibc.close(number) } }

  package var isEmpty: Bool { numbers.isEmpty }
  package var count: Int { numbers.count }

  package mutating func append(_ descriptor: consuming FileDescriptor) { numbers.append(descriptor.release()) }

  package mutating func append(contentsOf others: consuming OwnedDescriptors) {
    numbers.append(contentsOf: others.numbers)
    others.numbers = []
  }

  /// Takes out the first descriptor; nil if there is none.
  package mutating func takeFirst() -> FileDescriptor? {
    numbers.isEmpty ? nil : FileDescriptor(owning: numbers.removeFirst())
  }

  /// Takes out the first `count` descriptors, or all if there are fewer.
  package mutating func takeFirst(_ count: Int) -> OwnedDescriptors {
    var taken = OwnedDescriptors()
    taken.numbers = Array(numbers.prefix(max(count, 0)))
    numbers.removeFirst(taken.numbers.count)
    return taken
  }

  package mutating func takeAll() -> OwnedDescriptors {
    var taken = OwnedDescriptors()
    swap(&taken.numbers, &numbers)
    return taken
  }
}
