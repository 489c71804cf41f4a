extension ServiceLimits {
  /// Files that may be open beside what connections take: the state, libraries, plugins, copies
  /// that apps are handed, and what is kept for the starts of processes.
  package static let otherFiles = 432

  /// Libraries of all users that there may be in any case.
  package static let leastLibraries = 8
  /// The same of photos.
  package static let leastPhotos = 100_000

  /// Libraries of all users that there may be where so many files may be open and so many bytes of
  /// memory are there; nil: nobody says.
  package static func libraries(openFiles: Int, memory: Int?) -> Int {
    let byMemory = memory.map { $0 / libraryMemoryShare / libraryMemoryBytes } ?? .max
    return max(leastLibraries, min(openFiles / libraryFileShare / filesPerLibrary, byMemory))
  }

  /// Descriptors that apps and owners sent, and those that own no library, until they are closed.
  package static func descriptorsSent(openFiles: Int) -> (byKnown: Int, byStrangers: Int) {
    (min(max(openFiles / 8, 512), 4_096), min(max(openFiles / 16, 512), 2_048))
  }

  /// Copies that are kept for who reads them again, each with a descriptor.
  package static func keptCopies(openFiles: Int) -> Int { min(max(openFiles / 24, 64), 2_048) }

  /// How many connections of apps there may be where so many files may be open: what the owners'
  /// connections and all else take is kept for them. A connection takes two, and a process that has
  /// none any more another one.
  package static func connections(openFiles: Int) -> Int {
    min(connections, max(32, (forConnections(openFiles) - waitingConnections(openFiles: openFiles)) / 3))
  }

  /// How many connections may wait to be let in there: each takes one.
  package static func waitingConnections(openFiles: Int) -> Int {
    min(waitingConnections, max(32, forConnections(openFiles) / 4))
  }

  /// What is left for apps, and for whoever waits to be let in.
  private static func forConnections(_ openFiles: Int) -> Int {
    let sent = descriptorsSent(openFiles: openFiles)
    let libraries = max(otherFiles, filesPerLibrary * libraries(openFiles: openFiles, memory: nil))
    return openFiles - libraries - keptCopies(openFiles: openFiles) - sent.byKnown - sent.byStrangers - 2
      * administrationConnections
  }
}
