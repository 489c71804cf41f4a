import Catalogue
import PhotoModel

/// What one answer of a picker gave: a right to exactly these assets' bytes, on one connection, for
/// as long as that lasts.
///
/// It is a grant like any other, so that everything leaves under the same permit and what the owner
/// takes back is taken back at once; but one that no token names, that is not kept, and that no
/// other call can use: picking changes neither the status nor the selection (R77).
///
/// It ends with its connection and after ``BrokerLimits/pickLifetime``, and it follows no later
/// version of a file: the person picked what they saw (R74).
final class Pick {
  let attachment: Attachment
  private let items: [AppIdentifier: AssetNumber]
  /// The content version of the file that each asset was picked in.
  private(set) var versions: [AssetNumber: String] = [:]

  init(attachment: Attachment, items: [AppIdentifier: AssetNumber]) {
    self.attachment = attachment
    self.items = items
  }

  var grant: GrantState { attachment.grant }

  func asset(_ item: AppIdentifier) -> AssetNumber? { items[item] }

  func pin(_ asset: AssetNumber, to contentVersion: String) { versions[asset] = contentVersion }
}
