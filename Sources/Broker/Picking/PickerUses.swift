package import PhotoModel

/// Counts of an app's answered pickers.
package struct PickerUses: Sendable, Equatable {
  package var times: Int
  package var assets: Int
  package var last: Timestamp

  package init(times: Int, assets: Int, last: Timestamp) {
    self.times = times
    self.assets = assets
    self.last = last
  }
}

extension LibraryState {
  func notePick(by app: AppIdentifier, assets: Int, at time: Timestamp) {
    var uses = pickerUses[app] ?? PickerUses(times: 0, assets: 0, last: time)
    uses.times += 1
    uses.assets += assets
    uses.last = max(uses.last, time)
    pickerUses[app] = uses
  }
}
