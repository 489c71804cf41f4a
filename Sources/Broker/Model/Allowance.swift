import Limits

/// The most that an app takes in an hour and in a day before its access is paused (R157).
package struct Allowance: Sendable, Equatable {
  package enum Limit: String, Sendable, CaseIterable {
    case photosPerHour, photosPerDay, bytesPerHour, bytesPerDay

    package var countsBytes: Bool { self == .bytesPerHour || self == .bytesPerDay }
    package var isHourly: Bool { self == .photosPerHour || self == .bytesPerHour }
    package var range: ClosedRange<Int64> { countsBytes ? AllowanceChoices.bytes : AllowanceChoices.photos }

    /// For people and the record of decisions, for instance `photos a day`.
    var words: String { "\(countsBytes ? "bytes" : "photos") \(isHourly ? "an hour" : "a day")" }
  }

  private var amounts: [Limit: Int64] = [:]

  package init() {}

  /// The amount of a limit; 0: no limit. Nil: nobody chose. Limited access then has the default of
  /// ``Allowances`` for photos in a day, and there is no other limit.
  package subscript(limit: Limit) -> Int64? {
    get { amounts[limit] }
    set { amounts[limit] = newValue }
  }

  /// Whether anything is counted, beside the default.
  var hasLimit: Bool { amounts.values.contains { $0 > 0 } }

  /// Sets the limits of a person's choice.
  mutating func apply(_ choice: Allowance) {
    for (limit, amount) in choice.amounts {
      // Without a choice there is no limit, except by the default.
      amounts[limit] = amount == 0 && limit != .photosPerDay ? nil : amount
    }
  }

  /// The stricter of each limit.
  func narrowed(to other: Allowance) -> Allowance {
    var result = self
    for limit in Limit.allCases where other.comparable(limit) < comparable(limit) { result[limit] = other[limit] }
    return result
  }

  /// Whether no limit is stricter than in `other`.
  func includes(_ other: Allowance) -> Bool {
    Limit.allCases.allSatisfy { comparable($0) >= other.comparable($0) }
  }

  /// The default depends on the selection, so it counts as the least that it can be.
  private func comparable(_ limit: Limit) -> (amount: Int64, isDefault: Int) {
    switch amounts[limit] {
    case 0: (.max, 0)
    case nil: limit == .photosPerDay ? (BrokerLimits.photosPerDay, 1) : (.max, 0)
    case let amount?: (amount, 0)
    }
  }
}
