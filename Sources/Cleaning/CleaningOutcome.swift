/// The planner's answer about a file.
package enum CleaningOutcome: Sendable, Equatable {
  case plan(CleaningPlan)
  case uncleanable(Uncleanable)
}
