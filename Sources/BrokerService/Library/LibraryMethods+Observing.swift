import Broker
import BrokerInterface
import PhotoModel
import Varlink

extension LibraryMethods {
  static let observing: [Method] = [
    Method(Library.ObserveChanges.name, .granted(.observe, observeChanges), expectsMore: true),
    Method(Library.FetchPersistentChanges.name, .granted(.observe, fetchPersistentChanges)),
  ]

  private static func fetchPersistentChanges(_ call: IncomingCall, _ permit: Permit) throws(CallFailure) {
    let parameters: Library.FetchPersistentChanges.Parameters = try call.parameters()
    let event = try decide { () throws(BrokerError) in
      try permit.library.changes(since: parameters.since, grant: permit.grant, subset: permit.subset)
    }
    guard call.core.note(event.inserted + event.changed, "metadata", 0, permit) else { throw .broker(.ledgerUnavailable) }
    call.write(under: permit) { EventWriter(permit).write(event, to: &$0) }
  }

  private static func observeChanges(_ call: IncomingCall, _ permit: Permit) throws(CallFailure) {
    let parameters: Library.ObserveChanges.Parameters = try call.parameters()
    try ObserverSession.start(since: parameters.since, call: call, permit: permit)
  }
}
