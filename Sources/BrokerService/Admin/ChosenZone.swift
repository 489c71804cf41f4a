import Broker
import EventLoop
import Indexer
import PhotoModel

struct ChosenZone: Sendable {
  var setup: LibrarySetup.Zone
  var rules: ZoneRules

  /// Finds the zone of a name. If the broker does not know the name, the offset is used; without an
  /// offset the call is refused.
  /// - Parameter completion: Gets nil if neither is given.
  static func find(
    _ name: String?, offsetMinutes: Int64?, at now: Timestamp, on loop: EventLoop,
    _ completion: @escaping (Result<ChosenZone?, CallFailure>) -> Void
  ) {
    var fixed: ChosenZone?
    if let offsetMinutes {
      let minutes = Int32(clamping: offsetMinutes)
      fixed = ChosenZone(setup: LibrarySetup.Zone(name: nil, offsetMinutes: minutes), rules: .fixed(minutes: minutes))
    }
    guard let name else { return completion(.success(fixed)) }
    let known = fixed
    loop.blocking({ () throws(StorageFailure) -> ZoneRules? in ZoneFile.rules(name) }) { result in
      switch result {
      case .failure(let failure): completion(.failure(.failed(failure.message)))
      case .success(let rules?):
        let setup = LibrarySetup.Zone(name: name, offsetMinutes: rules.offsetMinutes(at: now.microseconds / 1_000_000))
        completion(.success(ChosenZone(setup: setup, rules: rules)))
      case .success(nil):
        guard known == nil else { return completion(.success(known)) }
        completion(
          .failure(
            .refused(
              "The broker's machine knows no such time zone; give one of its /usr/share/zoneinfo, or an offset from "
                + "UTC.")))
      }
    }
  }
}
