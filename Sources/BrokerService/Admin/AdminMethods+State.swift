import Broker
import BrokerInterface
import BrokerStore
import UnixSocket

extension AdminMethods {
  static let state: [Method] = [Method(Admin.BackUp.name, .administration(backUp))]

  /// The state is everybody's, keys included: it goes only to whom the files themselves are open.
  private static func backUp(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let _: Admin.BackUp.Parameters = try call.parameters()
    guard session.uid == 0 || session.uid == call.core.uid else {
      throw .broker(
        BrokerError(.notPermitted, "Only root or the broker's own user may copy the state: it holds everybody's keys. Use sudo."))
    }
    guard call.core.configuration.sandbox == nil else {
      throw .broker(BrokerError(.notPermitted, "A sandbox is not copied: its keys can be foreseen, and nothing real may come of them."))
    }
    let box = Box(call)
    call.core.backUp { result in
      let call = box.value
      guard !call.isClosed else { return }
      switch result {
      case .failure(let failure): call.fail(BrokerError(failure.code == .refused ? .refused : .failed, failure.message))
      case .success(let file):
        do throws(UnixSocketError) {
          let descriptor = try FileDescriptor(result: file.duplicate(), of: "Handing over the backup")
          call.reply(Admin.BackUp.Reply(descriptor: 0, size: file.size), descriptors: SharedDescriptors(descriptor))
        } catch {
          call.fail(BrokerError(.failed, "The broker has no descriptor left; try again in a moment."))
        }
      }
    }
  }
}
