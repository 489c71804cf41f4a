import Delivery
import Glibc
import Limits

struct LibraryShares: Sendable {
  /// Memory for running copies, and for uploads until they are stored.
  let copying = SharedAllowance(
    limit: MachineMemory.part(ServiceLimits.copyingMemoryShare, least: ServiceLimits.copyingBytesPerUser / 2),
    limitPerUser: ServiceLimits.copyingBytesPerUser)
  /// Memory for cached copies.
  let kept: SharedAllowance
  /// Least cost in bytes of a cached copy, because each also takes a descriptor.
  let leastKept: Int
  /// Running pictures: a large one takes a hundred megabytes of a media worker.
  let painting: SharedAllowance

  /// Uploaded bytes in unfinished change requests.
  let uploading = UploadQuota()

  init() {
    let limit = MachineMemory.part(ServiceLimits.keptMemoryShare, least: 2 * LibraryFiles.keptPartBytes)
    kept = SharedAllowance(limit: limit, limitPerUser: limit / 2)
    leastKept = limit / OpenFiles.kept
    let processors = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    painting = SharedAllowance(limit: 2 * processors, limitPerUser: processors)
  }
}
