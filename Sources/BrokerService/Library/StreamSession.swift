import Broker
import BrokerInterface
import Catalogue
import Delivery
import EventLoop
import Monitor
import UnixSocket
import Varlink

/// One resource on its way through a small pipe. The session ends after the last byte, when the app
/// closes the pipe or its connection, and at once when the permit ends.
final class StreamSession: Subscription {
  private static let progressInterval = Duration.milliseconds(100)

  private var authorized: AuthorizedCall
  private let picked: PickedResource
  private let asset: AssetNumber
  private let stream: PipeStream
  private let call: IncomingCall
  private let size: Int64
  /// The buffered piece of a file that is too large to be copied; nil for others.
  private let piece: StreamPiece?
  private var source: SourceID?
  private var lastProgress = MonotonicTime.now
  private var isOver = false
  private var closing: UInt64?

  static func start(
    _ source: @escaping PipeStream.Source, size: Int64, of picked: PickedResource, asset: AssetNumber,
    call: IncomingCall,
    authorized: AuthorizedCall, piece: StreamPiece? = nil
  ) throws(CallFailure) {
    try call.core.open.begin(authorized.app)
    do throws(DeliveryError) {
      try PipeStream.open(total: size, source: source) { stream, reader in
        let session = StreamSession(
          stream, of: picked, asset: asset, size: size, call: call, authorized: authorized, piece: piece)
        call.core.open[call.connection] = session
        call.reply(
          Library.StreamResource.Reply(descriptor: 0, sent: 0, size: size, isComplete: false), under: authorized.permit,
          continues: true, descriptors: SharedDescriptors(reader))
        session.closing = call.connection.onClose { [weak session] in session?.stop() }
        session.watch()
      }
    } catch {
      call.core.open.end(authorized.app)
      throw .broker(BrokerError(delivery: error))
    }
  }

  private init(
    _ stream: PipeStream, of picked: PickedResource, asset: AssetNumber, size: Int64, call: IncomingCall,
    authorized: AuthorizedCall,
    piece: StreamPiece?
  ) {
    self.piece = piece
    self.picked = picked
    self.asset = asset
    self.stream = stream
    self.size = size
    self.call = call
    self.authorized = authorized
  }

  private func watch() {
    guard !isOver else { return }
    do {
      source = try call.core.loop.register(stream.writerNumber, for: .write) { [weak self] _ in self?.pump() }
    } catch {
      end(.photos(.internalError, "The broker could not watch the pipe; try again in a moment."))
    }
  }

  private func pump() {
    guard call.core.broker.mayRelease(authorized.permit), picked.isShown(in: authorized.library) else {
      return end(.accessEnded)
    }
    // The source is unregistered before a step that may close the pipe, because its number can be
    // reused by another file.
    switch stream.pump() {
    case .blocked, .yielded: tellProgress()
    case .starved(let offset): fetch(from: offset)
    case .finished:
      finish()
      call.reply(
        Library.StreamResource.Reply(sent: stream.departed, size: size, isComplete: true), under: authorized.permit)
    case .stopped: break
    case .failed:
      end(.photos(.operationInterrupted, "The pipe was closed before all bytes were sent; ask for the resource again."))
    }
  }

  /// Reads the next piece of a file that is too large to be copied. The stream pauses meanwhile.
  private func fetch(from offset: Int64) {
    if let source { call.core.loop.deregister(source) }
    source = nil
    tellProgress()
    let (bytes, reader) = (call.core.runtimes[authorized.library].bytes, ByteRecipient(call, authorized.permit))
    bytes.piece(of: picked.resource, asset: asset, for: reader, offset: offset, length: StreamPiece.bytes) {
      [self] result in
      guard !isOver else { return }
      switch result {
      case .failure(let error): end(error)
      case .success(let next):
        piece?.put(next.bytes, from: offset)
        watch()
      }
    }
  }

  private func tellProgress() {
    let now = MonotonicTime.now
    guard lastProgress.advanced(by: Self.progressInterval) < now, call.connection.outbox.isEmpty else { return }
    lastProgress = now
    call.reply(
      Library.StreamResource.Reply(sent: stream.departed, size: size, isComplete: false), under: authorized.permit,
      continues: true)
  }

  var permit: Permit { authorized.permit }

  /// Whether the present grant still shows the asset and this file. If so, the stream continues
  /// under it.
  func survives() -> Bool {
    guard let now = try? authorized.renewed(), now.permit.withheld.isSubset(of: authorized.permit.withheld),
      let position = now.library.catalogue.position(of: asset),
      now.library.catalogue.isVisible(position, in: now.view), picked.isShown(in: now.library)
    else { return false }
    authorized = now
    return true
  }

  /// Ends the stream with its permit. Bytes that are still in the pipe are taken back.
  func revoke() { end(.accessEnded) }

  private func end(_ error: BrokerError) {
    guard !isOver else { return }
    stop()
    call.fail(error)
  }

  private func stop() {
    guard !isOver else { return }
    finish()
    stream.stop()
  }

  private func finish() {
    isOver = true
    call.connection.forgetClose(closing)
    call.core.open.end(authorized.app)
    if let source { call.core.loop.deregister(source) }
    source = nil
    call.core.open[call.connection] = nil
  }
}
