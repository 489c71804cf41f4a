import Catalogue
import PhotoModel

/// What one answer of a picker gave: a right to exactly these assets' bytes, on one connection, for as long as that lasts.
///
/// It is a grant like any other, so that everything leaves under the same permit and what the owner takes back is taken back
/// at once; but one that no token names, that is not kept, and that no other call can use: picking changes neither the
/// status nor the selection (R77).
final class Pick {
  let attachment: Attachment
  private let items: [AppIdentifier: AssetNumber]

  init(attachment: Attachment, items: [AppIdentifier: AssetNumber]) {
    self.attachment = attachment
    self.items = items
  }

  var grant: GrantState { attachment.grant }

  func asset(_ item: AppIdentifier) -> AssetNumber? { items[item] }
}
