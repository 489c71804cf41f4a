import Varlink

extension BrokerClient {
  /// Calls a paged method until its last page, and joins the pages.
  ///
  /// - Throws: as `call`.
  func callForAll<Method: PagedMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters
  ) throws(CommandError) -> Answer<Method.Reply> {
    try completed(try call(method, parameters), method, parameters)
  }

  /// As `follow`, with the complete list in each reply.
  func followAll<Method: PagedMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters,
    until isDone: (Answer<Method.Reply>) throws(CommandError) -> Bool
  ) throws(CommandError) {
    try follow(method, parameters) { answer throws(CommandError) in
      guard answer.value[keyPath: Method.pages.next] != nil else { return try isDone(answer) }
      // This connection's stream is still open, so the further pages need a connection of their
      // own.
      return try isDone(try BrokerClient(path: path).completed(answer, method, parameters))
    }
  }

  private func completed<Method: PagedMethod>(
    _ first: Answer<Method.Reply>, _ method: Method.Type, _ parameters: Method.Parameters
  ) throws(CommandError) -> Answer<Method.Reply> {
    let pages = Method.pages
    guard first.value[keyPath: pages.next] != nil else { return first }
    var (whole, parameters) = (first.value, parameters)
    while let next = whole[keyPath: pages.next] {
      parameters[keyPath: pages.cursor] = next
      let page = try call(method, parameters).value
      whole[keyPath: pages.items] += page[keyPath: pages.items]
      whole[keyPath: pages.next] = page[keyPath: pages.next]
    }
    return Answer(value: whole, json: whole.jsonBytes)
  }
}
