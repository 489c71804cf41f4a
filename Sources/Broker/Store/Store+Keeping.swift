extension Store {
  /// Commits with a completion that uses state of the broker's thread, on which it runs. It carries
  /// one closure and never a tuple: Swift 6.3.1 frees the parts of a tuple once too often when such
  /// a closure destructures it.
  func keep(_ changes: [StoreChange], completion: @escaping (StoreFailure?) -> Void) {
    let carried = LoopConfined(completion)
    commit(changes) { carried.value($0) }
  }
}
