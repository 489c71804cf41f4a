import Broker
import BrokerInterface
import PhotoModel
import Varlink

/// One observer: told what changed whenever its connection has taken what it was told before, so that a slow reader holds
/// up nobody and misses no final state.
final class ObserverSession {
  private let call: IncomingCall
  private let permit: Permit
  private var observer: ChangeObserver?
  private var isScheduled = false

  static func start(since token: String?, call: IncomingCall, permit: Permit) throws(CallFailure) {
    let session = ObserverSession(call, permit)
    let (observer, first) = try decide { () throws(BrokerError) in
      // The library keeps the session alive through this closure, until it stops observing.
      try permit.library.observe(since: token, grant: permit.grant, subset: permit.subset) { session.schedule() }
    }
    session.observer = observer
    guard call.core.note(first.inserted + first.changed, "metadata", 0, permit) else {
      session.stop()
      throw .broker(.ledgerUnavailable)
    }
    call.write(under: permit, continues: true) { EventWriter(permit).write(first, to: &$0) }
    call.connection.onClose { [weak session] in session?.stop() }
  }

  private init(_ call: IncomingCall, _ permit: Permit) {
    self.call = call
    self.permit = permit
  }

  /// Several changes of one turn of the loop become one event.
  private func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    call.core.later { [self] in
      call.connection.whenDrained { [self] in tell() }
    }
  }

  private func tell() {
    isScheduled = false
    guard let observer, !call.isClosed else { return }
    guard call.core.broker.mayRelease(permit) else { return end() }
    guard let event = permit.library.next(observer) else { return }
    guard call.core.note(event.inserted + event.changed, "metadata", 0, permit) else { return end() }
    call.write(under: permit, continues: true) { EventWriter(permit).write(event, to: &$0) }
  }

  /// Access ended: the observer is told so, and no more.
  private func end() {
    stop()
    call.fail(.accessEnded)
  }

  private func stop() {
    if let observer { permit.library.stopObserving(observer) }
    observer = nil
  }
}
