package import PhotoModel

/// An app that pickers gave something of a library.
package struct PickerApp {
  package let app: App
  package let uses: PickerUses
  /// How many assets it can load still.
  package let loadable: Int
  /// When it can load the last of those no longer; nil: there are none.
  package let until: Timestamp?
}
