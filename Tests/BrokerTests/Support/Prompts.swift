import Broker
import Catalogue
import PhotoModel

/// Opens the selection page, and returns the box for its answer.
func present(_ app: Session) -> Box<Result<(Permit, [AssetNumber]), BrokerError>> {
  let box = Box<Result<(Permit, [AssetNumber]), BrokerError>>()
  app.presentLimitedLibraryPicker { box.value = $0 }
  return box
}

/// The kinds of the prompts that wait for the owner.
func kinds(_ world: World) -> [PromptRecord.Kind] {
  world.anna.prompts.views(language: nil).map(\.prompt.kind)
}

/// A test app's manifest with another name.
func renamed(_ name: String, reason: String? = "Shows your photos.") -> Manifest {
  var manifest = Manifest.test(reason: reason)
  manifest.displayName = name
  return manifest
}
