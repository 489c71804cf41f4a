import BrokerInterface
import Limits

/// The progress of a library's indexing.
enum LibraryProgress {
  static func line(_ library: Admin.LibraryInfo) -> String {
    var line = "\(library.state), \(Amount.count(library.assets, "asset"))"
    if library.state == "indexing" {
      line += ", \(library.indexed) of \(library.toIndex) files scanned"
    }
    if library.skipped > 0 { line += ", \(Amount.count(library.skipped, "file")) skipped" }
    return line
  }

  /// Follows a library until its indexing or rescan is done. The progress is one updated line on a
  /// terminal, else a line for each quarter.
  ///
  /// - Returns: the library at the end.
  /// - Throws: `failed` if its storage is offline.
  static func follow(_ name: String, _ invocation: Invocation) throws(CommandError) -> Answer<Admin.WatchLibrary.Reply>
  {
    let shows = !invocation.isJSON && !invocation.arguments.has(.quiet)
    let redraws = shows && invocation.console.canAsk
    var last: Answer<Admin.WatchLibrary.Reply>?
    var quarter: Int64 = 0
    try invocation.broker().follow(Admin.WatchLibrary.self, .init(name: name)) { answer in
      last = answer
      let library = answer.value.library
      if redraws {
        invocation.console.progress(ShownText.escaped(line(library)))
      } else if shows, library.toIndex > 0 {
        let reached = library.indexed.multipliedReportingOverflow(by: 4).partialValue / library.toIndex
        if reached > quarter { invocation.say(line(library)) }
        quarter = max(quarter, reached)
      }
      return false
    }
    if redraws { invocation.console.progress("") }
    guard let last else { throw CommandError(.badReply, "The broker sent no state of the library. Try again.") }
    let library = last.value.library
    guard library.state != "offline" else {
      throw CommandError(
        .failed, "\(name) is offline, and comes back by itself with its storage. \(library.problem ?? "")")
    }
    if shows, let problem = library.problem { invocation.say(problem) }
    return last
  }
}
