import EventLoop

/// A socket's registration with the loop.
struct SocketWatch {
  private var source: SourceID?
  private var interest: Interest = [.read]
  /// The readiness since the connection's latest turn.
  var readiness: Readiness = []

  mutating func begin(_ number: Int32, on loop: EventLoop, _ handler: @escaping (Readiness) -> Void)
    throws(EventLoopError)
  {
    source = try loop.register(number, for: interest, handler: handler)
  }

  mutating func update(_ wanted: Interest, on loop: EventLoop) throws(EventLoopError) {
    guard let source, wanted != interest else { return }
    interest = wanted
    try loop.update(source, for: wanted)
  }

  mutating func end(on loop: EventLoop) {
    if let source = source.take() { loop.deregister(source) }
  }
}
