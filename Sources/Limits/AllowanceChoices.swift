/// The numbers that an owner can choose for an allowance; 0: no limit.
package enum AllowanceChoices {
  package static let photos: ClosedRange<Int64> = 0...1_000_000_000
  package static let bytes: ClosedRange<Int64> = 0...1_000_000_000_000_000
}
