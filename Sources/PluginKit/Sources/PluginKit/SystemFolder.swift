/// Folders that systems and NAS devices keep among people's files: trash, thumbnails, snapshots.
/// Their files are not in a library: a photo that was deleted on the NAS is deleted for apps too.
public enum SystemFolder {
  /// Lower-case names, because one NAS writes both `#recycle` and `#Recycle`. Names with a leading
  /// dot are hidden folders already and need no entry.
  public static let names = [
    "#recycle", "@recycle", "$recycle.bin", "recycler", "trashbox", "network trash folder", "@eadir", "#snapshot",
    "@recently-snapshot",
    "system volume information", "lost+found",
  ]

  public static func isNamed(_ name: String) -> Bool { names.contains(name.lowercased()) }
}
