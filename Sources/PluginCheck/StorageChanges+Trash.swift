import BrokerInterface
import Glibc
import PhotoModel
import PluginHost
import PluginKit

/// Checks of a storage's trash.
extension StorageChanges {
  private func restore(_ file: Plugin.File) throws {
    _ = try run.running().call(
      Plugin.Restore.self,
      .init(locator: file.locator, contentVersion: file.contentVersion, identityHint: file.identityHint),
      within: .seconds(30))
  }

  /// The trashed file has the bytes that `trashAndRestore` added.
  private func findTrashed(_ file: Plugin.File) throws {
    var there = file
    there.locator = try run.running().call(
      Plugin.FindTrashed.self,
      .init(locator: file.locator, contentVersion: file.contentVersion, identityHint: file.identityHint),
      within: .seconds(30)
    ).locator
    try expect(
      text(there) == "kept",
      "FindTrashed answered a place with other bytes. Answer the trashed file's locator.")
  }

  private func isListed(_ file: Plugin.File) throws -> Bool {
    try listed().contains { item in
      let other = item.files[0]
      return ExactText(other.locator) == ExactText(file.locator) && other.contentVersion == file.contentVersion
        && other.identityHint == file.identityHint
    }
  }

  func trashAndRestore() throws {
    try mustChange()
    let item = try keep("kept", as: "kept")
    let file = try checked(item)
    let before = try listed()
    try trash(file)
    try expectSuccess("A second Trash of the same item failed. Answer as for the first one.") { try trash(file) }
    try expect(!isListed(at: file.locator), "A trashed item is still in the list.")
    if storage.offers(.findTrashed) { try findTrashed(file) }
    try expectSuccess("Restore of a trashed item failed. Move it back to its locator.") { try restore(file) }
    try expect(
      Set(listed()) == Set(before),
      "After Trash and Restore the list differs. Restore the same locator, contentVersion and identityHint.")
    let refusal = try expectRefusal("A second Restore succeeded, although the trash is empty. Answer notFound.") {
      try restore(file)
    }
    try expect(
      refusal.code == .notFound,
      """
      A second Restore answered \(refusal.code.rawValue), although the trash is empty. Answer notFound. \
      \(refusal.message)
      """)
    try trash(file)
  }

  /// People delete a photo, and later another one with the same name.
  func trashOfATrashedName() throws {
    try mustChange()
    let first = try checked(keep("first", as: "trashed"))
    try trash(first)
    let second = try another("second", inPlaceOf: first)
    try trash(second)
    // The older one first: a storage that compares locators alone finds the other one.
    for (file, bytes) in [(first, "first"), (second, "second")] {
      try expectSuccess(
        "Two files of one locator were trashed, and one of them cannot be restored. Keep both in the trash.",
        { try restore(file) })
      try expect(
        isListed(file) && text(file) == bytes,
        """
        Two files of one locator were trashed, and Restore chose the wrong one. Choose it by contentVersion and \
        identityHint.
        """)
      try trash(file)
    }
  }

  /// A file in the place of a trashed one is its owner's, and must survive.
  func restoreOntoATakenName() throws {
    try mustChange()
    let file = try checked(keep("trashed", as: "taken"))
    try trash(file)
    let other = try another("in its place", inPlaceOf: file)
    let before = try Set(listed().map { ExactText($0.files[0].locator) })
    do { try restore(file) } catch let failure as PluginFailure {
      guard [.failed, .notFound, .unsupported].contains(failure.code) else { throw failure }
    }
    try expect(
      isListed(other) && text(other) == "in its place",
      "Restore replaced another file, which is lost. If the name is taken, answer failed.")
    let beside = try listed().map { $0.files[0] }.filter { !before.contains(ExactText($0.locator)) }
    for file in beside { try trash(file) }
    try trash(other)
    try expect(beside.isEmpty, "Restore gave a file another name because its own was taken. Instead, answer failed.")
    try expectSuccess(
      """
      A file that Restore refused while its name was taken cannot be restored after the other file left. Keep it in \
      the trash.
      """,
      { try restore(file) })
    try expect(
      isListed(file),
      """
      Restore chose the wrong one of two trashed files of one locator, after it had refused the first while its \
      name was taken. Choose it by contentVersion and identityHint.
      """)
    try trash(file)
  }

  /// Puts a file in the place of a trashed one: adds it or, if added files go elsewhere, writes it.
  private func another(_ bytes: String, inPlaceOf file: Plugin.File) throws -> Plugin.File {
    let (name, ending) = (file.filename.prefix { $0 != "." }, file.filename.drop { $0 != "." }.dropFirst())
    let added = try checked(keep(bytes, as: String(name.dropFirst(Self.prefix.count)), ending: String(ending)))
    if ExactText(added.locator) == ExactText(file.locator) { return added }
    try trash(added)
    let skip = Skip(
      "Not tried: added files never get the locator of a trashed file, and no file could be written there.")
    guard let root = try storage.facts().root else { throw skip }
    let number = open("\(root)/\(file.locator)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o660)
    guard number >= 0 else { throw skip }
    defer { close(number) }
    let written = Array(bytes.utf8)
    guard write(number, written, written.count) == written.count else { throw skip }
    guard let item = try listed().first(where: { ExactText($0.files[0].locator) == ExactText(file.locator) }) else {
      throw skip
    }
    return item.files[0]
  }
}
