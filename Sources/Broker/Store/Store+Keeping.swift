extension Store {
  /// As `commit`, for completions that use what belongs to the broker's one thread, on which they run.
  func keep(_ changes: [StoreChange], completion: @escaping (StoreFailure?) -> Void) {
    let carried = Confined(completion)
    commit(changes) { carried.value($0) }
  }
}
