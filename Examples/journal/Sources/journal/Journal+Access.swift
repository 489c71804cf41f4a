import PhotoBroker

extension Journal {
  /// Asks for access without waiting. A later run shows the answer.
  func ask() async throws {
    switch try await library.pollAuthorization(for: .readWrite) {
    case .pending: say("asked: run this again for the answer")
    case .decided(let status): say("access is \(status)")
    }
  }

  /// Describes the journal's access. No person is asked.
  func access() async throws {
    say("offered: \(try await library.libraries().joined(separator: ", "))")
    let limits = try await library.limits()
    for level in AccessLevel.allCases {
      let access = try await library.describeAccess(for: level)
      let verbs = access.verbs.isEmpty ? "nothing" : access.verbs.sorted().joined(separator: " ")
      say("\(access.library) \(access.level): \(access.status), \(access.visible) photos, may \(verbs)")
      guard access.limits == limits else { throw JournalProblem("the limits are not the broker's") }
    }
    say("pages of \(limits.pageLimit ?? 0) photos")
  }
}
