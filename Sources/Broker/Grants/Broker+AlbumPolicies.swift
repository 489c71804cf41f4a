import PhotoModel

extension Broker {
  /// Names of the album policies in use by a library's rules and grants, and by edits that are not
  /// stored yet. Rules that are answering a prompt count too: a rule may be removed before its
  /// grant has the policy.
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
