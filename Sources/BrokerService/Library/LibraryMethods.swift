import Broker
import BrokerInterface

/// The methods of the apps' socket, `photobroker.sock`.
enum LibraryMethods {
  static let table = MethodTable(
    Introspection.methods + authorization + fetching + bytes + changing + adding + observing + cloud
      + PickerMethods.methods,
    interfaces: [
      (Library.interfaceName, Library.interfaceText), (Picker.interfaceName, Picker.interfaceText),
      (VarlinkService.interfaceName, VarlinkService.interfaceText),
    ])

  /// Whether a call about albums must wait for its grant's album policy. A policy is asked after a
  /// start, and after a change of the grant or of a visible album.
  ///
  /// `body` runs with a renewed admission once the policy has answered or timed out. Calls do not
  /// wait for a policy that failed.
  static func waitsForAlbums(
    _ call: IncomingCall, _ admission: Admission,
    then body: @escaping (IncomingCall, Admission) throws(CallFailure) -> Void
  ) -> Bool {
    let policies = call.core.runtime(admission.library).policies
    guard policies.isAskingOfVisibleAlbums(admission.grant) else { return false }
    policies.whenPolicyAnswered(for: admission.grant) {
      guard !call.isClosed else { return }
      call.attempt { () throws(CallFailure) in
        try body(call, decide(admission.renewed()))
      }
    }
    return true
  }
}
