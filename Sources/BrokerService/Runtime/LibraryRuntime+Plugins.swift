import Broker
import EventLoop
import PhotoModel
import PluginKit

extension LibraryRuntime {
  /// Restarts the cloud mapping, because its plugin was replaced, installed or removed.
  func renewMapping() {
    mapping.renew()
    cloud.forget()
    let mapping = mapping
    workers.run(.read) { () -> StorageFailure? in
      do throws(StorageFailure) { try mapping.check() } catch { return error }
      return nil
    } then: { [self] failure in
      note(failure)
    }
  }

  /// Tells the owner whether the cloud mapping answers; nil: it does.
  private func note(_ failure: StorageFailure?) {
    let name = library.record.plugins.cloudMapping ?? core.factory.defaultCloudMapping
    let problem = failure.map { failure in
      Reason(
        .mappingSilent,
        "The cloud mapping \"\(name)\" does not answer, so that no app finds photos again that it knows from another machine: "
          + failure.message, ["mapping": name])
    }
    guard problem != status.silentMapping else { return }
    status.silentMapping = problem
    status.show()
  }

  /// Asks the cloud mapping for names.
  /// - Parameter completion: Gets nil if it does not answer; the log has the reason.
  func nameItems(_ items: [CloudItem], application: String, _ completion: @escaping ([String?]?) -> Void) {
    let mapping = mapping
    let completion = workers.answered { (result: Result<[String?]?, BrokerError>) in
      completion((try? result.get()) ?? nil)
    }
    workers.run(.read) { () -> Result<[String?], StorageFailure> in
      Result { () throws(StorageFailure) in try mapping.names(of: items, application: application) }
    } then: { [self] result in
      let failure: StorageFailure? = if case .failure(let failure) = result { failure } else { nil }
      note(failure)
      if let failure {
        workers.log.warning(
          "cloud identifiers cannot be mapped", ["library": "\(library.record.name)", "reason": failure.message])
      }
      completion(.success(try? result.get()))
    }
  }
}
