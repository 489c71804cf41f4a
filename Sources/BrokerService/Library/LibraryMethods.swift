import Broker
import BrokerInterface

/// What apps can call: the whole table of photobroker.sock.
enum LibraryMethods {
  static let table = MethodTable(
    Introspection.methods + authorization + fetching + bytes + changing + adding + observing + cloud
      + PickerMethods.methods,
    interfaces: [
      (Library.interfaceName, Library.interfaceText), (Picker.interfaceName, Picker.interfaceText),
      (VarlinkService.interfaceName, VarlinkService.interfaceText),
    ])

  /// Whether a call that is about albums has to wait for its grant's album policy, which is being
  /// asked right after a start, or a change of the grant or of an album that the app sees. It is
  /// then carried out, under the right as it is by then, when the policy has answered, or has taken
  /// so long that its albums are hidden. It does not wait for a policy that has failed.
  static func waitsForAlbums(
    _ call: IncomingCall, _ admission: Admission,
    then body: @escaping (IncomingCall, Admission) throws(CallFailure) -> Void
  ) -> Bool {
    let runtime = call.core.runtime(admission.library)
    guard runtime.isAskingOfVisibleAlbums(admission.grant) else { return false }
    runtime.whenPolicyAnswered(for: admission.grant) {
      guard !call.isClosed else { return }
      call.attempt { () throws(CallFailure) in
        try body(call, decide { () throws(BrokerError) in try admission.renewed() })
      }
    }
    return true
  }
}
