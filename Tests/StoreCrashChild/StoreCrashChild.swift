import Broker
import BrokerStore
import CFaultLayer
import Glibc
import StoreScript

/// Writes a script's commits to a store and dies at the chosen system call that changes a file.
///
/// Prints the number of each acknowledged commit on a line, and at the end `calls N`.
///
/// Arguments: folder, kind of fault (a number of `cfault_kind`), number of the call, number
/// of commits.
@main
struct StoreCrashChild {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let kind = UInt32(arguments[2]), let call = Int64(arguments[3]),
      let count = Int(arguments[4]),
      let fault = cfault_register("fault")
    else { exit(2) }
    cfault_arm(fault, cfault_kind(kind), call)
    var options = StoreOptions()
    options.fileSystem = "fault"
    options.checkpointFrames = 24
    options.reserveBytes = 64 << 10
    do {
      let (store, _) = try SQLiteStore.open(directory: arguments[1], options: options) { $0() }
      run(store, Script.commits(count))
      store.close()
    } catch {
      say("error \(error)")
      exit(3)
    }
    say("calls \(cfault_count(fault))")
  }

  /// Commits one to three at a time, so that some groups have several.
  private static func run(_ store: SQLiteStore, _ commits: [[StoreChange]]) {
    var index = 0
    while index < commits.count {
      let end = min(commits.count, index + 1 + index % 3)
      let last = end - 1
      let isDone = Flag()
      for number in index..<end {
        // Lost or delivered, the ledger must stay consistent.
        _ = store.record(Samples.entry(UInt64(number)), in: Samples.name(1))
        store.commit(commits[number]) { failure in
          say(failure == nil ? "\(number)" : "refused \(number)")
          if number == last { isDone.raise() }
        }
      }
      isDone.wait()
      index = end
      // Saves the catalogue now and then; the next change of an asset makes it invalid.
      if index % 2 == 0 { keepCatalogue(store, after: commits[..<index]) }
    }
  }

  private static func keepCatalogue(_ store: SQLiteStore, after commits: ArraySlice<[StoreChange]>) {
    let model = ModelStore()
    for changes in commits { model.apply(changes) }
    guard let kept = store.write(model.catalogue(of: Samples.name(1))) else { return say("no room for a catalogue") }
    let isDone = Flag()
    store.commit([.keepCatalogue(Samples.name(1), kept)]) { failure in
      if failure != nil { say("a catalogue was refused") }
      isDone.raise()
    }
    isDone.wait()
  }

  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }
}
