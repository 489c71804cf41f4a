import BrokerInterface

/// What changes in the app's view, one ``LibraryChange`` after the other.
///
/// The first one is the state to start from: it lists what happened since the token that was given,
/// and nothing where none was given. A slow reader holds up nobody: what happens meanwhile arrives
/// as one change.
///
/// Where the app's token is taken no longer, as where its access was reset or has ended, the walk
/// asks for access once, as any call does: a person who has not decided may be asked then, without
/// anything done in the app. Leave the walk while that would come unexpectedly. While the owner has
/// paused the access it ends by throwing ``PhotosError`` `accessUserDenied`, and nothing tells that
/// access is back: walk again from the last ``LibraryChange/changeToken``, such as when the app is
/// used next.
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

  /// Observes on a connection of its own, from the first step until the iterator goes away.
  public func makeAsyncIterator() -> Iterator { Iterator(library: library, token: token, backoff: backoff) }

  /// Walks over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    private let library: PhotoLibrary
    private var token: String?
    private var backoff: Backoff
    private var line: Line?
    private var status: AuthorizationStatus?
    /// The token was too old: whatever comes first must say so.
    private var hasLostTrack = false
    /// That the broker did not take the token, since it answered last; a new one is fetched once.
    private var refusal: PhotoLibraryError?
    private var hasRenewed = false
    private var isOver = false

    init(library: PhotoLibrary, token: String?, backoff: Backoff) {
      self.library = library
      self.token = token
      self.backoff = backoff
    }

    /// Waits for the next change; nil when the broker has no more to say.
    ///
    /// - Throws: ``PhotosError`` `accessUserDenied` or `accessRestricted` when access ends;
    ///   ``PhotoLibraryError``, among them `brokerUnavailable` where the first connection fails;
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

    /// One answer of the broker; nil where it says nothing new.
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
        let parameters = Library.ObserveChanges.Parameters(since: token)
        try await observing.performUntilCancelled { try $0.follow(Library.ObserveChanges.self, parameters) }
        line = observing
      }
      let (reply, continues) = try await observing.performUntilCancelled { try $0.receive(Library.ObserveChanges.self) }
      backoff.reset()
      (refusal, hasRenewed) = (nil, false)
      if !continues { isOver = true }
      let change = LibraryChange(reply.event, resynchronizing: reply.event.resynchronize || hasLostTrack)
      defer { (token, status, hasLostTrack) = (change.changeToken, change.status, false) }
      return change.isNews(after: status) ? change : nil
    }

    /// Whether the broker is only away: it was there before, or the connection ended under a call.
    private func mayComeBack(_ error: PhotoLibraryError) -> Bool {
      error.code == .connectionLost || (error.code == .brokerUnavailable && status != nil)
    }
  }
}
