import Glibc

/// Patterns with `*`, `?` and `[...]` for names of files and folders, in any letter case.
public struct NamePatterns: Sendable {
  /// The option with the bins and helper files that systems, NAS devices and programs keep among
  /// people's photos. A photo that was deleted on the NAS is deleted for apps too. `Trash` and
  /// `Recycle` are names that people give to albums, whose photos would be missing.
  public static let bins = PluginOption(
    "bins", .text, default: defaults.joined(separator: ","),
    summary: "Names of bins, thumbnails and other helpers to leave out, in any letter case, separated by commas.")

  private static let defaults = [
    ".*", "#recycle", "@Recycle", "Recycle Bin", "Network Recycle Bin*", "_NAS_Recycle_*", "$RECYCLE.BIN", "RECYCLER",
    "RECYCLED", "TrashBox", "Network Trash Folder", "files_trashbin", "files_versions", "@eaDir", "@Transcode", "@tmp",
    "#snapshot", "@Recently-Snapshot", "System Volume Information", "lost+found", "*.lrdata",
  ]

  /// As they were given.
  public let patterns: [String]
  /// Patterns without special characters, in lower case. One lookup answers for all of them.
  private let words: Set<String>
  private let others: [String]

  /// - Parameter list: patterns, separated by commas.
  public init(_ list: String) {
    patterns = list.split(separator: ",").map(String.init)
    let isPattern = { (text: String) in text.utf8.contains { "*?[\\".utf8.contains($0) } }
    words = Set(patterns.filter { !isPattern($0) }.map { $0.lowercased() })
    others = patterns.filter(isPattern)
  }

  public func matches(_ name: String) -> Bool {
    words.contains(name.lowercased()) || others.contains { fnmatch($0, name, Self.anyCase) == 0 }
  }

  /// FNM_CASEFOLD of fnmatch.h, which Swift does not see without _GNU_SOURCE.
  private static let anyCase: Int32 = 1 << 4
}
