import Broker
import Catalogue

/// A transfer for an owner who waits for it.
struct Arrival {
  let transfer: Transfer
  let size: Int64
}

extension LibraryRuntime {
  /// Progress of an asset's transfer for its owner; nil if there is none. Several pictures of one
  /// asset share one transfer.
  func arrival(of asset: AssetNumber) -> (received: Int, size: Int64)? {
    guard let all = arrivals[asset], let first = all.first else { return nil }
    return (all.map(\.transfer.count).max() ?? 0, first.size)
  }

  /// As ``begin(_:_:for:progress:)``, and makes its progress visible.
  func show(_ resource: ResourceRecord, _ asset: AssetNumber, for reader: ByteReader) -> Making {
    let job = begin(
      resource, asset, for: reader, takesLong: true,
      didEnd: { [self] transfer in
        arrivals[asset]?.removeAll { $0.transfer === transfer }
        if arrivals[asset]?.isEmpty ?? false { arrivals[asset] = nil }
      })
    arrivals[asset, default: []].append(Arrival(transfer: job.transfer, size: resource.size))
    return job
  }
}
