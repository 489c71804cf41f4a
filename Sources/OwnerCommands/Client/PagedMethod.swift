import BrokerInterface
import Varlink

/// A method whose list of items comes in pages; a page fits one message.
protocol PagedMethod: VarlinkMethod {
  associatedtype Item
  static var pages: Pages<Self, Item> { get }
}

/// The fields of a paged method.
struct Pages<Method: VarlinkMethod, Item> {
  let items: WritableKeyPath<Method.Reply, [Item]>
  /// The next page's cursor; nil on the last page.
  let next: WritableKeyPath<Method.Reply, String?>
  /// The cursor of the wanted page; nil for the first.
  let cursor: WritableKeyPath<Method.Parameters, String?>

  init(
    _ items: WritableKeyPath<Method.Reply, [Item]>, _ next: WritableKeyPath<Method.Reply, String?>,
    _ cursor: WritableKeyPath<Method.Parameters, String?>
  ) {
    (self.items, self.next, self.cursor) = (items, next, cursor)
  }
}

extension Admin.ListLibraries: PagedMethod {
  static var pages: Pages<Self, Admin.LibraryInfo> { .init(\.libraries, \.cursor, \.cursor) }
}

extension Admin.ListSkippedFiles: PagedMethod {
  static var pages: Pages<Self, Admin.SkippedFile> { .init(\.files, \.cursor, \.cursor) }
}

extension Admin.ListOffers: PagedMethod {
  static var pages: Pages<Self, Admin.LibraryOffer> { .init(\.offers, \.cursor, \.cursor) }
}

extension Admin.ListApps: PagedMethod {
  static var pages: Pages<Self, Admin.AppInfo> { .init(\.apps, \.cursor, \.cursor) }
}

extension Admin.ListGrants: PagedMethod {
  static var pages: Pages<Self, Admin.GrantInfo> { .init(\.grants, \.cursor, \.cursor) }
}

extension Admin.ListTokens: PagedMethod {
  static var pages: Pages<Self, Admin.TokenInfo> { .init(\.tokens, \.cursor, \.cursor) }
}

extension Admin.ListPrompts: PagedMethod {
  static var pages: Pages<Self, Admin.PromptInfo> { .init(\.prompts, \.cursor, \.cursor) }
}

extension Admin.ListPickers: PagedMethod {
  static var pages: Pages<Self, Admin.PickerInfo> { .init(\.pickers, \.cursor, \.cursor) }
}

extension Admin.ListDeletions: PagedMethod {
  static var pages: Pages<Self, Admin.DeletionInfo> { .init(\.deletions, \.cursor, \.cursor) }
}

extension Admin.ListRules: PagedMethod {
  static var pages: Pages<Self, Admin.Rule> { .init(\.rules, \.cursor, \.cursor) }
}

extension Admin.ListPickerApps: PagedMethod {
  static var pages: Pages<Self, Admin.PickerApp> { .init(\.apps, \.cursor, \.cursor) }
}

extension Admin.ListOwnedAlbums: PagedMethod {
  static var pages: Pages<Self, Admin.OwnedAlbum> { .init(\.albums, \.cursor, \.cursor) }
}

extension Admin.ListDecisions: PagedMethod {
  static var pages: Pages<Self, Admin.DecisionInfo> { .init(\.decisions, \.cursor, \.cursor) }
}
