import Broker
import Delivery
import Limits

extension LibraryBounds {
  /// What this machine has room for, or the control group that the process is in.
  init(_ configuration: Configuration, own: UInt32) {
    let least = ServiceLimits.leastPhotos * ServiceLimits.photoMemoryBytes
    self.init(
      libraries: ServiceLimits.libraries(openFiles: OpenFiles.limit, memory: MachineMemory.bytes),
      photos: configuration.photos
        ?? MachineMemory.part(ServiceLimits.photoMemoryShare, least: least) / ServiceLimits.photoMemoryBytes,
      own: own)
  }
}
