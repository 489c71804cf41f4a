/// The types that can have a declared range: a number, or an optional or array of numbers.
public protocol VarlinkNumbers: VarlinkDecodable {
  associatedtype Number: Comparable

  /// - Throws: `numberOutOfRange` for a number outside `range`.
  func check(_ range: ClosedRange<Number>) throws(VarlinkError)
}

extension Int64: VarlinkNumbers {
  @inlinable
  public func check(_ range: ClosedRange<Int64>) throws(VarlinkError) {
    if !range.contains(self) { throw .outside(range) }
  }
}

extension Double: VarlinkNumbers {
  @inlinable
  public func check(_ range: ClosedRange<Double>) throws(VarlinkError) {
    if !range.contains(self) { throw .outside(range) }
  }
}

extension Optional: VarlinkNumbers where Wrapped: VarlinkNumbers {
  @inlinable
  public func check(_ range: ClosedRange<Wrapped.Number>) throws(VarlinkError) {
    if let self { try self.check(range) }
  }
}

extension Array: VarlinkNumbers where Element: VarlinkNumbers {
  public func check(_ range: ClosedRange<Element.Number>) throws(VarlinkError) {
    for (index, element) in enumerated() {
      do { try element.check(range) } catch { throw error.inside(element: index) }
    }
  }
}
