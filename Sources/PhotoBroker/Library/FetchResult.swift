import BrokerInterface

/// The assets of one fetch, in order. It holds the first page and fetches the others during
/// iteration.
///
///     for try await asset in try await Asset.fetchAssets(in: library) { print(asset.filename) }
///
/// Later pages reflect later changes of the selection. An asset comes twice only if its position
/// changes during the iteration: by a move in its album, or by a change in order of modification.
public struct FetchResult: AsyncSequence, Sendable {
  /// An asset.
  public typealias Element = Asset

  /// Number of assets at the time of the fetch.
  public let count: Int
  /// Facts that these assets lack because they are withheld from this app: location, captions, files.
  /// Later brokers may name more. An asset without ``Asset/location`` may have a place if it is listed.
  public let withheld: Set<String>
  private let library: PhotoLibrary
  private let options: FetchOptions
  private let firstPage: Page

  struct Page: Sendable {
    let assets: [Asset]
    let cursor: String?
    let withheld: Set<String>

    static func fetch(_ options: FetchOptions, cursor: String?, on wire: Wire) throws -> Page {
      let reply = try wire.call(
        Library.FetchAssets.self,
        .init(
          options: options.parameters, limit: options.limit, cursor: cursor,
          captions: options.includesCaptions ? true : nil, albums: options.includesAlbums ? true : nil))
      return Page(assets: reply.assets.map(Asset.init), cursor: reply.cursor, withheld: Set(reply.withheld ?? []))
    }
  }

  init(library: PhotoLibrary, options: FetchOptions) async throws {
    self.library = library
    self.options = options
    (firstPage, count) = try await library.callWithAccess { wire in
      let page = try Page.fetch(options, cursor: nil, on: wire)
      guard page.cursor != nil else { return (page, page.assets.count) }
      return (page, Int(clamping: try wire.call(Library.CountAssets.self, .init(options: options.parameters)).count))
    }
    withheld = firstPage.withheld
  }

  /// Fetches all remaining pages.
  ///
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  public func assets() async throws -> [Asset] {
    try await reduce(into: []) { $0.append($1) }
  }

  /// The first asset, without another call.
  public var firstObject: Asset? { firstPage.assets.first }

  /// Starts an iteration at the first asset.
  public func makeAsyncIterator() -> Iterator { Iterator(library: library, options: options, page: firstPage) }

  /// An iterator that fetches one page at a time.
  public struct Iterator: AsyncIteratorProtocol {
    private let library: PhotoLibrary
    private let options: FetchOptions
    private var page: Page
    private var position = 0

    init(library: PhotoLibrary, options: FetchOptions, page: Page) {
      self.library = library
      self.options = options
      self.page = page
    }

    /// Returns the next asset; nil at the end.
    ///
    /// - Throws: ``PhotosError``, ``PhotoLibraryError``, `CancellationError`.
    public mutating func next() async throws -> Asset? {
      while position >= page.assets.count {
        guard let cursor = page.cursor else { return nil }
        try Task.checkCancellation()
        let options = options
        page = try await library.callWithAccess { try Page.fetch(options, cursor: cursor, on: $0) }
        position = 0
      }
      defer { position += 1 }
      return page.assets[position]
    }
  }
}

extension PhotoLibrary {
  /// Fetches one page of assets.
  ///
  /// - Parameter cursor: the cursor of the page before, of a fetch with the same options.
  /// - Returns: the assets, the cursor of the next page, if there is one, and the facts that are
  ///   withheld.
  /// - Throws: ``PhotosError``, ``PhotoLibraryError``.
  package func page(of options: FetchOptions, after cursor: String?) async throws -> (
    assets: [Asset], cursor: String?, withheld: Set<String>
  ) {
    let page = try await callWithAccess { try FetchResult.Page.fetch(options, cursor: cursor, on: $0) }
    return (page.assets, page.cursor, page.withheld)
  }
}
