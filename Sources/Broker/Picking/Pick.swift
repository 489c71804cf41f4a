import Catalogue
import PhotoModel

/// The result of one answered picker: the right to the bytes of exactly these assets, on one
/// connection.
///
/// It uses a grant of its own, so that the usual permits apply and a revocation ends it at once. No
/// token names this grant, it is not stored, and no other call can use it: picking changes neither
/// status nor selection (R77).
///
/// It ends with its connection and after ``BrokerLimits/pickLifetime``. It is bound to the file
/// version that the person saw (R74).
final class Pick {
  let attachment: Attachment
  private let items: [AppIdentifier: AssetNumber]
  /// The content version of each asset's file when it was picked.
  private(set) var versions: [AssetNumber: String] = [:]

  init(attachment: Attachment, items: [AppIdentifier: AssetNumber]) {
    self.attachment = attachment
    self.items = items
  }

  var grant: GrantState { attachment.grant }

  func asset(_ item: AppIdentifier) -> AssetNumber? { items[item] }

  func pin(_ asset: AssetNumber, to contentVersion: String) { versions[asset] = contentVersion }
}
