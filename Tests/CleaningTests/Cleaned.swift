import Cleaning
import Testing

/// Plans and applies.
enum Cleaned {
  static func outcome(_ bytes: [UInt8], _ withheld: ErasedFacts = .location) -> CleaningOutcome {
    CleaningPlanner.outcome(of: MemorySource(bytes), withholding: withheld)
  }

  static func bytes(_ bytes: [UInt8], _ withheld: ErasedFacts = .location) throws -> [UInt8] {
    guard case .plan(let plan) = outcome(bytes, withheld) else {
      throw Failure(outcome: outcome(bytes, withheld))
    }
    return applied(plan, to: bytes)
  }

  static func applied(_ plan: CleaningPlan, to bytes: [UInt8]) -> [UInt8] {
    var copy = bytes
    plan.apply { (offset, piece) in copy.replaceSubrange(offset..<(offset + piece.count), with: piece) }
    return copy
  }

  static func count(_ text: String, in bytes: [UInt8]) -> Int {
    let wanted = Array(text.utf8)
    return bytes.indices.count { bytes[$0] == wanted.first && bytes[$0...].starts(with: wanted) }
  }

  struct Failure: Error { let outcome: CleaningOutcome }
}
