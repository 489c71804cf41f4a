/// A value before and after a decision.
package struct ValueChange<Value: Sendable & Equatable>: Sendable, Equatable {
  package var before: Value
  package var after: Value

  package init(_ before: Value, _ after: Value) { (self.before, self.after) = (before, after) }
}

/// An object whose fields decisions set.
protocol DecidedObject: Sendable, Equatable {
  static var fields: [DecidedField<Self>] { get }
}

/// One field of an object, merged three-way: before and after a decision, and now.
struct DecidedField<Object: Sendable & Equatable> {
  /// Whether both changes set the field.
  let isSet: (ValueChange<Object>, ValueChange<Object>) -> Bool
  /// Whether the decision set the field and its value has changed since.
  let isMoved: (ValueChange<Object>, Object) -> Bool
  /// Restores the value from before the decision, if the decision set the field.
  let setBack: (ValueChange<Object>, inout Object) -> Void
  /// The reason why a moved field prevents an undo, from the object as it is now.
  let reason: (Object) -> Reason

  init<Value: Equatable>(
    _ field: WritableKeyPath<Object, Value>, isSame: @escaping (Value, Value) -> Bool = (==),
    _ reason: @escaping (Object) -> Reason
  ) {
    func isChanged(_ change: ValueChange<Object>) -> Bool {
      !isSame(change.before[keyPath: field], change.after[keyPath: field])
    }
    isSet = { isChanged($0) && isChanged($1) }
    isMoved = { isChanged($0) && !isSame($0.after[keyPath: field], $1[keyPath: field]) }
    setBack = { if isChanged($0) { $1[keyPath: field] = $0.before[keyPath: field] } }
    self.reason = reason
  }

  /// A set of users, each of whom counts as a field.
  init(users field: WritableKeyPath<Object, Set<UInt32>>, _ reason: @escaping (Object) -> Reason) {
    func moves(_ change: ValueChange<Object>) -> (added: Set<UInt32>, removed: Set<UInt32>) {
      let (before, after) = (change.before[keyPath: field], change.after[keyPath: field])
      return (after.subtracting(before), before.subtracting(after))
    }
    isSet = { !moves($0).added.union(moves($0).removed).isDisjoint(with: moves($1).added.union(moves($1).removed)) }
    isMoved = { change, now in
      !now[keyPath: field].isSuperset(of: moves(change).added)
        || !now[keyPath: field].isDisjoint(with: moves(change).removed)
    }
    setBack = { $1[keyPath: field] = $1[keyPath: field].subtracting(moves($0).added).union(moves($0).removed) }
    self.reason = reason
  }
}

extension ValueChange where Value: DecidedObject {
  func overlaps(_ other: Self) -> Bool { Value.fields.contains { $0.isSet(self, other) } }

  /// The reasons against an undo: one for each field that changed again after the decision.
  /// - Parameter shown: the present object in the reasons' words.
  func moved(_ now: Value, as shown: Value? = nil) -> [Reason] {
    Value.fields.filter { $0.isMoved(self, now) }.map { $0.reason(shown ?? now) }
  }

  /// The present object with this change undone and later changes kept.
  func setBack(_ now: Value) -> Value { Value.fields.reduce(into: now) { $1.setBack(self, &$0) } }
}

extension Set<UInt32>: DecidedObject {
  static var fields: [DecidedField<Self>] {
    [DecidedField(users: \.self) { _ in Reason(.administratorsMoved, "other administrators were named") }]
  }
}
