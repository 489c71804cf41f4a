import PhotoModel

extension Broker {
  /// Album policies that a library's rules name and its grants have, with what edits on their way
  /// to the disk will give them, and what rules are giving right now: a rule that is gone meanwhile
  /// does not name it any more, and the grant not yet.
  package func albumPolicies(in library: LibraryName) -> Set<String> {
    var found = Set(rules(in: library).compactMap(\.albumPolicy))
    found.formUnion(prompts.all.filter { $0.record.key.library == library }.compactMap(\.rule?.albumPolicy))
    for grant in grants.all where grant.record.key.library == library {
      var record = grant.settled
      let states =
        [grant.record, record]
        + grant.edits.map { edit in
          edit.change(&record)
          return record
        }
      for state in states where state.status != .notDetermined {
        found.formUnion([state.policyInForce, state.albumPolicy])
      }
    }
    return found
  }
}
