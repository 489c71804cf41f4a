/// The users whose offers each user declines.
struct Declines {
  private var owners: [UInt32: Set<UInt32>] = [:]
  /// Queue of answers to offers; one answer of each user runs at a time.
  let turns = FairQueue(limitPerUser: 1)

  init(_ settings: [String: String]) {
    for (name, value) in settings where name.hasPrefix(SettingName.declines) {
      guard let user = UInt32(name.dropFirst(SettingName.declines.count)) else { continue }
      self[user] = Set(value.split(separator: ",").compactMap { UInt32($0) })
    }
  }

  subscript(user: UInt32) -> Set<UInt32> {
    get { owners[user] ?? [] }
    set { owners[user] = newValue.isEmpty ? nil : newValue }
  }

  static func setting(_ owners: Set<UInt32>, of user: UInt32) -> StoreChange {
    .putSetting(
      name: SettingName.declines + String(user), value: owners.sorted().map(String.init).joined(separator: ","))
  }
}
