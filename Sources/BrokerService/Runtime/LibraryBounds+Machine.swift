import Broker
import Delivery
import Limits

extension LibraryBounds {
  /// Limits that this machine's memory, or the process's control group, allows.
  init(_ configuration: Configuration, own: UInt32) {
    let least = ServiceLimits.leastPhotos * ServiceLimits.photoMemoryBytes
    self.init(
      libraries: ServiceLimits.libraries(openFiles: OpenFiles.limit, memory: MachineMemory.bytes),
      photos: configuration.photos
        ?? MachineMemory.part(ServiceLimits.photoMemoryShare, least: least) / ServiceLimits.photoMemoryBytes,
      own: own)
  }
}
