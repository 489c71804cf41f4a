import Foundation
import PhotoBroker

@main
struct JournalProgram {
  static func main() async {
    let manifest = AppManifest(
      identifier: "io.photobroker.example.journal", name: "Journal",
      usageDescription: "The journal shows the photos that you choose, day by day.",
      addUsageDescription: "The journal saves pages that you draw as pictures.",
      preventsAutomaticLimitedAccessAlert: true)
    let tokens = TokenFile(identifier: manifest.identifier)
    let journal = Journal(
      // The library to use, if several are offered to the user.
      library: PhotoLibrary(
        manifest: manifest, tokenStore: tokens, name: ProcessInfo.processInfo.environment["PHOTOBROKER_LIBRARY"]),
      bookmark: tokens.url.deletingPathExtension().appendingPathExtension("bookmark"))
    do {
      try await run(Array(CommandLine.arguments.dropFirst()), journal)
    } catch let problem as JournalProblem {
      say(problem.text)
      exit(1)
    } catch {
      FileHandle.standardError.write(Data("journal: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ words: [String], _ journal: Journal) async throws {
    guard let command = command(words, journal) else {
      say(
        "usage: journal [list | choose | watch | show IDENTIFIER [FILE] | copy IDENTIFIER FILE |\n"
          + "       caption IDENTIFIER TEXT | picture IDENTIFIER PIXELS FILE |\n"
          + "       chapter TITLE IDENTIFIER... | retitle TITLE NEW | move TITLE IDENTIFIER [BEFORE] |\n"
          + "       tear TITLE IDENTIFIER | close TITLE | date IDENTIFIER SECONDS | bin IDENTIFIER |\n"
          + "       add FILE | add - NAME | paste TITLE FILE TEXT | missed | save FILE | open FILE | ask | access]")
      exit(words == ["--help"] ? 0 : 2)
    }
    // Adding has a permission of its own, and some commands only ask about access, so no more is
    // requested.
    if !["add", "ask", "access"].contains(words.first) { try await journal.authorize() }
    try await command()
  }

  /// The command for these words; nil if there is none.
  private static func command(_ words: [String], _ journal: Journal) -> (() async throws -> Void)? {
    switch (words.first, words.count) {
    case (nil, _), ("list", 1): { try await journal.list() }
    case ("choose", 1): { try await journal.choose() }
    case ("watch", 1): { try await journal.watch() }
    case ("show", 2...3): { try await journal.show(words[1], into: words.count == 3 ? words[2] : nil) }
    case ("copy", 3): { try await journal.copy(words[1], into: words[2]) }
    case ("caption", 3): { try await journal.caption(words[1], words[2]) }
    case ("picture", 4): Int(words[2]).map { pixels in { try await journal.picture(words[1], pixels, into: words[3]) } }
    case ("chapter", 3...): { try await journal.chapter(words[1], Array(words[2...])) }
    case ("retitle", 3): { try await journal.retitle(words[1], words[2]) }
    case ("move", 3...4): { try await journal.move(words[1], words[2], before: words.count == 4 ? words[3] : nil) }
    case ("tear", 3): { try await journal.tear(words[1], words[2]) }
    case ("close", 2): { try await journal.close(words[1]) }
    case ("date", 3): Double(words[2]).map { seconds in { try await journal.date(words[1], seconds) } }
    case ("bin", 2): { try await journal.bin(words[1]) }
    case ("ask", 1): { try await journal.ask() }
    case ("access", 1): { try await journal.access() }
    case ("add", 3) where words[1] == "-": { try await journal.addInput(as: words[2]) }
    case ("add", 2): { try await journal.add(words[1]) }
    case ("paste", 4): { try await journal.paste(words[2], into: words[1], words[3]) }
    case ("missed", 1): { try await journal.missed() }
    case ("save", 2): { try await journal.save(to: words[1]) }
    case ("open", 2): { try await journal.open(words[1]) }
    default: nil
    }
  }
}

/// Writes a line without buffering, so that a reader of the pipe sees it at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
