import BrokerInterface
import Varlink

/// A method with a paged reply; a page fits one message.
protocol ListMethod: VarlinkMethod {
  associatedtype Item
  static var items: WritableKeyPath<Reply, [Item]> { get }
  /// The next page's cursor; nil on the last page.
  static var next: WritableKeyPath<Reply, String?> { get }
  static var cursor: WritableKeyPath<Parameters, String?> { get }
}

extension Admin.ListLibraries: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.LibraryInfo]> { \.libraries }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension Admin.ListSkippedFiles: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.SkippedFile]> { \.files }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension Admin.ListOffers: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.LibraryOffer]> { \.offers }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension Admin.ListApps: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.AppInfo]> { \.apps }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension Admin.ListGrants: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.GrantInfo]> { \.grants }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension Admin.ListTokens: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.TokenInfo]> { \.tokens }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension Admin.ListPrompts: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.PromptInfo]> { \.prompts }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension Admin.ListPickers: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.PickerInfo]> { \.pickers }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension Admin.ListDeletions: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.DeletionInfo]> { \.deletions }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension Admin.ListRules: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.Rule]> { \.rules }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension Admin.ListPickerApps: ListMethod {
  static var items: WritableKeyPath<Reply, [Admin.PickerApp]> { \.apps }
  static var next: WritableKeyPath<Reply, String?> { \.cursor }
  static var cursor: WritableKeyPath<Parameters, String?> { \.cursor }
}

extension BrokerClient {
  /// Calls a paged method until its last page, and joins the pages.
  ///
  /// - Throws: as `call`.
  func callForAll<Method: ListMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters
  ) throws(CommandError) -> Answer<Method.Reply> {
    try completed(try call(method, parameters), method, parameters)
  }

  /// As `follow`, with the complete list in each reply.
  func followAll<Method: ListMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters,
    until isDone: (Answer<Method.Reply>) throws(CommandError) -> Bool
  ) throws(CommandError) {
    try follow(method, parameters) { answer throws(CommandError) in
      guard answer.value[keyPath: Method.next] != nil else { return try isDone(answer) }
      // This connection's stream is still open, so the further pages need a connection of their
      // own.
      return try isDone(try BrokerClient(path: path).completed(answer, method, parameters))
    }
  }

  private func completed<Method: ListMethod>(
    _ first: Answer<Method.Reply>, _ method: Method.Type, _ parameters: Method.Parameters
  ) throws(CommandError) -> Answer<Method.Reply> {
    guard first.value[keyPath: Method.next] != nil else { return first }
    var (whole, parameters) = (first.value, parameters)
    while let next = whole[keyPath: Method.next] {
      parameters[keyPath: Method.cursor] = next
      let page = try call(method, parameters).value
      whole[keyPath: Method.items] += page[keyPath: Method.items]
      whole[keyPath: Method.next] = page[keyPath: Method.next]
    }
    var writer = JSONWriter()
    whole.encode(to: &writer)
    return Answer(value: whole, json: writer.bytes)
  }
}
