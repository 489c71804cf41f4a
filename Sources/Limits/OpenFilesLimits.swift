extension ServiceLimits {
  /// Open files beside those of connections: the state, libraries, plugins, copies for apps, and a
  /// reserve for starting processes.
  package static let otherFiles = 432

  /// The number of libraries that is always allowed.
  package static let leastLibraries = 8
  /// The number of photos that is always allowed.
  package static let leastPhotos = 100_000

  /// The number of libraries of all users, for an open-file limit and the memory in bytes. A nil
  /// memory is unknown.
  package static func libraries(openFiles: Int, memory: Int?) -> Int {
    let byMemory = memory.map { $0 / libraryMemoryShare / libraryMemoryBytes } ?? .max
    return max(leastLibraries, min(openFiles / libraryFileShare / filesPerLibrary, byMemory))
  }

  /// Open descriptors received from apps and from owners, and from users who own no library.
  package static func descriptorsSent(openFiles: Int) -> (byKnown: Int, byStrangers: Int) {
    (min(max(openFiles / 8, 512), 4_096), min(max(openFiles / 16, 512), 2_048))
  }

  /// Cached copies for repeated reads; each has a descriptor.
  package static func keptCopies(openFiles: Int) -> Int { min(max(openFiles / 24, 64), 2_048) }

  /// The number of app connections, after a reserve for owners' connections and all other files. A
  /// connection takes two descriptors, and an ended process one more.
  package static func connections(openFiles: Int) -> Int {
    min(connections, max(32, (forConnections(openFiles) - waitingConnections(openFiles: openFiles)) / 3))
  }

  /// The number of pending connections; each takes one descriptor.
  package static func waitingConnections(openFiles: Int) -> Int {
    min(waitingConnections, max(32, forConnections(openFiles) / 4))
  }

  private static func forConnections(_ openFiles: Int) -> Int {
    let sent = descriptorsSent(openFiles: openFiles)
    let libraries = max(otherFiles, filesPerLibrary * libraries(openFiles: openFiles, memory: nil))
    return openFiles - libraries - keptCopies(openFiles: openFiles) - sent.byKnown - sent.byStrangers - 2
      * administrationConnections
  }
}
