extension ServiceLimits {
  /// Files that may be open beside what connections take: the state, libraries, plugins, and copies that apps are handed.
  package static let otherFiles = 384

  /// How many connections of apps there may be where so many files may be open: what the owners' connections and all else take is
  /// kept for them. A connection takes two, and a process that has none any more another one.
  package static func connections(openFiles: Int) -> Int {
    min(connections, max(32, (openFiles - otherFiles - 2 * administrationConnections) / 3))
  }
}
