/// Folders that systems and NAS keep among people's files: bins, thumbnails, snapshots. Nothing in
/// them is part of a library: a photo that its owner deleted on the NAS is deleted for apps as
/// well.
public enum SystemFolder {
  /// In lower case: the same NAS writes `#recycle` and `#Recycle`. Those whose names begin with a
  /// dot are hidden folders already.
  public static let names = [
    "#recycle", "@recycle", "$recycle.bin", "recycler", "trashbox", "network trash folder", "@eadir", "#snapshot",
    "@recently-snapshot",
    "system volume information", "lost+found",
  ]

  public static func isNamed(_ name: String) -> Bool { names.contains(name.lowercased()) }
}
