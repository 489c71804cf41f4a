package import PhotoModel

/// An app that got assets of a library through pickers.
package struct PickerApp {
  package let app: App
  package let uses: PickerUses
  /// Number of assets that it can still load.
  package let loadable: Int
  /// The time until which it can load them; nil if it can load none.
  package let until: Timestamp?
}
