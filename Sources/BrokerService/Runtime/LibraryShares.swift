import Delivery
import Glibc
import Limits

/// What all libraries have in common of the machine.
struct LibraryShares: Sendable {
  /// Memory for copies that are being made, and for what apps hand over until it is stored.
  let copying = SharedAllowance(
    limit: MachineMemory.part(ServiceLimits.copyingMemoryShare, least: ServiceLimits.copyingBytesPerUser / 2),
    limitPerUser: ServiceLimits.copyingBytesPerUser)
  /// Memory for copies that are kept for who reads them again.
  let kept: SharedAllowance
  /// What each of these counts as at least: it costs a descriptor besides its bytes.
  let leastKept: Int
  /// Pictures that are being made: a large one takes a hundred megabytes of a media worker.
  let painting: SharedAllowance

  init() {
    let limit = MachineMemory.part(ServiceLimits.keptMemoryShare, least: 2 * LibraryFiles.keptPartBytes)
    kept = SharedAllowance(limit: limit, limitPerUser: limit / 2)
    leastKept = limit / OpenFiles.kept
    let processors = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    painting = SharedAllowance(limit: 2 * processors, limitPerUser: processors)
  }
}
