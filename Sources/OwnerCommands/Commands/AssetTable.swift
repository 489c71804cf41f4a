import BrokerInterface

enum AssetTable {
  static func show(_ assets: [Admin.OwnedAsset], _ invocation: Invocation) {
    var table = Table("IDENTIFIER", "TAKEN", "TYPE", "PIXELS", "MARKS", "FILE")
    for asset in assets {
      let marks = [
        asset.favorite ? "favorite" : nil, asset.hidden ? "hidden" : nil, asset.neverShare ? "never-share" : nil,
        asset.incomplete ? "incomplete" : nil,
      ]
      table.add(
        asset.identifier, Words.moment(asset.creationDate), asset.mediaType,
        asset.pixelWidth > 0 ? "\(asset.pixelWidth)x\(asset.pixelHeight)" : "-",
        marks.compactMap { $0 }.joined(separator: ","), files(of: asset))
    }
    invocation.print(table, whenEmpty: "No asset matches.")
  }

  /// The asset's path, and the names of the files that go along with it.
  private static func files(of asset: Admin.OwnedAsset) -> String {
    let others = (asset.others ?? []).map(\.filename).joined(separator: ", ")
    return (asset.path ?? asset.filename) + (others.isEmpty ? "" : " (with \(others))")
  }

  /// Lists trashed assets with the app and the time of each deletion.
  static func showTrash(_ assets: [Admin.OwnedAsset], apps: [Admin.AppInfo], _ invocation: Invocation) {
    let names = Dictionary(apps.map { ($0.app, $0.identifier) }) { first, _ in first }
    var table = Table("IDENTIFIER", "TAKEN", "DELETED", "BY", "FILE")
    for asset in assets {
      table.add(
        asset.identifier, Words.moment(asset.creationDate), asset.deleted.map(Words.moment) ?? "unknown",
        asset.deletedBy.map { names[$0] ?? $0 } ?? "unknown", asset.path ?? asset.filename)
    }
    invocation.print(table, whenEmpty: "The trash is empty.")
  }

  /// Prints a line for each asset of the sample, and the number of the others.
  static func showNames(_ sample: [Admin.OwnedAsset], of total: Int64, _ invocation: Invocation) {
    for asset in sample { invocation.print("  \(files(of: asset))  \(Words.moment(asset.creationDate))") }
    let more = total - Int64(sample.count)
    if more > 0 { invocation.print("  and \(more) more") }
  }
}
