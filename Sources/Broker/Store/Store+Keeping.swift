extension Store {
  /// As `commit`, for completions that use what belongs to the broker's one thread, on which they
  /// run. One closure is carried and never a tuple of values: Swift 6.3.1 frees the parts of a
  /// tuple once too often when such a closure takes it apart.
  func keep(_ changes: [StoreChange], completion: @escaping (StoreFailure?) -> Void) {
    let carried = Confined(completion)
    commit(changes) { carried.value($0) }
  }
}
