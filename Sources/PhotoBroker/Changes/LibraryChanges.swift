import BrokerInterface

/// The changes of the app's view, as a sequence of ``LibraryChange``.
///
/// The first element is the starting point: it lists the changes since the given token, or none if
/// no token was given. A slow reader delays nobody: changes during its delay arrive as one element.
///
/// If the broker refuses the app's token, because access was reset or has ended, the iterator
/// requests access once, like every call. An undecided person may then see a prompt, without any
/// action in the app. Stop iterating while such a prompt would be a surprise.
///
/// The iteration outlives a pause or an end of the app's access. One element tells of it:
/// ``LibraryChange/hasAccess`` is then false. The next one tells that access is back.
public struct LibraryChanges: AsyncSequence, Sendable {
  /// A change.
  public typealias Element = LibraryChange

  private let library: PhotoLibrary
  private let token: String?
  private let backoff: Backoff

  init(library: PhotoLibrary, since token: String?, backoff: Backoff) {
    self.library = library
    self.token = token
    self.backoff = backoff
  }

  /// Starts observing, on a connection that lasts from the first step until the iterator goes away.
  public func makeAsyncIterator() -> Iterator { Iterator(library: library, token: token, backoff: backoff) }

  /// An iterator over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    private let library: PhotoLibrary
    private var token: String?
    private var backoff: Backoff
    private var line: Line?
    private var status: AuthorizationStatus?
    private var isAway = false
    /// The token was too old, so the next change must ask for a resynchronization.
    private var hasLostTrack = false
    /// The refusal of the token since the last reply. A new token is fetched once.
    private var refusal: PhotoLibraryError?
    private var hasRenewed = false
    private var isOver = false

    init(library: PhotoLibrary, token: String?, backoff: Backoff) {
      self.library = library
      self.token = token
      self.backoff = backoff
    }

    /// Waits for the next change; nil when the broker ends the sequence.
    ///
    /// - Throws: ``PhotosError`` `accessUserDenied` or `accessRestricted` without access at the first
    ///   step, or after a restart of the broker;
    ///   ``PhotoLibraryError``, for instance `brokerUnavailable` if the first connection fails;
    ///   `CancellationError`.
    public mutating func next() async throws -> LibraryChange? {
      while !isOver {
        do {
          guard let change = try await step() else { continue }
          return change
        } catch let error as PhotosError where error.code == .persistentChangeTokenExpired && token != nil {
          (token, line, hasLostTrack) = (nil, nil, true)
        } catch let error as PhotoLibraryError where mayComeBack(error) {
          line = nil
          try await Task.sleep(for: backoff.delay())
        } catch let error as PhotoLibraryError where error.isOfToken && refusal == nil {
          (line, refusal) = (nil, error)
        } catch {
          line = nil
          isOver = true
          throw error
        }
      }
      return nil
    }

    private mutating func step() async throws -> LibraryChange? {
      let observing: Line
      if let line {
        observing = line
      } else {
        if let refusal, !hasRenewed {
          guard try await library.renewAccess(for: .readWrite) else { throw refusal }
          hasRenewed = true
        } else {
          try await library.requestAccess(for: .readWrite)
        }
        observing = library.makeLine(for: .readWrite)
        let parameters = Library.ObserveChanges.Parameters(since: token, outlivesAccess: true)
        try await observing.performUntilCancelled { try $0.follow(Library.ObserveChanges.self, parameters) }
        line = observing
      }
      let (reply, continues) = try await observing.performUntilCancelled { try $0.receive(Library.ObserveChanges.self) }
      backoff.reset()
      (refusal, hasRenewed) = (nil, false)
      if !continues { isOver = true }
      let change = LibraryChange(reply.event, resynchronizing: reply.event.resynchronize || hasLostTrack)
      defer {
        (token, status, hasLostTrack, isAway) = (change.changeToken, change.status, false, !change.hasAccess)
      }
      return change.isNews(after: status) || change.hasAccess == isAway ? change : nil
    }

    /// Whether the broker may be restarting: it answered before, or the connection ended during a
    /// call.
    private func mayComeBack(_ error: PhotoLibraryError) -> Bool {
      error.code == .connectionLost || (error.code == .brokerUnavailable && status != nil)
    }
  }
}
